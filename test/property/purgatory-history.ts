// Plays a random history on a purgatory and on a Map of arrays in lock-step: operations, whose callbacks
// follow scripts, events in the call, and deadlines. The callbacks check whether what the engine does
// next is what it should do next. Waits and `notify` are played by the simulation.
//
// Only the scripts throw here. A fault that is found is kept in `#failure`, because the engine would
// take a throw for the user's.
import { isDeepStrictEqual } from 'node:util';
import { DelayedOperation, Purgatory, SystemTimer } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { type Action, BURST_KEY, type History, KEYS, type Spec, type Step } from './purgatory-arbitraries.ts';
import { type Guest, PurgatoryReference } from './purgatory-reference.ts';
import { TimerReference } from './timer-reference.ts';
import { WatchedClock } from './watched-clock.ts';

const MAX_DEPTH = 40;
/** Scripts that park many, and are followed by each of them, must come to an end. */
const MOST_OPERATIONS = 1_500;

/** What scripts throw. */
class ScriptedError extends Error {}

interface Thrown {
  readonly error: unknown;
}

/** What is under way: a park with its own two tries, a pass with its queue in order, and so on. */
type Frame =
  | { kind: 'park'; operation: Scripted; keys: readonly number[]; tries: number; result: boolean | Thrown }
  | { kind: 'pass'; key: number; queue: { guest: Guest; parking: number }[]; completed: number }
  | { kind: 'timer'; runs: number }
  | { kind: 'force'; operation: Scripted; thrown: Thrown | undefined }
  | { kind: 'script' };

class Scripted extends DelayedOperation implements Guest {
  readonly id: number;
  readonly spec: Spec;
  ready: boolean;
  parking = 0;
  keys: ReadonlySet<number> = new Set();
  hasCompleted = false;
  readonly #history: PurgatoryHistory;

  constructor(id: number, spec: Spec, history: PurgatoryHistory) {
    super(spec.delayMs);
    this.id = id;
    this.spec = spec;
    this.ready = spec.ready;
    this.#history = history;
  }

  override tryComplete(): boolean {
    return this.#history.onTry(this) && this.forceComplete();
  }

  override onComplete(): void {
    this.#history.onComplete(this);
  }

  override onExpiration(): void {
    this.#history.onExpiration(this);
  }
}

export class PurgatoryHistory {
  readonly #history: History;
  readonly #clock = new WatchedClock(0, (wake) => this.#timerPass(wake));
  readonly #timer: SystemTimer;
  readonly #timerReference: TimerReference;
  readonly #purgatory: Purgatory<number, Scripted>;
  readonly #reference: PurgatoryReference;
  readonly #operations: Scripted[] = [];
  readonly #stack: Frame[] = [];
  #failure: Error | undefined;
  /** Errors that onError has yet to get. */
  readonly #toReport: { error: unknown; operation: Scripted }[] = [];
  #completing: Scripted | undefined;
  #expiring: Scripted | undefined;
  #budget = 300;

  constructor(history: History) {
    this.#history = history;
    const { tickMs, wheelSize, reaper, maxPending, maxParked } = history;
    this.#timerReference = new TimerReference(tickMs);
    const failed = (error: unknown): void => this.#wrong('the timer got an error', error, undefined);
    const clock = this.#clock;
    this.#timer = new SystemTimer({ tickMs, wheelSize, reaper, maxPending, clock, onError: failed });
    const onError = (error: unknown, operation: Scripted): void => this.#onError(error, operation);
    this.#purgatory = new Purgatory('purgatory', { timer: this.#timer, maxParked, onError });
    this.#reference = new PurgatoryReference(this.#timerReference, maxParked);
  }

