// A long random walk on a SystemTimer and its naive twin in lock-step. It is like the histories of
// test/property, without what these need to be shrunk and printed. So it goes hundreds of times as
// far. Some steps check the invariants, and each run checks the order.
import { SystemTimer, TimerTask } from '../../../../src/index.ts';
import { checkTimerInvariants } from '../../../../src/timer/timer.ts';
import { type Counts, count, holds, type Load } from '../load.ts';
import { Random } from '../random.ts';
import { Order } from './order.ts';
import { WalkClock } from './walk-clock.ts';

const STEPS = 400_000;
/** Steps between two checks of the invariants. */
const CHECK_EVERY = 4_096;

class Scripted extends Error {}

class WalkTask extends TimerTask {
  readonly id: number;
  readonly #walk: TimerWalk;

  constructor(walk: TimerWalk, id: number, delayMs: number) {
    super(delayMs);
    this.#walk = walk;
    this.id = id;
  }

  override run(): void {
    this.#walk.onRun(this.id);
  }
}

class TimerWalk {
  readonly #random: Random;
  readonly #counts: Counts;
  readonly #clock: WalkClock;
  readonly #timer: SystemTimer;
  readonly #order: Order;
  readonly #tasks: WalkTask[] = [];
  readonly #pool: number;
  readonly #longestMs: number;
  readonly #hasReaper: boolean;
  #steps = 0;
  #thrown = 0;
  #reported = 0;
  #failure: unknown;

  constructor(seed: number, counts: Counts) {
    const random = new Random(seed);
    this.#random = random;
    this.#counts = counts;
    const tickMs = random.pick([1, 1, 1, 2, 7, 64]);
    this.#hasReaper = random.below(3) > 0;
    this.#pool = random.pick([1, 8, 40, 200, 1_000, 6_000]);
    this.#longestMs = random.pick([10, 100, 3_000, 1e6, 2 ** 33]);
    this.#clock = new WalkClock(random.pick([0, 17.125, 2 ** 31 - 3, 1e12 + 0.25]));
    this.#timer = new SystemTimer({
      tickMs,
      wheelSize: random.pick([2, 4, 16, 512, 512]),
      clock: {
        now: () => this.#clock.now(),
        wakeAt: (at, wake) => this.#clock.wakeAt(at, () => this.#pass(wake)),
      },
      reaper: this.#hasReaper,
      sliceMs: Number.POSITIVE_INFINITY,
      onError: (error) => {
        if (error instanceof Scripted) this.#reported++;
        else this.#failure ??= error;
      },
    });
    this.#order = new Order(tickMs, this.#pool);
    for (let id = 0; id < this.#pool; id++) this.#tasks.push(new WalkTask(this, id, this.#delay()));
  }

  walk(): void {
    while (this.#steps < STEPS) {
      this.#step();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#steps % CHECK_EVERY === 0) checkTimerInvariants(this.#timer);
    }
    const left = this.#timer.close();
    holds(left.length === this.#order.size, () => `close returned ${left.length} of ${this.#order.size}`);
    holds(this.#reported === this.#thrown, () => `${this.#reported} of ${this.#thrown} throws were reported`);
    count(this.#counts, 'modelSteps', this.#steps);
    count(this.#counts, 'throws', this.#thrown);
  }

  #delay(): number {
    const random = this.#random;
    switch (random.below(8)) {
      case 0:
        return 0;
      case 1:
      case 2:
        return random.below(this.#longestMs * 8) / 8;
      default:
        return 1 + random.below(Math.min(this.#longestMs, 60));
    }
  }

  #step(): void {
    const random = this.#random;
    const kind = random.below(100);
    if (kind < 70) {
      this.#act(kind);
    } else if (kind < 90) {
      this.#steps++;
      const ms = kind < 80 ? random.below(20) / 4 : random.below(this.#longestMs);
      this.#clock.advanceTo(this.#clock.now() + ms);
      if (this.#hasReaper) this.#checkNothingLate();
    } else {
      this.#steps++;
      this.#pass(() => this.#timer.advanceClock());
      this.#checkNothingLate();
    }
    holds(this.#timer.size === this.#order.size, () => `size ${this.#timer.size}, not ${this.#order.size}`);
  }

  /** Usually an add, or a cancel. `kind` is below 70. */
  #act(kind: number): void {
    this.#steps++;
    const id = this.#random.below(this.#pool);
    const task = this.#tasks[id];
    if (kind < 45) {
      this.#timer.add(task);
      this.#order.add(id, this.#clock.now(), task.delayMs);
    } else {
      const was = this.#order.remove(id);
      const did = kind < 60 ? task.cancel() : this.#timer.remove(task);
      holds(did === was, () => `a cancel of ${id} said ${did}`);
    }
    holds(task.isPending === this.#order.has(id), () => `isPending of ${id} is ${task.isPending}`);
  }

  #pass(go: () => void): void {
    this.#order.beginPass();
    go();
    const missed = this.#order.next(this.#clock.now());
    this.#order.endPass();
    if (missed >= 0) this.#failure ??= new Error(`${missed} was due and did not run`);
  }

  onRun(id: number): void {
    const expected = this.#order.isInPass ? this.#order.next(this.#clock.now()) : -1;
    if (id !== expected) this.#failure ??= new Error(`${id} ran, and not ${expected}`);
    this.#order.remove(id);
    // On average not more than one add for each run. Otherwise tasks without delay would run each
    // other for ever.
    const random = this.#random;
    for (let acts = random.below(3); acts > 0; acts--) this.#act(random.below(90) % 70);
    if (random.below(16) > 0) return;
    this.#thrown++;
    throw new Scripted();
  }

  #checkNothingLate(): void {
    const late = this.#order.next(this.#clock.now());
    // A task that was added without delay during the last pass is due in the next.
    holds(late < 0 || this.#tasks[late].delayMs < 1 || !this.#hasReaper, () => `${late} is late`);
  }
}

export const load: Load = {
  run: (seed, counts) => new TimerWalk(seed, counts).walk(),
};
