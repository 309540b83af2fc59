// The wake-up of a timer: when it looks for due tasks next.
//
// Ground rules. The reaper owns the one wake-up that a timer holds on its clock. Its timer
// (DrivenTimer) says when a task was started or stopped and when a pass has ended, and is woken.
// The pending tasks say which tick to look at. For a start, the reaper arms for an earlier tick
// only. To arm for a later one would cost a host timer for each start. Instead, a wake-up may find
// nothing due. That costs one host timer for each bucket. With nothing pending it holds no wake-up,
// so an idle timer costs the host nothing.
//
// On a fake host a wake-up is always for a task, never for a cascade alone: users step from timer
// to timer. So the reaper is armed for a later tick too when a task has been stopped.
//
// When a clock refuses to wake, nobody would look for what is pending. So the reaper tries once
// more, in a later turn: perhaps it was the stack that was at its end. What the clock throws then
// is an uncaught exception. The next start or pass tries again.
import { setImmediate as laterTurn } from 'node:timers';
import { mustHold } from '../base/must-hold.ts';
import { throwLater } from '../base/report-error.ts';
import type { Clock, WakeUp } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import type { PendingTasks } from './pending-tasks.ts';

export class Reaper {
  readonly #clock: Clock;
  readonly #tickMs: number = 0;
  readonly #tasks: PendingTasks;
  readonly #wake: () => void;
  #wakeUp: WakeUp | undefined;
  /** The tick of the wake-up. */
  #wakeUpTick = Number.POSITIVE_INFINITY;
  #willRetry = false;
  #isRef = true;
  /** Only a start for an earlier tick has to call `started`. */
  armedTick: number = Number.NEGATIVE_INFINITY;
  /** False: it never wakes its timer, and `armedTick` stays -Infinity. */
  readonly isOn: boolean;

  constructor(
    options: { clock: Clock; tickMs: number; reaper: boolean },
    tasks: PendingTasks,
    wake: () => void,
  ) {
    this.#clock = options.clock;
    this.#tickMs = options.tickMs;
    this.#tasks = tasks;
    this.#wake = wake;
    this.isOn = options.reaper;
    if (this.isOn) this.armedTick = Number.POSITIVE_INFINITY;
  }

  /**
   * True on a fake host: there, each wake-up must be for a task. `armedTick` stays Infinity then,
   * so that every start calls `started` and every stop calls `stopped`.
   */
  get isExact(): boolean {
    return this.#clock instanceof SystemClock && this.#clock.isFaked;
  }

  /** To be called for a start for a `tick` before `armedTick`. @throws what the clock throws. */
  started(tick: number): void {
    this.#lookAt(this.isExact ? tick : this.#tasks.lookFor(tick));
  }

  /**
   * To be called when tasks were stopped and `armedTick` is Infinity. On a fake host, moves away
   * from a task that is gone. @throws what the clock throws.
   */
  stopped(): void {
    if (!this.isExact) return;
    const tick = this.#tasks.firstTick();
    if (tick > this.#wakeUpTick) this.disarm();
    this.#lookAt(tick);
  }

  /** To be called at the end of a pass. @throws what the clock throws. */
  lookOn(): void {
    if (!this.isOn) return;
    const tick = this.isExact ? this.#tasks.firstTick() : this.#tasks.nextTick();
    if (tick < this.armedTick) this.#lookAt(tick);
  }

  /** Looks at `tick` or before. O(1), with one host timer when nobody looked so early. */
  #lookAt(tick: number): void {
    this.armedTick = Number.POSITIVE_INFINITY; // what a clock that throws leaves armed
    try {
      if (tick < this.#wakeUpTick) this.#arm(tick);
    } catch (error) {
      this.#retryLater();
      throw error;
    }
    if (!this.isExact) this.armedTick = tick;
  }

  #arm(tick: number): void {
    this.disarm();
    this.#wakeUp = this.#clock.wakeAt(tick * this.#tickMs, this.#fire);
    this.#wakeUpTick = tick;
    if (!this.#isRef) this.#wakeUp.unref?.();
  }

  /**
   * Gives the wake-up up. Never throws: it is called while an operation is completed, which must
   * get its answer.
   */
  disarm(): void {
    if (!this.isOn) return;
    const wakeUp = this.#wakeUp;
    this.#forget();
    try {
      wakeUp?.cancel();
    } catch (error) {
      throwLater(error);
    }
  }

  get isRef(): boolean {
    return this.#isRef;
  }

  set isRef(isRef: boolean) {
    this.#isRef = isRef;
    if (isRef) this.#wakeUp?.ref?.();
    else this.#wakeUp?.unref?.();
  }

  /** Throws unless it looks at the tick `earliest` or before. For tests, between two passes. */
  check(earliest: number): void {
    const { armedTick } = this;
    if (!this.isOn || this.isExact) return;
    mustHold(armedTick <= earliest, `armed for ${armedTick}, though ${earliest} is to be looked at`);
    const isIdle = this.#tasks.size === 0;
    mustHold(!isIdle || armedTick === Number.POSITIVE_INFINITY, 'armed with nothing pending');
  }

  #forget(): void {
    this.#wakeUp = undefined;
    this.#wakeUpTick = Number.POSITIVE_INFINITY;
    this.armedTick = Number.POSITIVE_INFINITY;
  }

  readonly #fire = (): void => {
    this.#forget();
    this.#wake();
  };

  #retryLater(): void {
    if (this.#willRetry) return;
    laterTurn(() => {
      try {
        this.lookOn();
      } finally {
        this.#willRetry = false;
      }
    });
    this.#willRetry = true; // not before: the stack may end in the call
  }
}
