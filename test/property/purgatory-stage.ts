// The stage of a random history: the real purgatories and timer, the naive references, and the
// callbacks. The callbacks check whether what the engine does next is what it should do next.
//
// Only the scripts throw here. A fault that is found is kept in `failure`, because the engine would
// take a throw for the user's.
import { isDeepStrictEqual } from 'node:util';
import { Purgatory, SystemTimer } from '../../src/index.ts';
import { listen } from '../../src/observe/events/index.ts';
import type { History } from './purgatory-arbitraries.ts';
import { type Cause, type Frame, nextOf } from './purgatory-frames.ts';
import type { HistoryGuest, HistoryOperation, HistoryWaiter, Host } from './purgatory-guests.ts';
import { type Guest, PurgatoryReference } from './purgatory-reference.ts';
import { type Entry, TimerReference } from './timer-reference.ts';
import { WatchedClock } from './watched-clock.ts';

const MAX_DEPTH = 40;

export abstract class Stage implements Host {
  readonly history: History;
  readonly clock: WatchedClock;
  readonly timer: SystemTimer;
  readonly timerReference: TimerReference;
  readonly purgatories: Purgatory<number, HistoryOperation>[] = [];
  readonly references: PurgatoryReference[] = [];
  readonly guests: (HistoryOperation | HistoryWaiter)[] = [];
  readonly operations: HistoryOperation[] = [];
  readonly notified: Set<number>[] = [];
  readonly stack: Frame[] = [];
  failure: Error | undefined;
  /** What the engine said last of the event that causes a try. */
  #told: Cause | undefined;
  /** To be called at the end. */
  readonly unlisten: () => void;
  /** Errors that onError has yet to get. */
  #toReport: { error: unknown; operation: unknown }[] = [];
  #completing: HistoryOperation | undefined;
  #expiring: HistoryOperation | undefined;
  #budget = 300;

  constructor(history: History) {
    this.history = history;
    const { tickMs, wheelSize, reaper, maxPending, maxParked } = history;
    this.clock = new WatchedClock(0, (wake) => this.timerPass(wake));
    this.timerReference = new TimerReference(tickMs);
    const failed = (error: unknown): void => this.wrong('the timer got an error', error, undefined);
    this.timer = new SystemTimer({
      tickMs,
      wheelSize,
      reaper,
      maxPending,
      clock: this.clock,
      onError: failed,
    });
    for (let i = 0; i < history.purgatories; i++) {
      const onError = (error: unknown, operation: HistoryOperation): void => this.#onError(error, operation);
      this.purgatories.push(new Purgatory(`purgatory ${i}`, { timer: this.timer, maxParked, onError }));
      this.references.push(new PurgatoryReference(this.timerReference, maxParked));
      this.notified.push(new Set());
    }
    this.unlisten = listen('purgatory:operation:tried', ({ purgatory, key }) => {
      this.#told = { purgatory: this.purgatories.indexOf(purgatory as Purgatory<number, never>), key };
    });
  }

  /** Whether an event on `key` is under way in this call. */
  isUnderWay(purgatory: number, key: number): boolean {
    return this.stack.some((frame) => {
      const cause = 'cause' in frame ? frame.cause : undefined;
      return cause?.purgatory === purgatory && cause.key === key;
    });
  }

  abstract runScript(index: number): void;

