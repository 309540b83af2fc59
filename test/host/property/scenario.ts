// A scenario of tries, completions, expirations and tasks, and of events from inside all of these.
// The test decides what each callback does besides: it uses up the stack. (Throws of callbacks are
// played by the models of test/property. There are no waits: at the end of the stack Node prints
// rejections that it cannot report otherwise.)

import { DelayedOperation, ManualClock, Purgatory, SystemTimer } from '../../../src/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { Random } from '../../support/random.ts';

const KEYS = 5;
const MAX_DEPTH = 3;

class ScenarioOperation extends DelayedOperation {
  readonly #scenario: Scenario;
  ready = false;
  completions = 0;
  expirations = 0;

  constructor(scenario: Scenario, delayMs: number) {
    super(delayMs);
    this.#scenario = scenario;
  }

  override tryComplete(): boolean {
    this.#scenario.callback();
    return this.ready && this.forceComplete();
  }

  override onComplete(): void {
    this.completions++;
    this.#scenario.inside();
  }

  override onExpiration(): void {
    this.expirations++;
    this.#scenario.inside();
  }
}

/** Throws unless `condition` holds: after an overflow, an assertion that makes no objects before it fails. */
function holds(condition: boolean, what: () => string): void {
  if (!condition) throw new Error(what());
}

export class Scenario {
  readonly #random: Random;
  readonly #onCallback: () => void;
  /**
   * Called with each action that comes from outside all callbacks, except those of the clock. False
   * ends the scenario.
   */
  readonly #perform: (action: () => void) => boolean;
  readonly #clock = new ManualClock();
  readonly #timer: SystemTimer;
  readonly #purgatory: Purgatory<number, ScenarioOperation>;
  readonly #operations: ScenarioOperation[] = [];
  #depth = 0;

  constructor(
    seed: number,
    onCallback: () => void,
    onError: (error: unknown) => void,
    perform: (action: () => void) => boolean,
  ) {
    this.#random = new Random(seed);
    this.#onCallback = onCallback;
    this.#perform = perform;
    const wheelSize = this.#random.pick([2, 16, 512]);
    this.#timer = new SystemTimer({ clock: this.#clock, wheelSize, onError });
    this.#purgatory = new Purgatory('scenario', { timer: this.#timer, onError });
  }

  /** User code of every kind calls it. */
  callback(): void {
    this.#onCallback();
  }

  /** A callback that acts. */
  inside(): void {
    this.#onCallback();
    if (this.#depth === MAX_DEPTH) return;
    this.#depth++;
    try {
      this.#act();
    } finally {
      this.#depth--;
    }
  }

  /** False when it was ended. */
  play(actions: number): boolean {
    for (let left = actions; left > 0; left--) {
      // A host wakes timers at the top of the stack.
      if (this.#random.below(5) === 0) this.#clock.advance(this.#random.below(20));
      else if (!this.#perform(() => this.#act())) return false;
      this.#depth = 0;
      this.check();
    }
    return true;
  }

  #act(): void {
    const random = this.#random;
    const key = random.below(KEYS);
    const { length } = this.#operations;
    const operation = length === 0 ? undefined : this.#operations[random.below(length)];
    switch (random.below(10)) {
      case 0:
      case 1:
      case 2:
        this.#purgatory.tryCompleteElseWatch(this.#newOperation(), [
          key,
          random.below(KEYS),
          random.below(KEYS),
        ]);
        break;
      case 3:
      case 4:
        this.#purgatory.checkAndComplete(key);
        break;
      case 5:
        if (operation !== undefined) operation.ready = true;
        break;
      case 6:
        operation?.forceComplete();
        break;
      case 7:
        operation?.cancel();
        break;
      case 8:
        this.#timer.schedule(() => this.inside(), random.below(30));
        break;
      default:
        this.#timer.advanceClock();
    }
  }

  #newOperation(): ScenarioOperation {
    const delayMs = this.#random.below(4) === 0 ? Number.POSITIVE_INFINITY : this.#random.below(40);
    const operation = new ScenarioOperation(this, delayMs);
    operation.ready = this.#random.below(8) === 0;
    this.#operations.push(operation);
    return operation;
  }

  check(): void {
    checkTimerInvariants(this.#timer);
    checkPurgatoryInvariants(this.#purgatory);
    for (const { completions, expirations, isCompleted, isPending } of this.#operations) {
      holds(
        completions <= 1 && expirations <= 1,
        () => `completed ${completions} times, expired ${expirations}`,
      );
      holds(isCompleted || completions === 0, () => 'onComplete ran, and it is not completed');
      holds(!(isCompleted && isPending), () => 'completed and pending');
    }
  }

  /** Ends everything. Nothing may be left. */
  end(): void {
    const parked = this.#purgatory.close();
    const pending = this.#operations.filter(({ isCompleted }) => !isCompleted);
    holds(
      parked.every((operation) => pending.includes(operation)),
      () => 'close returned one that is completed',
    );
    this.#timer.close();
    this.check();
    const { numDelayed, watched, watchedKeys } = this.#purgatory;
    const left = [numDelayed, watched, watchedKeys, this.#timer.size];
    holds(
      left.every((each) => each === 0),
      () => `left behind: ${left}`,
    );
  }
}
