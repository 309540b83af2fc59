// A long random walk on a Purgatory and its naive twin in lock-step: arrays of watchers by key, and
// the sorted list of deadlines. It is like the histories of test/property, and goes hundreds of
// times as far. Each try checks what a pass tries next, and what expires next. Each step checks the
// counts. Some steps check the invariants.
import { setImmediate as turn } from 'node:timers/promises';
import { DelayedOperation, Purgatory, SystemTimer } from '../../../../src/index.ts';
import { checkPurgatoryInvariants } from '../../../../src/purgatory/purgatory.ts';
import { checkTimerInvariants } from '../../../../src/timer/timer.ts';
import { type Counts, count, holds, type Load } from '../load.ts';
import { Random } from '../random.ts';
import { Order } from './order.ts';
import { WalkClock } from './walk-clock.ts';

const STEPS = 200_000;
const CHECK_EVERY = 4_096;
/** How deep callbacks may act inside callbacks. */
const MAX_DEPTH = 4;
const NEVER = Number.POSITIVE_INFINITY;

class Scripted extends Error {}

class WalkOperation extends DelayedOperation {
  readonly id: number;
  readonly #walk: PurgatoryWalk;
  ready = false;
  completions = 0;

  constructor(walk: PurgatoryWalk, id: number, delayMs: number) {
    super(delayMs);
    this.#walk = walk;
    this.id = id;
  }

  override tryComplete(key?: unknown): boolean {
    return this.#walk.within(key, () => {
      this.#walk.onTry(this);
      return this.ready && this.forceComplete();
    });
  }

  override onComplete(): void {
    this.completions++;
    this.#walk.onComplete(this);
  }

  override onExpiration(): void {
    this.#walk.onExpiration(this);
  }
}

/** A place of the pool: an operation, and the twin's view of it. */
interface Place {
  op: WalkOperation;
  keys: readonly number[];
  /** The number of this parking. 0 while it is not parked. */
  parking: number;
}

/** What may be tried or completed now, the innermost last. */
type Frame =
  | {
      readonly kind: 'pass';
      readonly queue: readonly Place[];
      readonly parkings: readonly number[];
      at: number;
      completed: number;
    }
  | { readonly kind: 'park'; readonly op: WalkOperation; tries: number }
  | { readonly kind: 'force'; readonly op: WalkOperation }
  | { readonly kind: 'timer' }
  | { readonly kind: 'flush' };

class PurgatoryWalk {
  readonly #random: Random;
  readonly #counts: Counts;
  readonly #clock: WalkClock;
  readonly #timer: SystemTimer;
  readonly #purgatory: Purgatory<number, WalkOperation>;
  readonly #order: Order;
  readonly #places: Place[] = [];
  readonly #watchers: Place[][];
  readonly #longestMs: number;
  readonly #frames: Frame[] = [];
  /** The keys of the events whose tries are under way, from the outermost in. */
  readonly #underWay: unknown[] = [];
  readonly #notified = new Set<number>();
  /** Its deadline met its event, and it is about to complete for that. */
  #inTime: WalkOperation | undefined;
  readonly #threwWhenTried = new Set<WalkOperation>();
  #parking = 0;
  #numDelayed = 0;
  #watched = 0;
  #steps = 0;
  #depth = 0;
  #thrown = 0;
  #toReport = 0;
  #expiring: WalkOperation | undefined;
  #failure: Error | undefined;

