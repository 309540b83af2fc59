// How long the work of one turn of the event loop may take, and who goes on next.
//
// Ground rules. There is one for each clock: all purgatories of that clock share it, and the timers
// of the system clock, so a thousand of them together take no longer than one. Work goes on a batch
// at a time. Works take turns, and after a batch that answered somebody the microtasks run: so the
// next reading of the clock knows what that batch has cost. When the slice is spent, the rest waits
// for the next turn, in its order. After a throw, of the clock too, what is left goes on in the next
// turn. Work is handed over where the stack is shallow (TurnEnd, a wake-up): an overflow in the calls
// of the slice would stop all work of the clock for ever.
//
// Time comes from the clock, turns come from the host. A slice lasts until the host's next turn, also
// when nothing is left to do: what answers cause in microtasks, again and again, is in the same turn.
// A ManualClock and a fake clock stand still while work is done, so nothing is ever spent. But such a
// clock is moved in the middle of a turn. There, only work that begins within less than PAUSE_MS of
// the last reading continues the slice.
//
// Costs. One reading of the clock a batch, none for the first few steps of a turn that are all there
// is to do, one immediate for each turn with a reading, and one for all that waits.
import type { Clock } from '../clock/clock.ts';
import { isHostsOwn, isHostTimeReal } from '../clock/host.ts';
import { clockOf, systemClock } from '../clock/system-clock.ts';
import { FIRST, MAX_ANSWERS } from './batch.ts';
import { PAUSE_MS } from './budget.ts';
import { HostTurn } from './host-turn.ts';
import { afterMicrotasks, atTurnEnd } from './turn-end.ts';
import { keepAlive, type Work, WorkQueue } from './work-queue.ts';

/**
 * Counts are kept for a turn. To end them costs an immediate. So counts up to this are kept, and
 * several turns with few steps count as one.
 */
const FEW = FIRST / 2;

export class TurnSlice {
  readonly #clock: Pick<Clock, 'now'>;
  #beganMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Whether a slice has begun, and its end has not come. */
  #hasBegun = false;
  /** What goes on. */
  readonly #queue = new WorkQueue();
  /** What waits for the next turn. */
  #later: Work[] = [];
  /** The next turn, while anything waits for it. */
  #nextTurn: HostTurn | undefined;
  /** The next turn as the end of the slice. Made first: what a batch throws comes before `#nextTurn`. */
  #end: HostTurn | undefined;
  /** Whether work is under way, or waits. */
  #isUnderWay = false;
  /** The work whose batch has the time since the last reading. */
  #timed: Work | undefined;
  #isInBatch = false;
  /** Whether it goes on in this turn, after the microtasks. */
  #willGoOn = false;
  /** Steps before any reading of the clock, and promises that settled at once, of a turn. */
  #unread = 0;
  #settledAtOnce = 0;
  #willForget = false;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** When the slice began, in ms. */
  get beganMs(): number {
    return this.#beganMs;
  }

  /** The last reading, in ms. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /**
   * Whether a promise may settle in the call that ends it: the first FIRST of a turn may, and up to
   * MAX_ANSWERS that a batch answers.
   */
  takeAtOnce(): boolean {
    if (this.#settledAtOnce >= (this.#isInBatch ? MAX_ANSWERS : FIRST)) return false;
    if (this.#settledAtOnce >= FEW) this.#forgetSoon();
    this.#settledAtOnce++;
    return true;
  }

  /** The counts end with this turn. */
  #forgetSoon(): void {
    if (this.#willForget || this.#end !== undefined) return;
    atTurnEnd(this.#endCounts); // first: it may overflow the stack of the caller
    this.#willForget = true;
  }

  readonly #endCounts = (): void => {
    this.#willForget = false;
    if (this.#isOfHost) this.begin();
    else this.#forget();
  };

  #forget(): void {
    this.#unread = 0;
    this.#settledAtOnce = 0;
  }

  /** Whether it is the host's own time, which nobody moves in the middle of a turn. */
  get #isOfHost(): boolean {
    return this.#clock === systemClock && isHostsOwn && isHostTimeReal();
  }

  /** Begins the slice of this turn, or goes on with the one that began in it. One reading. */
  begin(): void {
    const nowMs = this.#clock.now();
    if (!this.#isSameTurn(nowMs)) this.#beganMs = nowMs;
    this.#hasBegun = true;
    this.#lastMs = nowMs;
    if (this.#isOfHost && this.#end === undefined) this.#awaitEnd();
  }

  #awaitEnd(): void {
    this.#end = new HostTurn(this.#didEnd);
    this.#end.isHeld = this.#queue.size === 0 || this.#queue.isRef; // unref'd deadlines hold no process
  }

  readonly #didEnd = (): void => {
    this.#end = undefined;
    this.#hasBegun = false;
    this.#forget();
  };

  /** Whether the slice that has begun is that of this turn. */
  #isSameTurn(nowMs: number): boolean {
    if (!this.#hasBegun) return false;
    if (this.#isOfHost) return this.#end !== undefined;
    return this.#willGoOn || nowMs - this.#lastMs < PAUSE_MS;
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
    if (this.#unread >= FIRST) {
      this.add(work);
      return;
    }
    const isFirst = !this.#isUnderWay;
    this.#isUnderWay = true;
    try {
      const isLeft = this.#doBatch(work, false);
      this.#unread += work.steps;
      if (this.#unread >= FEW) this.#forgetSoon();
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
    this.#hasBegun = false;
    this.#queue.putFirst(this.#later);
    this.#later = [];
    this.#run(this.#begin);
  };

  readonly #begin = (): void => this.begin();

  readonly #read = (): void => {
    const nowMs = this.#clock.now();
    this.#timed?.took(nowMs - this.#lastMs);
    this.#lastMs = nowMs;
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
        if (this.#queue.size === 0) return false;
        this.#goOnSoon();
        return true;
      }
      this.#read();
    }
    return false;
  }

  /** The work whose turn it is. What has spent the slice waits for the next turn. */
  #next(): Work | undefined {
    const usedMs = this.#lastMs - this.#beganMs;
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
    this.#isInBatch = true;
    this.#settledAtOnce = 0;
    try {
      isLeft = work.doBatch(isTimed);
      hasThrown = false;
    } finally {
      this.#isInBatch = false;
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
