// The passes of a timer on the system clock, as work that takes turns with all other work of that
// clock.
//
// Ground rules. It belongs to one DrivenTimer. A pass is opened when the timer wakes. So what is
// added before its first batch waits for the next pass. A batch is run when the slice of the turn
// (turns/turn-slice.ts) says so. Between two batches the microtasks run, which takes a turn of the
// host. So only timers of `systemClock` have this. Any other clock, and a fake, may wake a timer in
// the middle of a turn: such a timer has a slice of its own. The drop-in timers have turns of their
// own (waits/timers/drained-turns.ts).
import type { Batch } from '../turns/batch.ts';
import { Batches } from '../turns/batches.ts';
import { type TurnSlice, turnSliceOf } from '../turns/turn-slice.ts';
import type { Reaper } from './reaper.ts';
import type { TaskRunner } from './task-runner.ts';

export class PassesInTurns {
  readonly #slice: TurnSlice;
  readonly #runner: TaskRunner;
  readonly #endPass: () => void;
  readonly #batches: Batches;

  /** @param endPass is called at the end of each pass, and after a throw. */
  constructor(timer: object, sliceMs: number, runner: TaskRunner, reaper: Reaper, endPass: () => void) {
    this.#slice = turnSliceOf(timer);
    this.#runner = runner;
    this.#endPass = endPass;
    this.#batches = new Batches(this.#slice, sliceMs, (batch) => this.#runBatch(batch), {
      mustYield: false,
      isOfTimer: true,
      get isUnref() {
        return !reaper.isRef;
      },
      didYield: () => runner.didYield(),
    });
  }

  /** Whether a pass goes on by itself. */
  get isUnderWay(): boolean {
    return this.#batches.isUnderWay;
  }

  /** Begins a pass over all tasks up to `tick`, unless one is under way. */
  begin(tick: number): void {
    this.#runner.open(tick);
    this.#batches.begin();
  }

  /** To be called when the timer begins or ceases to keep the process alive. */
  hold(): void {
    if (this.isUnderWay) this.#slice.hold();
  }

  #runBatch(batch: Batch): boolean {
    let isOpen = false;
    try {
      isOpen = this.#runner.runBatch(batch, this.#slice.beganMs);
    } finally {
      if (!isOpen) this.#endPass();
    }
    return isOpen;
  }
}