  verify(what: string, actual: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(actual, expected)) this.wrong(what, actual, expected);
  }

  wrong(what: string, actual: unknown, expected: unknown): void {
    this.failure ??= Object.assign(new Error(what), { actual, expected });
  }

  referenceOf(guest: HistoryGuest): PurgatoryReference {
    return this.references[guest.spec.purgatory % this.references.length];
  }

  get top(): Frame | undefined {
    return this.stack.at(-1);
  }

  within<F extends Frame>(frame: F, go: () => void): F {
    this.stack.push(frame);
    try {
      go();
    } finally {
      this.stack.pop();
    }
    return frame;
  }

  timerPass(go: () => void): number {
    this.timerReference.beginPass();
    const frame: Extract<Frame, { kind: 'timer' }> = { kind: 'timer', cause: undefined, runs: 0 };
    this.within(frame, go);
    this.verify('an operation was due and did not expire', this.#nextExpiry(frame)?.id, undefined);
    this.verify('onExpiration did not follow', this.#expiring?.id, undefined);
    this.timerReference.endPass();
    return frame.runs;
  }

  /** Those whose deadline has taken them, and that are tried for an event that came in time. */
  readonly #inTime: { readonly guest: HistoryGuest; readonly parking: number }[] = [];

  onTry(guest: HistoryGuest): boolean {
    const frame = this.top;
    if (frame?.kind === 'drain' || frame?.kind === 'timer') frame.cause = this.#told;
    this.#checkTry(guest, frame);
    guest.tries++;
    const before = this.#hasCompleted(guest);
    const wasParked = this.referenceOf(guest).holds(guest);
    const { parking } = guest;
    if (frame?.kind === 'timer') this.#inTime.push({ guest, parking });
    try {
      this.#script(guest, guest.spec.onTry);
    } catch (error) {
      if (frame?.kind === 'timer' && (guest.isWaiter || guest.parking !== parking)) frame.runs++;
      if (frame?.kind === 'pass' && this.#hasCompleted(guest) !== before) frame.slack++;
      this.#noteThrow(guest, frame, error);
      throw error;
    } finally {
      if (frame?.kind === 'timer') this.#inTime.pop();
    }
    const hasLeft = wasParked && !this.referenceOf(guest).holds(guest);
    const completes = guest.ready && !this.#hasCompleted(guest);
    if (frame?.kind === 'park') frame.result = completes;
    if (frame?.kind === 'timer' && (hasLeft || completes || guest.parking !== parking)) frame.runs++;
    if (frame?.kind === 'pass') {
      if (guest.isWaiter ? hasLeft : this.#hasCompleted(guest) !== before) frame.slack++;
      else if (completes) frame.completed++;
    }
    if (completes && guest.isWaiter) {
      this.referenceOf(guest).leave(guest);
      (guest as HistoryWaiter).expect({ kind: 'value', value: guest.id });
    } else if (completes) {
      this.#completing = guest as HistoryOperation;
    }
    return guest.ready;
  }

  onComplete(operation: HistoryOperation): void {
    const frame = this.top;
    this.verify('onComplete ran twice', operation.hasCompleted, false);
    const isTried = this.#completing === operation;
    const isForced = !isTried && frame?.kind === 'force' && frame.guest === operation;
    const isExpired = !isTried && !isForced;
    this.#completing = undefined;
    if (isExpired) this.#checkExpiry(operation, frame);
    operation.hasCompleted = true;
    this.referenceOf(operation).leave(operation);
    this.checkCounts();
    try {
      this.#script(operation, operation.spec.onComplete);
    } catch (error) {
      if (isForced) frame.thrown = { error };
      else if (isExpired) this.#toReport.push({ error, operation });
      else this.#noteThrow(operation, frame, error);
      throw error;
    }
  }

  onExpiration(operation: HistoryOperation): void {
    this.verify('onExpiration without expiry', this.#expiring, operation);
    this.#expiring = undefined;
    try {
      this.#script(operation, operation.spec.onExpiration);
    } catch (error) {
      this.#toReport.push({ error, operation });
      throw error;
    }
  }

  checkCounts(): void {
    for (const [i, purgatory] of this.purgatories.entries()) {
      const { numDelayed, watched, watchedKeys } = this.references[i];
      this.verify('numDelayed', purgatory.numDelayed, numDelayed);
      this.verify('watched', purgatory.watched, watched);
      this.verify('watchedKeys', purgatory.watchedKeys, watchedKeys);
    }
    this.verify('the size of the timer', this.timer.size, this.#timerSize);
  }

  /** A task that runs is not in the timer; a try at the deadline is inside its run. */
  get #timerSize(): number {
    const running = this.#inTime.filter(({ guest, parking }) => guest.parking === parking);
    return this.timerReference.size - running.length;
  }

  checkReports(): void {
    this.verify('errors that were not reported', this.#toReport, []);
  }

  #checkTry(guest: HistoryGuest, frame: Frame | undefined): void {
    const reference = this.referenceOf(guest);
    if (frame?.kind === 'park' && frame.guest === guest) {
      frame.tries++;
      if (frame.tries === 1) return;
      this.verify('a third try', frame.tries, 2);
      this.verify(
        'parked although refused',
        reference.isClosed || reference.isFull || this.isTimerFull(guest),
        false,
      );
      reference.park(guest, frame.keys, this.clock.now(), this.timerReference.isInPass);
      this.checkCounts();
    } else if (frame?.kind === 'pass') {
      const next = nextOf(frame.queue);
      frame.queue.shift();
      this.verify('the next of the pass', guest.id, next?.id);
    } else if (frame?.kind === 'drain') {
      const keys = this.notified[guest.spec.purgatory % this.notified.length];
      this.verify(
        'tried without a notify',
        reference.holds(guest) && [...guest.keys].some((key) => keys.has(key)),
        true,
      );
    } else if (frame?.kind === 'timer') {
      // Behaviour 30: its deadline and its event meet, and the event came first.
      const keys = this.notified[guest.spec.purgatory % this.notified.length];
      this.verify(
        'tried in time',
        [...guest.keys].some((key) => keys.has(key)),
        true,
      );
      this.verify('the next that is due', guest.id, this.#nextDue(frame, guest)?.id);
    } else {
      this.wrong(`a try of ${guest.id} out of the blue`, frame?.kind, undefined);
    }
  }

  isTimerFull(guest: Guest): boolean {
    return guest.delayMs !== Number.POSITIVE_INFINITY && this.#timerSize >= this.history.maxPending;
  }

  #checkExpiry(operation: HistoryOperation, frame: Frame | undefined): void {
    if (frame?.kind !== 'timer') {
      this.wrong(`${operation.id} completed out of the blue`, frame?.kind, undefined);
      return;
    }
    frame.cause = undefined;
    this.verify('onExpiration did not follow', this.#expiring?.id, undefined);
    this.verify('the next to expire', operation.id, this.#nextExpiry(frame)?.id);
    this.#expiring = operation;
    frame.runs++;
  }

  /** The next operation to expire; the waiters before it have expired without a callback. */
  #nextExpiry(frame: { runs: number }): Entry | undefined {
    return this.#nextDue(frame, undefined);
  }

  /** As `#nextExpiry`, but `tried` itself may be a waiter. */
  #nextDue(frame: { runs: number }, tried: HistoryGuest | undefined): Entry | undefined {
    for (;;) {
      const entry = this.timerReference.next(this.clock.now());
      const guest = entry && this.guests[entry.id];
      if (guest === undefined || !guest.isWaiter || guest === tried) return entry;
      this.referenceOf(guest).leave(guest);
      guest.expect({ kind: 'expired' });
      frame.runs++;
    }
  }

  #noteThrow(guest: HistoryGuest, frame: Frame | undefined, error: unknown): void {
    const isWaiter = guest.isWaiter;
    if (isWaiter) {
      this.referenceOf(guest).leave(guest);
      (guest as HistoryWaiter).expect({ kind: 'rejected', value: error });
    }
    if (frame?.kind === 'park' && frame.tries === 1) frame.result = { error };
    else if (!isWaiter) this.#toReport.push({ error, operation: guest });
    else if (frame?.kind === 'pass') frame.slack++;
  }

  #hasCompleted(guest: HistoryGuest): boolean {
    return !guest.isWaiter && (guest as HistoryOperation).hasCompleted;
  }

  #script(guest: Guest, index: number): void {
    if (index === 0 || this.stack.length > MAX_DEPTH || this.#budget-- <= 0) return;
    this.within({ kind: 'script', guest }, () => this.runScript(index));
  }

  #onError(error: unknown, operation: HistoryOperation): void {
    const index = this.#toReport.findIndex(
      (report) => report.error === error && report.operation === operation,
    );
    if (index < 0) this.wrong('an error that nobody threw, or for another operation', error, undefined);
    else this.#toReport.splice(index, 1);
  }
}
