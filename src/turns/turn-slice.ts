// How long the work of one turn of the event loop may take, and who goes on next.
//
// Ground rules. There is one for each clock: all purgatories of that clock share it, and the timers
// of the system clock, so a thousand of them together take no longer than one. Work goes on a batch
// at a time. Works take turns, and after a batch that answered somebody the microtasks run: so the
// next reading of the clock knows what that batch has cost. When the slice is spent, the rest waits
// for the next turn, in its order. Time comes from the clock, turns come from the host
// (slice-time.ts). After a throw, of the clock too, what is left goes on in the next turn. Work is
// handed over where the stack is shallow (TurnEnd, a wake-up): an overflow in the calls of the
// slice would stop all work of the clock for ever.
//
// Costs. One reading of the clock a batch, none for the first few steps of a turn that are all
// there is to do, and one immediate for all that waits.
import type { Clock } from '../clock/clock.ts';
import { HostTurn } from '../clock/host-turn.ts';
import { clockOf } from '../clock/system-clock.ts';
import { afterMicrotasks } from '../clock/turn-end.ts';
import { SliceTime } from './slice-time.ts';
import { keepAlive, type Work, WorkQueue } from './work-queue.ts';

export class TurnSlice {
  readonly #time: SliceTime;
  /** What goes on. */
  readonly #queue = new WorkQueue();
  /** What waits for the next turn. */
  #later: Work[] = [];
  /** The next turn, while anything waits for it. */
  #nextTurn: HostTurn | undefined;
  /** Whether work is under way, or waits. */
  #isUnderWay = false;
  /** The work whose batch has the time since the last reading. */
  #timed: Work | undefined;
  /** Whether it goes on in this turn, after the microtasks. */
  #willGoOn = false;
  /** How many promises the batch under way may yet settle at once. Outside of a batch: undefined. */
  #answersLeft: number | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#time = new SliceTime(clock, () => this.#queue.size === 0 || this.#queue.isRef);
  }

  /** When the slice would have begun without pauses, in ms. */
  get beganMs(): number {
    return this.#time.beganMs;
  }

  /** The last reading, in ms. */
  get lastMs(): number {
    return this.#time.lastMs;
  }

  /**
   * Whether a promise may settle in the call that ends it: as many as a batch may answer, and
   * outside of batches the first few.
   */
  takeAtOnce(): boolean {
    if (this.#answersLeft !== undefined) return this.#answersLeft-- > 0;
    if (!this.#time.isFree) return false;
    this.#time.count(1);
    return true;
  }

  /** Begins the slice of this turn, or goes on with the one that began in it. One reading. */
  begin(): void {
    this.#time.begin(this.#willGoOn);
  }

  /** Does the first batch in the call, unless other work is under way or the slice is spent. */
  start(work: Work): void {
    if (this.#joins(work)) return;
    this.#isUnderWay = true;
    this.#run(this.#begin);
  }

  /**
   * Does the first batch in the call, also while other work is under way: a small event waits for
   * nobody. Reads the clock only if more than that is to do. If very many begin so in a turn, the
   * others wait as in `add`.
   */
  startUnread(work: Work): void {
    if (!this.#time.isFree) {
      this.add(work);
      return;
    }
    const isFirst = !this.#isUnderWay;
    this.#isUnderWay = true;
    try {
      const isLeft = this.#doBatch(work, false);
      this.#time.count(work.steps);
      if (isFirst && isLeft) this.#timed = work; // what runs after the batch
    } finally {
      // What is left may keep the process alive.
      if (!isFirst) this.hold();
      else if (this.#queue.size > 0) this.#beginLater();
      else this.#waitOrEnd();
    }
  }

  /** Does the first batch after the microtasks. */
  add(work: Work): void {
    if (this.#joins(work)) return;
    this.#isUnderWay = true;
    this.#beginLater();
  }

  /** Returns whether other work is under way, which goes on with this one too. */
  #joins(work: Work): boolean {
    this.#queue.push(work);
    if (this.#nextTurn !== undefined && !work.isUnref) this.#nextTurn.isHeld = true;
    return this.#isUnderWay;
  }

  /** To be called when waiting work begins or ceases to keep the process alive. */
  hold(): void {
    if (this.#nextTurn !== undefined) this.#nextTurn.isHeld = this.#queue.isRef || keepAlive(this.#later);
  }

  /** What runs before the next reading is part of the slice. */
  #beginLater(): void {
    let hasBegun = false;
    try {
      this.#begin();
      hasBegun = true;
    } finally {
      if (hasBegun) this.#goOnSoon();
      else this.#waitOrEnd();
    }
  }

  #goOnSoon(): void {
    afterMicrotasks(this.#goOn); // first: it may overflow the stack of the caller
    this.#willGoOn = true;
  }

  readonly #goOn = (): void => {
    this.#willGoOn = false;
    this.#run(this.#read);
  };

  readonly #turn = (): void => {
    this.#nextTurn = undefined;
    this.#queue.putFirst(this.#later);
    this.#later = [];
    this.#run(this.#beginAnew);
  };

  readonly #begin = (): void => this.begin();

  readonly #beginAnew = (): void => this.#time.beginAnew();

  readonly #read = (): void => {
    const ms = this.#time.read();
    this.#timed?.took(ms);
  };

  /** What ran after the last batch counts too: more work may begin in this turn. */
  readonly #readIfIdle = (): void => {
    if (!this.#isUnderWay) this.#read();
  };

  #run(read: () => void): void {
    let goesOn = false;
    try {
      read();
      goesOn = this.#doBatches();
    } finally {
      if (!goesOn) this.#waitOrEnd();
    }
  }

  /** Returns whether it goes on after the microtasks. */
  #doBatches(): boolean {
    for (let work = this.#next(); work !== undefined; work = this.#next()) {
      this.#queue.didTurn(work);
      this.#timed = this.#doBatch(work, true) ? work : undefined;
      if (work.hasAnswered) {
        const goesOn = this.#queue.size > 0;
        if (goesOn) this.#goOnSoon();
        else afterMicrotasks(this.#readIfIdle);
        return goesOn;
      }
      this.#read();
    }
    return false;
  }

  /** The work whose turn it is. What has spent the slice waits for the next turn. */
  #next(): Work | undefined {
    const { usedMs } = this.#time;
    for (let work = this.#queue.take(); work !== undefined; work = this.#queue.take()) {
      if (!(usedMs >= work.sliceMs)) return work; // also when a clock has given NaN
      this.#wait(work);
    }
    return undefined;
  }

  /** Returns whether anything is left of `work`. */
  #doBatch(work: Work, isTimed: boolean): boolean {
    let isLeft = true;
    let hasThrown = true;
    this.#answersLeft = work.mostAnswers;
    try {
      isLeft = work.doBatch(isTimed);
      hasThrown = false;
    } finally {
      this.#answersLeft = undefined;
      if (isLeft) {
        if (hasThrown || work.mustYield) this.#wait(work);
        else this.#queue.push(work);
      }
    }
    return isLeft;
  }

  #wait(work: Work): void {
    this.#later.push(work);
    work.didYield();
  }

  #waitOrEnd(): void {
    this.#timed = undefined;
    this.#isUnderWay = this.#queue.size + this.#later.length > 0;
    if (!this.#isUnderWay) return;
    this.#nextTurn = new HostTurn(this.#turn);
    this.hold();
  }
}

const slices = new WeakMap<object, TurnSlice>();

/** The slice that all who work by the clock of `timer` share. */
export function turnSliceOf(timer: object): TurnSlice {
  const clock = clockOf(timer);
  let slice = slices.get(clock);
  if (slice === undefined) {
    slice = new TurnSlice(clock);
    slices.set(clock, slice);
  }
  return slice;
}