  constructor(seed: number, counts: Counts) {
    const random = new Random(seed);
    this.#random = random;
    this.#counts = counts;
    const tickMs = random.pick([1, 1, 5, 20]);
    const pool = random.pick([3, 20, 20, 100, 400]);
    const keys = random.pick([1, 4, 4, 16, 100]);
    this.#longestMs = random.pick([50, 1_000, 1e6]);
    this.#clock = new WalkClock(0);
    this.#timer = new SystemTimer({
      tickMs,
      wheelSize: random.pick([2, 8, 512]),
      clock: {
        now: () => this.#clock.now(),
        wakeAt: (at, wake) => this.#clock.wakeAt(at, () => this.#pass(wake)),
      },
      sliceMs: NEVER,
      onError: (error) => this.#wrong(`the timer got ${error}`),
    });
    this.#purgatory = new Purgatory('walk', {
      timer: this.#timer,
      sliceMs: NEVER,
      onError: (error) => {
        if (error instanceof Scripted) this.#toReport--;
        else this.#wrong(`onError got ${error}`);
      },
    });
    this.#order = new Order(tickMs, pool);
    this.#watchers = Array.from({ length: keys }, () => []);
    for (let id = 0; id < pool; id++) this.#places.push({ op: this.#newOperation(id), keys: [], parking: 0 });
  }

  async walk(): Promise<void> {
    while (this.#steps < STEPS) {
      this.#step();
      if (this.#notified.size > 0 && this.#random.below(4) === 0) await this.#flush();
      if (this.#failure !== undefined) throw this.#failure;
      this.#checkCounts();
      if (this.#steps % CHECK_EVERY < 8) this.#checkInvariants();
    }
    const parked = this.#purgatory.close();
    holds(parked.length === this.#numDelayed, () => `close returned ${parked.length} of ${this.#numDelayed}`);
    this.#timer.close();
    await turn();
    count(this.#counts, 'modelSteps', this.#steps);
    count(this.#counts, 'throws', this.#thrown);
  }

  #newOperation(id: number): WalkOperation {
    const random = this.#random;
    const delay = random.below(10);
    const delayMs = delay === 0 ? 0 : delay < 4 ? NEVER : 1 + random.below(delay < 8 ? 60 : this.#longestMs);
    return new WalkOperation(this, id, delayMs);
  }

  #wrong(what: string): void {
    this.#failure ??= new Error(what);
  }

  #verify(what: string, actual: unknown, expected: unknown): void {
    if (actual !== expected) this.#wrong(`${what}: ${actual}, not ${expected}`);
  }

  #step(): void {
    const random = this.#random;
    const kind = random.below(100);
    if (kind < 80) {
      this.#act();
    } else if (kind < 97) {
      this.#steps++;
      this.#clock.advanceTo(
        this.#clock.now() + (kind < 95 ? random.below(20) / 4 : random.below(this.#longestMs)),
      );
    } else {
      this.#steps++;
      const key = this.#key();
      this.#willServe(key);
      this.#purgatory.notify(key);
    }
  }

  #key(): number {
    return this.#random.below(this.#watchers.length);
  }

  #act(): void {
    this.#steps++;
    const random = this.#random;
    const kind = random.below(100);
    const place = random.pick(this.#places);
    if (kind < 45) this.#park(place);
    else if (kind < 65) place.op.ready = true;
    else if (kind < 88) this.#checkKey(this.#key());
    else if (kind < 93) this.#cancel(place);
    else if (kind < 98) this.#force(place);
    else if (kind < 99) this.#cancelForKey(this.#key());
    else this.#verify('watchersOf', this.#purgatory.watchersOf(0), this.#watchers[0].length);
  }

  #park(place: Place): void {
    if (place.parking > 0) return;
    if (place.op.isCompleted) place.op = this.#newOperation(place.op.id);
    const { op } = place;
    const random = this.#random;
    place.keys = Array.from({ length: 1 + random.below(4) }, () => this.#key());
    const wasReady = op.ready;
    const frame: Frame = { kind: 'park', op, tries: 0 };
    this.#frames.push(frame);
    let completed: boolean | undefined;
    const toReport = this.#toReport;
    try {
      completed = this.#purgatory.tryCompleteElseWatch(op, place.keys);
    } catch (error) {
      if (!(error instanceof Scripted)) throw error;
      this.#toReport = toReport; // it came to us
      if (place.op === op && place.parking > 0) this.#leave(place);
    } finally {
      this.#frames.pop();
    }
    if (completed !== undefined) this.#verify('the result of a parking', completed, wasReady);
  }

  /** An event on `key` is to come at the end of the turn, unless nobody waits for it. */
  #willServe(key: number): void {
    if (this.#watchers[key].length > 0) this.#notified.add(key);
  }

  /** A try for an event on `key`; undefined where no event causes it. */
  within<T>(key: unknown, attempt: () => T): T {
    this.#underWay.push(key);
    try {
      return attempt();
    } finally {
      this.#underWay.pop();
    }
  }

  #checkKey(key: number): void {
    if (this.#underWay.includes(key)) {
      this.#willServe(key);
      this.#verify('an event inside of one on its key', this.#purgatory.checkAndComplete(key), 0);
      return;
    }
    const queue = [...this.#watchers[key]];
    const frame: Frame = {
      kind: 'pass',
      queue,
      parkings: queue.map(({ parking }) => parking),
      at: 0,
      completed: 0,
    };
    this.#frames.push(frame);
    const completed = this.#purgatory.checkAndComplete(key);
    this.#frames.pop();
    this.#verify('one that the pass did not try', this.#nextOf(frame)?.op.id, undefined);
    this.#verify('the count of checkAndComplete', completed, frame.completed);
  }

  #nextOf(frame: Frame & { kind: 'pass' }): Place | undefined {
    while (frame.at < frame.queue.length && frame.queue[frame.at].parking !== frame.parkings[frame.at])
      frame.at++;
    return frame.queue[frame.at];
  }

  #cancel(place: Place): void {
    const was = place.parking > 0;
    if (was) this.#leave(place);
    this.#verify('cancel', place.op.cancel(), was);
  }

  #force(place: Place): void {
    const { op } = place;
    const was = op.isCompleted;
    this.#frames.push({ kind: 'force', op });
    const toReport = this.#toReport;
    try {
      this.#verify('forceComplete', op.forceComplete(), !was);
    } catch (error) {
      if (!(error instanceof Scripted)) throw error;
      this.#toReport = toReport;
    } finally {
      this.#frames.pop();
    }
  }

  #cancelForKey(key: number): void {
    const expected = [...this.#watchers[key]];
    for (const place of expected) this.#leave(place);
    const ops = this.#purgatory.cancelForKey(key);
    this.#verify(
      'the operations of cancelForKey',
      ops.map(({ id }) => id).join(),
      expected.map(({ op }) => op.id).join(),
    );
  }

  async #flush(): Promise<void> {
    const due = [...this.#notified].flatMap((key) => this.#watchers[key]).filter(({ op }) => op.ready);
    const parkings = due.map(({ parking }) => parking);
    this.#threwWhenTried.clear();
    this.#frames.push({ kind: 'flush' });
    await turn();
    this.#frames.pop();
    this.#notified.clear();
    for (const [index, { op, parking }] of due.entries()) {
      const isLeft = parking === parkings[index] && !this.#threwWhenTried.has(op);
      if (isLeft) this.#wrong(`${op.id} was not completed by a notify`);
    }
  }

  #leave(place: Place): void {
    for (const key of new Set(place.keys)) {
      const watchers = this.#watchers[key];
      watchers.splice(watchers.indexOf(place), 1);
      this.#watched--;
    }
    place.parking = 0;
    this.#numDelayed--;
    this.#order.remove(place.op.id);
  }

  #pass(wake: () => void): void {
    this.#order.beginPass();
    this.#frames.push({ kind: 'timer' });
    wake();
    this.#frames.pop();
    const missed = this.#order.next(this.#clock.now());
    this.#order.endPass();
    if (missed >= 0) this.#wrong(`${missed} was due and did not expire`);
    this.#verify('onExpiration did not follow', this.#expiring, undefined);
  }

  onTry(op: WalkOperation): void {
    const place = this.#places[op.id];
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'park' && frame.op === op) {
      if (++frame.tries === 2) {
        place.parking = ++this.#parking;
        this.#numDelayed++;
        for (const key of new Set(place.keys)) {
          this.#watchers[key].push(place);
          this.#watched++;
        }
        if (op.delayMs !== NEVER) this.#order.add(op.id, this.#clock.now(), op.delayMs);
        this.#checkCounts();
      }
    } else if (frame?.kind === 'pass') {
      this.#verify('the next of the pass', op.id, this.#nextOf(frame)?.op.id);
      frame.at++;
    } else if (frame?.kind === 'flush') {
      this.#verify(
        'tried by a notify',
        place.keys.some((key) => this.#notified.has(key)) && place.parking > 0,
        true,
      );
    } else if (frame?.kind === 'timer') {
      const isNotified = place.keys.some((key) => this.#notified.has(key));
      this.#verify('tried at its deadline for an event that was there first', isNotified, true);
      this.#verify('the next that is due', op.id, this.#order.next(this.#clock.now()));
    } else {
      this.#wrong(`${op.id} was tried out of the blue`);
    }
    this.#mayThrow(256, op);
    if (op.ready && frame?.kind === 'timer') this.#inTime = op;
    if (op.ready && frame?.kind === 'pass') frame.completed++;
  }

  onComplete(op: WalkOperation): void {
    const place = this.#places[op.id];
    this.#verify('onComplete ran once', op.completions, 1);
    const frame = this.#frames.at(-1);
    const isInTime = this.#inTime === op;
    this.#inTime = undefined;
    if (frame?.kind === 'timer' && !isInTime) {
      this.#verify('the next to expire', op.id, this.#order.next(this.#clock.now()));
      this.#verify('onExpiration followed', this.#expiring, undefined);
      this.#expiring = op;
    }
    if (place.op === op && place.parking > 0) this.#leave(place);
    this.#checkCounts();
    this.#script();
  }

  onExpiration(op: WalkOperation): void {
    this.#verify('the one that expires', op, this.#expiring);
    this.#expiring = undefined;
    this.#script();
  }

  /** What a callback does: some actions, and sometimes a throw. */
  #script(): void {
    if (this.#depth >= MAX_DEPTH) return;
    this.#depth++;
    const expiring = this.#expiring;
    this.#expiring = undefined;
    for (let acts = this.#random.below(3); acts > 0; acts--) this.#act();
    this.#expiring = expiring;
    this.#depth--;
    this.#mayThrow(32);
  }

  #mayThrow(oneIn: number, tried?: WalkOperation): void {
    if (this.#random.below(oneIn) > 0) return;
    if (tried !== undefined) this.#threwWhenTried.add(tried);
    this.#thrown++;
    this.#toReport++;
    throw new Scripted();
  }

  #checkCounts(): void {
    this.#verify('numDelayed', this.#purgatory.numDelayed, this.#numDelayed);
    this.#verify('watched', this.#purgatory.watched, this.#watched);
    this.#verify('the size of the timer', this.#timer.size, this.#order.size);
    if (this.#frames.length === 0) this.#verify('throws that were not reported', this.#toReport, 0);
  }

  #checkInvariants(): void {
    checkPurgatoryInvariants(this.#purgatory);
    checkTimerInvariants(this.#timer);
    this.#verify(
      'watchedKeys',
      this.#purgatory.watchedKeys,
      this.#watchers.filter((list) => list.length > 0).length,
    );
    for (const [key, watchers] of this.#watchers.entries()) {
      this.#verify(`the watchers of ${key}`, this.#purgatory.watchersOf(key), watchers.length);
    }
  }
}

export const load: Load = {
  run: (seed, counts) => new PurgatoryWalk(seed, counts).walk(),
};