  play(): void {
    for (const step of [...this.#history.steps, { kind: 'close' } as const]) {
      this.#step(step);
      this.#check();
      if (this.#failure !== undefined) throw this.#failure;
    }
  }

  onTry(operation: Scripted): boolean {
    const frame = this.#stack.at(-1);
    this.#checkTry(operation, frame);
    const { hasCompleted } = operation;
    try {
      this.#script(operation.spec.onTry);
    } catch (error) {
      if (frame?.kind === 'pass' && operation.hasCompleted !== hasCompleted) frame.completed++;
      this.#noteThrow(operation, frame, error);
      throw error;
    }
    const completes = operation.ready && !operation.hasCompleted;
    if (frame?.kind === 'park') frame.result = completes;
    if (frame?.kind === 'pass' && (completes || operation.hasCompleted !== hasCompleted)) frame.completed++;
    if (completes) this.#completing = operation;
    return operation.ready;
  }

  onComplete(operation: Scripted): void {
    const frame = this.#stack.at(-1);
    this.#verify('onComplete ran twice', operation.hasCompleted, false);
    const isTried = this.#completing === operation;
    const isForced = !isTried && frame?.kind === 'force' && frame.operation === operation;
    const isExpired = !isTried && !isForced;
    this.#completing = undefined;
    if (isExpired) this.#checkExpiry(operation, frame);
    operation.hasCompleted = true;
    this.#reference.leave(operation);
    this.#checkCounts();
    try {
      this.#script(operation.spec.onComplete);
    } catch (error) {
      if (isForced) frame.thrown = { error };
      else if (isExpired) this.#toReport.push({ error, operation });
      else this.#noteThrow(operation, frame, error);
      throw error;
    }
  }

  onExpiration(operation: Scripted): void {
    this.#verify('onExpiration without expiry', this.#expiring?.id, operation.id);
    this.#expiring = undefined;
    try {
      this.#script(operation.spec.onExpiration);
    } catch (error) {
      this.#toReport.push({ error, operation });
      throw error;
    }
  }

  #step(step: Step): void {
    if (step.kind === 'advance') this.#clock.advance(step.ms);
    else this.#act(step);
  }

  #act(action: Action): void {
    switch (action.kind) {
      case 'park':
        this.#parkNew(action.spec);
        break;
      case 'parkAgain':
        this.#onOperation(action.target, (operation) => this.#park(operation, action.keys));
        break;
      case 'parkMany':
        // Each watches a key of its own as well. Every third watches only that key: it is the key's
        // lone watcher until the next burst.
        for (let n = 0; n < action.count && this.#operations.length < MOST_OPERATIONS; n++) {
          const { spec } = action;
          const others = n % 3 === 1 ? [] : spec.keys;
          this.#parkNew(n % 10 === 0 ? spec : { ...spec, keys: [...others, BURST_KEY + n], onTry: 0 });
        }
        break;
      case 'leaveMany':
        for (let n = 0; n < action.count; n++)
          this.#onOperation(action.target + n, (operation) => this.#cancel(operation));
        break;
      case 'cancel':
        this.#onOperation(action.target, (operation) => this.#cancel(operation));
        break;
      case 'force':
        this.#onOperation(action.target, (operation) => this.#force(operation));
        break;
      case 'makeReady':
        this.#onOperation(action.target, (operation) => {
          operation.ready = true;
        });
        break;
      case 'check':
        this.#checkAndComplete(action.key);
        break;
      case 'cancelForKey': {
        const left = this.#leave(this.#reference.watchersOf(action.key));
        this.#verify('cancelForKey', idsOf(this.#purgatory.cancelForKey(action.key)), left);
        break;
      }
      case 'close': {
        const left = this.#leave([...this.#reference.parked]);
        this.#reference.isClosed = true;
        this.#verify('close', idsOf(this.#purgatory.close()), left);
        break;
      }
      case 'advanceClock':
        this.#advanceClock();
        break;
      case 'throw':
        if (this.#stack.length > 0) throw new ScriptedError();
    }
  }

  #onOperation(target: number, go: (operation: Scripted) => void): void {
    const { length } = this.#operations;
    if (length > 0) go(this.#operations[target % length]);
  }

  #parkNew(spec: Spec): void {
    const operation = new Scripted(this.#operations.length, spec, this);
    this.#operations.push(operation);
    this.#park(operation, spec.keys);
  }

  #park(operation: Scripted, keys: readonly number[]): void {
    // An operation that parked itself again inside its own tries would do so without end.
    if (this.#stack.some((frame) => frame.kind === 'park' && frame.operation === operation)) return;
    const reference = this.#reference;
    const refusal = reference.isClosed
      ? { error: 'ERR_PURGATORY_CLOSED' }
      : reference.holds(operation)
        ? { error: 'ERR_PURGATORY_ALREADY_WATCHED' }
        : operation.hasCompleted
          ? false
          : undefined;
    let result: boolean | Thrown = false;
    const frame: Extract<Frame, { kind: 'park' }> = { kind: 'park', operation, keys, tries: 0, result };
    this.#within(frame, () => {
      try {
        result = this.#purgatory.tryCompleteElseWatch(operation, keys);
      } catch (error) {
        result = { error: error instanceof ScriptedError ? error : (error as { code?: unknown }).code };
      }
    });
    if (refusal !== undefined) this.#verify('tried although refused', frame.tries, 0);
    // What its second try has completed in another way counts, as for an event.
    let expected = refusal ?? (frame.tries === 2 ? operation.hasCompleted : frame.result);
    if (frame.tries === 1 && expected === false && !operation.hasCompleted) {
      if (reference.isClosed) expected = { error: 'ERR_PURGATORY_CLOSED' };
      else if (this.#isFullFor(operation)) expected = { error: 'ERR_PURGATORY_FULL' };
      else this.#parkInReference(operation, keys);
    }
    this.#verify('tryCompleteElseWatch', result, expected);
  }

  #parkInReference(operation: Scripted, keys: readonly number[]): void {
    this.#reference.park(operation, keys, this.#clock.now(), this.#timerReference.isInPass);
  }

  #isFullFor({ delayMs }: Scripted): boolean {
    const { isFull } = this.#reference;
    return isFull || (delayMs < Infinity && this.#timerReference.size >= this.#history.maxPending);
  }

  #cancel(operation: Scripted): void {
    this.#verify('cancel', operation.cancel(), this.#reference.leave(operation));
  }

  #force(operation: Scripted): void {
    const expected = !operation.hasCompleted;
    const frame: Extract<Frame, { kind: 'force' }> = { kind: 'force', operation, thrown: undefined };
    let thrown: Thrown | undefined;
    this.#within(frame, () => {
      try {
        this.#verify('forceComplete', operation.forceComplete(), expected);
      } catch (error) {
        thrown = { error };
      }
    });
    this.#verify('a throw out of forceComplete', thrown, frame.thrown);
    if (frame.thrown !== undefined && this.#stack.length > 0) throw frame.thrown.error;
  }

  #checkAndComplete(key: number): void {
    // An event inside of one on its key comes later: return-values.test.ts.
    if (this.#stack.some((frame) => frame.kind === 'pass' && frame.key === key)) return;
    const queue = this.#reference.watchersOf(key).map((guest) => ({ guest, parking: guest.parking }));
    const frame = { kind: 'pass' as const, key, queue, completed: 0 };
    const count = this.#within(frame, () => this.#purgatory.checkAndComplete(key));
    this.#verify('one that the pass did not try', nextOf(queue)?.id, undefined);
    this.#verify('the count of checkAndComplete', count, frame.completed);
  }

  #leave(guests: readonly Guest[]): number[] {
    for (const guest of guests) this.#reference.leave(guest);
    return idsOf(guests);
  }

  #advanceClock(): void {
    let count = 0;
    const go = (): void => {
      count = this.#timer.advanceClock();
    };
    const isInside = this.#timerReference.isInPass;
    const expected = isInside ? 0 : this.#timerPass(go);
    if (isInside) go();
    this.#verify('the count of advanceClock', count, expected);
  }

  #timerPass(go: () => void): number {
    this.#timerReference.beginPass();
    const frame = { kind: 'timer' as const, runs: 0 };
    this.#within(frame, go);
    this.#verify('an operation was due and did not expire', this.#nextDue, undefined);
    this.#verify('onExpiration did not follow', this.#expiring?.id, undefined);
    this.#timerReference.endPass();
    return frame.runs;
  }

  get #nextDue(): number | undefined {
    return this.#timerReference.next(this.#clock.now())?.id;
  }

  #checkTry(operation: Scripted, frame: Frame | undefined): void {
    if (frame?.kind === 'park' && frame.operation === operation) {
      frame.tries++;
      if (frame.tries === 1) {
        this.#checkCounts();
        return;
      }
      this.#verify('a third try', frame.tries, 2);
      const isRefused = this.#reference.isClosed || this.#isFullFor(operation);
      this.#verify('parked although refused', isRefused, false);
      this.#parkInReference(operation, frame.keys);
      this.#checkCounts();
    } else if (frame?.kind === 'pass') {
      const next = nextOf(frame.queue);
      frame.queue.shift();
      this.#verify('the next of the pass', operation.id, next?.id);
    } else {
      this.#wrong(`a try of ${operation.id} out of the blue`, frame?.kind, undefined);
    }
  }

  #checkExpiry(operation: Scripted, frame: Frame | undefined): void {
    if (frame?.kind !== 'timer') {
      this.#wrong(`${operation.id} completed out of the blue`, frame?.kind, undefined);
      return;
    }
    this.#verify('onExpiration did not follow', this.#expiring?.id, undefined);
    this.#verify('the next to expire', operation.id, this.#nextDue);
    this.#expiring = operation;
    frame.runs++;
  }

  #noteThrow(operation: Scripted, frame: Frame | undefined, error: unknown): void {
    if (frame?.kind === 'park' && frame.tries === 1) frame.result = { error };
    else this.#toReport.push({ error, operation });
  }

  #script(index: number): void {
    const { scripts } = this.#history;
    if (index === 0 || this.#stack.length > MAX_DEPTH || this.#budget-- <= 0) return;
    this.#within({ kind: 'script' }, () => {
      for (const action of scripts[(index - 1) % scripts.length]) this.#act(action);
    });
  }

  #onError(error: unknown, operation: Scripted): void {
    const reports = this.#toReport;
    const index = reports.findIndex((report) => report.error === error && report.operation === operation);
    if (index < 0) this.#wrong('an error that nobody threw, or for another operation', error, undefined);
    else reports.splice(index, 1);
  }

  #within<T>(frame: Frame, go: () => T): T {
    this.#stack.push(frame);
    try {
      return go();
    } finally {
      this.#stack.pop();
    }
  }

  #check(): void {
    const purgatory = this.#purgatory;
    const reference = this.#reference;
    this.#checkCounts();
    this.#verify('errors that were not reported', this.#toReport, []);
    checkTimerInvariants(this.#timer);
    checkAndCompact(purgatory);
    for (const key of [...Array(KEYS).keys(), BURST_KEY])
      this.#verify(`the watchers of ${key}`, purgatory.watchersOf(key), reference.watchersOf(key).length);
    for (const operation of this.#operations) {
      this.#verify('isPending', operation.isPending, reference.holds(operation));
      this.#verify('isCompleted', operation.isCompleted, operation.hasCompleted);
    }
  }

  #checkCounts(): void {
    for (const count of ['numDelayed', 'watched', 'watchedKeys'] as const)
      this.#verify(count, this.#purgatory[count], this.#reference[count]);
    this.#verify('the size of the timer', this.#timer.size, this.#timerReference.size);
  }

  #verify(what: string, actual: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(actual, expected)) this.#wrong(what, actual, expected);
  }

  #wrong(what: string, actual: unknown, expected: unknown): void {
    this.#failure ??= Object.assign(new Error(what), { actual, expected });
  }
}

/** The first of a pass's queue that still stands where it stood when the pass began. */
function nextOf(queue: { guest: Guest; parking: number }[]): Guest | undefined {
  while (queue.length > 0 && queue[0].guest.parking !== queue[0].parking) queue.shift();
  return queue[0]?.guest;
}

function idsOf(guests: readonly Guest[]): number[] {
  return guests.map(({ id }) => id);
}
