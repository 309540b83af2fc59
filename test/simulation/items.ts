// Items of queues, and what must be true of them: none is lost or given twice, the first that waits
// gets the first that is kept, nobody waits for one that is kept, and leases and items end in time.
import type { Lease, Taken, TakenMany } from '../../src/waits/queues/index.ts';
import type { Random } from '../support/random.ts';
import { type Abortable, CROWD, idleLines, LocalModel, TIMEOUTS_MS } from './local.ts';
import { codeOf, ROUNDING_MS } from './model.ts';

export const MOST_ITEMS = 10;
const KEYS = ['q0', 'q1'] as const;
const NEVER = Number.POSITIVE_INFINITY;

interface Item {
  readonly number: number;
  readonly key: string;
  /** Its place among the items of its key. NaN: it gets one when it comes. */
  readonly place: number;
  readonly deadlineMs: number;
  isUnwanted: boolean;
  /** Out: on lease, or back already by the end of that. */
  state: 'kept' | 'later' | 'out' | 'taken' | 'gone';
  /** At which check it was not yet kept. */
  sinceTurn: number;
  deliveries: number;
  /** When it comes, or its lease ends. */
  untilMs: number;
  lease: Lease<number> | undefined;
}

type LeaseEnd = 'ack' | 'nack' | 'later' | 'extend';

interface Request {
  readonly number: number;
  readonly keys: readonly string[];
  readonly deadlineMs: number;
}

export class Items extends LocalModel {
  readonly #items = new Map<number, Item>();
  readonly #waiting = new Set<Request>();
  /** What was given since the last check, and to whom. */
  #given: { readonly item: Item; readonly number: number }[] = [];
  /** What came back behind its deadline since the last check. */
  #over: Item[] = [];
  #made = 0;
  #requests = 0;

  act(random: Random): void {
    this.#act(random.pick(KEYS), random);
    for (let more = random.pick([0, 1, 5]); more > 0; more--)
      this.later(random.range(0, 5), () => {
        if (!this.process.queues.isClosed) this.#act(random.pick(KEYS), random);
      });
  }

  #act(key: string, random: Random): void {
    const { queues } = this.process;
    this.isTouched = true;
    const kind = random.next();
    if (kind < 0.4) this.#put(key, random);
    else if (kind < 0.6) this.#take(this.#keys(key, random), random);
    else if (kind < 0.85) this.#lease(this.#keys(key, random), random);
    else if (kind < 0.89) this.#tryTake(key, random);
    else if (kind < 0.93) this.#putFirst(key, random);
    else if (kind < 0.95) this.#clear(key);
    else if (kind < 0.97) this.#remove(random);
    else if (kind < 0.99) this.whenIdle(queues);
    else {
      // More than a batch wait, and there is enough for all of them.
      for (let left = CROWD; left > 0; left--) this.#take([key], random);
      this.#putAll(key, queues.watchersOf(key));
    }
  }

  #keys(key: string, random: Random): string[] {
    return random.chance(0.8) ? [key] : [key, ...KEYS];
  }

  #make(
    key: string,
    afterMs = 0,
    timeoutMs = NEVER,
    place = afterMs > 0 ? Number.NaN : this.#made + 1,
  ): Item {
    const number = ++this.#made;
    const item: Item = {
      number,
      key,
      place,
      deadlineMs: this.nowMs + timeoutMs,
      isUnwanted: false,
      state: afterMs > 0 ? 'later' : 'kept',
      sinceTurn: this.turn,
      deliveries: 0,
      untilMs: this.nowMs + afterMs,
      lease: undefined,
    };
    this.#items.set(number, item);
    return item;
  }

  #put(key: string, random: Random): void {
    const { queues } = this.process;
    const hasTerms = random.chance(0.4);
    const afterMs = hasTerms ? random.pick([0, 0, 5, 100]) : 0;
    const timeoutMs = hasTerms ? random.pick([5, 50, 500, NEVER]) : NEVER;
    const leavesMs = random.range(0, 400);
    const item = this.#make(key, afterMs, timeoutMs);
    const caller = new AbortController();
    const onExpired = (number: number): void => this.#expired(number);
    const isFull =
      this.process.host.isIdle && this.#stored > MOST_ITEMS && (afterMs > 0 || queues.watchersOf(key) === 0);
    const code = this.#refusal(() => {
      if (hasTerms) queues.put(key, item.number, { afterMs, timeoutMs, onExpired, signal: caller.signal });
      else queues.put(key, item.number);
    });
    if (code !== undefined) this.#items.delete(item.number);
    if (isFull && code === undefined) this.violate('there are more items than there may be');
    if (code !== undefined || !hasTerms || random.chance(0.6)) return;
    this.later(leavesMs, () => {
      item.isUnwanted = true;
      if (item.state === 'kept' || item.state === 'later') item.state = 'gone';
      caller.abort();
    });
  }

  #putAll(key: string, many: number): void {
    const items = Array.from({ length: many }, () => this.#make(key).number);
    const code = this.#refusal(() => this.process.queues.putAll(key, items));
    if (code !== undefined) for (const number of items) this.#items.delete(number);
  }

  #putFirst(key: string, random: Random): void {
    const afterMs = random.pick([0, 0, 20]);
    const item = this.#make(key, afterMs, NEVER, -(this.#made + 1));
    this.#givenBack([item], () => this.process.queues.putBack(key, item.number, { afterMs }));
  }

  #refusal(put: () => unknown): string | undefined {
    try {
      put();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ERR_PURGATORY_FULL' || code === 'ERR_PURGATORY_CLOSED') return code;
      this.violate('an item was refused', { error });
      return code;
    }
    return undefined;
  }

  #take(keys: readonly string[], random: Random): void {
    const { queues } = this.process;
    const timeoutMs = random.pick(TIMEOUTS_MS);
    const abort = this.abort(random);
    const options = { timeoutMs, signal: abort.signal };
    const max = random.pick([0, 0, 1, 3]);
    const comesBack = random.chance(0.4);
    const holdsMs = random.range(0, 40);
    const afterMs = random.pick([0, 0, 10]);
    const took = (taken: Taken<number, string> | TakenMany<number, string>, number: number): void => {
      const items = 'values' in taken ? taken.values : [taken.value];
      for (const each of items) {
        const item = this.#took(each, taken.key, number);
        if (item !== undefined && !comesBack) item.state = 'gone';
      }
      if (comesBack) this.later(holdsMs, () => this.#putBack(taken, items, afterMs));
    };
    const begin = () => (max === 0 ? queues.take(keys, options) : queues.takeMany(keys, { ...options, max }));
    this.#wait(keys, abort, this.nowMs + timeoutMs, begin, took);
  }

  #tryTake(key: string, random: Random): void {
    const { queues } = this.process;
    const isThere = queues.sizeOf(key) > 0 && queues.watchersOf(key) === 0;
    const taken = queues.tryTake([key]);
    if ((taken !== undefined) !== isThere) this.violate('a try got an item, or none, wrongly', { key });
    if (taken === undefined) return;
    const item = this.#took(taken.value, key, ++this.#requests);
    if (random.chance(0.5)) this.later(random.range(0, 40), () => this.#putBack(taken, [taken.value], 0));
    else if (item !== undefined) item.state = 'gone';
  }

  #putBack(taken: Taken<number, string> | TakenMany<number, string>, items: number[], afterMs: number): void {
    const { queues } = this.process;
    const all = items.map((number) => this.#items.get(number) as Item);
    for (const item of all) this.#comesBack(item, afterMs);
    this.#givenBack(all, () => queues.putBack(taken, { afterMs }));
    try {
      queues.putBack(taken);
      this.violate('what was taken was put back twice');
    } catch (error) {
      if (codeOf(error) !== 'ERR_INVALID_ARG_VALUE') throw error;
    }
  }

  /** An item that comes back unless its work is done in time. */
  #lease(keys: readonly string[], random: Random): void {
    const { queues } = this.process;
    const timeoutMs = random.pick(TIMEOUTS_MS);
    const leaseMs = random.pick([5, 50, 500]);
    const abort = this.abort(random);
    const worksMs = random.range(0, leaseMs * 1.5);
    const end = random.pick<LeaseEnd | 'none'>(['ack', 'ack', 'nack', 'later', 'extend', 'none']);
    const begin = () => queues.lease(keys, { timeoutMs, leaseMs, signal: abort.signal });
    this.#wait(keys, abort, this.nowMs + timeoutMs, begin, (lease: Lease<number>, number) => {
      const item = this.#took(lease.value, lease.key, number, lease.deliveries);
      if (item === undefined) return;
      Object.assign(item, { state: 'out', lease, untilMs: this.nowMs + leaseMs });
      const { signal } = abort;
      if (signal?.aborted) this.#comesBack(item, 0);
      signal?.addEventListener('abort', () => {
        if (item.lease === lease) this.#comesBack(item, 0);
      });
      if (end !== 'none') this.later(worksMs, () => this.#endLease(item, lease, end, leaseMs));
    });
  }

  #endLease(item: Item, lease: Lease<number>, end: LeaseEnd, leaseMs: number): void {
    const isMine = item.lease === lease;
    const isKept = item.state !== 'out' || this.#isLapsed(item) || this.process.queues.isClosed;
    const isOut = isMine && !isKept;
    const isOver = !isMine || this.isLongOver(item.untilMs);
    const afterMs = end === 'later' ? 30 : 0;
    const was =
      end === 'ack' ? lease.ack() : end === 'extend' ? lease.extend(leaseMs) : lease.nack({ afterMs });
    if (was ? isOver : isOut) this.violate('a lease is over, or not, wrongly', { ...item, lease: end, was });
    if (!was) return;
    if (end === 'ack') Object.assign(item, { state: 'gone', lease: undefined });
    else if (end === 'extend') item.untilMs = this.nowMs + leaseMs;
    else this.#comesBack(item, afterMs);
  }

  /** What `giveBack` gives back comes at once where its timer is full. */
  #givenBack<R>(items: readonly Item[], giveBack: () => R): R {
    const refusals = (): number => this.process.queues.snapshot({ top: 0 }).refused.ERR_PURGATORY_FULL;
    const before = refusals();
    const result = giveBack();
    if (refusals() > before) for (const item of items) item.untilMs = this.nowMs;
    return result;
  }

  /** Its lease has ended by its time, as far as one can tell. */
  #isLapsed({ state, untilMs }: Item): boolean {
    // Where tries take time, its promise may settle later than it began.
    const slackMs = this.world.plan.config.tryMs > 0 ? 500 : ROUNDING_MS;
    return state === 'out' && untilMs <= this.nowMs + slackMs;
  }

  /** Nobody says when an item goes that has no caller any more, and comes back. */
  #mayBeGone(item: Item): boolean {
    return item.isUnwanted && this.#isLapsed(item);
  }

  #comesBack(item: Item, afterMs: number): void {
    const hadLapsed = this.#isLapsed(item);
    item.lease = undefined;
    if (item.state === 'gone') return; // in the call that gave it back
    item.sinceTurn = this.turn;
    const { isClosed } = this.process.queues;
    item.state = afterMs > 0 && !isClosed ? 'later' : 'kept';
    item.untilMs = this.nowMs + afterMs;
    if (isClosed) return;
    if (item.isUnwanted) item.state = 'gone';
    else if (item.deadlineMs <= this.nowMs && !hadLapsed) this.#over.push(item);
  }

  #expired(number: number): void {
    const item = this.#items.get(number) as Item;
    this.isTouched = true;
    const { state, deadlineMs, isUnwanted } = item;
    if (state === 'gone' || isUnwanted || this.nowMs < deadlineMs - ROUNDING_MS)
      this.violate('an item has expired that is gone, or early', item);
    item.state = 'gone';
  }

  /** A request is made of `begin`, and gets what `took` is given, or nothing. */
  #wait<R extends { readonly expired: false }>(
    keys: readonly string[],
    abort: Abortable,
    deadlineMs: number,
    begin: () => Promise<R | { readonly expired: true }>,
    took: (result: R, number: number) => void,
  ): void {
    const { queues } = this.process;
    const request = { number: ++this.#requests, keys, deadlineMs };
    this.#waiting.add(request);
    const before = queues.numDelayed;
    const promise = begin();
    const isParked = queues.numDelayed > before;
    this.follow(
      promise,
      () => this.#waiting.delete(request),
      (result) => {
        if (result.expired) this.checkExpiry(deadlineMs);
        else took(result, request.number);
      },
      (error) => {
        this.checkRejection(error, abort, deadlineMs);
        if (isParked && codeOf(error) === 'ERR_PURGATORY_FULL')
          this.violate('a wait was refused behind its park');
      },
    );
  }

  /** `number` of the request. */
  #took(value: number, key: string, number: number, deliveries?: number): Item | undefined {
    const item = this.#items.get(value);
    const isThere = item?.state === 'kept' || item?.state === 'later' || (item && this.#isLapsed(item));
    // Its caller went in this turn, before the promise said that it was given.
    const wasThere = item?.state === 'gone' && item.isUnwanted;
    if (item === undefined || !(isThere || wasThere) || item.key !== key) {
      this.violate('an item was given twice, or is gone', item ?? { value });
      return undefined;
    }
    item.deliveries++;
    if (deliveries !== undefined && deliveries !== item.deliveries)
      this.violate('the deliveries of an item are not those of the model', { ...item, deliveries });
    if (item.state === 'later' && this.nowMs < item.untilMs - ROUNDING_MS)
      this.violate('an item came before its time', item);
    if (this.isLongOver(item.deadlineMs)) this.violate('an item was given behind its deadline', item);
    item.state = 'taken';
    item.lease = undefined;
    this.#given.push({ item, number });
    return item;
  }

  #clear(key: string): void {
    const live = this.#live.filter((item) => item.key === key);
    if (!this.process.host.isIdle || live.some((item) => this.#mayBeGone(item))) return;
    const cleared = this.process.queues.clear(key);
    const numbers = live.map(({ number }) => number).sort((a, b) => a - b);
    if (`${numbers}` !== `${cleared.toSorted((a, b) => a - b)}`)
      this.violate('what was cleared is not what was there', { numbers, cleared });
    for (const item of live) Object.assign(item, { state: 'gone', lease: undefined });
  }

  #remove(random: Random): void {
    const { host, queues } = this.process;
    const item = random.pick(this.#live);
    if (!host.isIdle || item === undefined) return;
    const isThere = item.state !== 'out' ? true : this.#isLapsed(item) ? undefined : false;
    const wasThere = queues.remove(item.key, item.number);
    if (isThere !== undefined && wasThere !== isThere)
      this.violate('an item was removed, or not, wrongly', item);
    if (wasThere) item.state = 'gone';
  }

  get #live(): Item[] {
    return [...this.#items.values()].filter(({ state }) => state !== 'taken' && state !== 'gone');
  }

  /** Kept, or to come later, at least. */
  get #stored(): number {
    return this.#live.filter(({ state }) => state !== 'out').length;
  }

  protected override compare(): void {
    const { queues } = this.process;
    for (const key of KEYS) {
      const waiting = [...this.#waiting].filter(({ keys }) => keys.includes(key)).length;
      const is = { size: queues.sizeOf(key), waiting: queues.watchersOf(key) };
      if (is.size > 0 && is.waiting > 0)
        this.violate('somebody waits for an item that is kept', { key, ...is });
      if (is.waiting !== waiting)
        this.violate('who waits for items is not the model', { key, ...is, waiting });
    }
    for (const request of this.#waiting)
      if (this.isLongOver(request.deadlineMs)) this.violate('somebody waits behind his deadline', request);
    for (const { item, number } of this.#given) this.#checkOrder(item, number);
    for (const item of this.#over)
      if (item.state !== 'gone') this.violate('an item has come back behind its deadline', item);
    for (const item of this.#items.values())
      if (this.#mayBeGone(item) && this.isLongOver(item.untilMs)) item.state = 'gone';
    const live = this.#live;
    if (live.every(({ state }) => state !== 'out') && this.awaitIdle > 0)
      this.violate('nobody has heard that nothing is out on lease');
    if (this.isSampled && !queues.isClosed) {
      const { size, delayed, leased } = queues.snapshot({ top: 0 }).items;
      if (this.#missing(size + delayed + leased) !== 0)
        this.violate('the items are not those of the model', { live, size, delayed, leased });
    }
    this.#given = [];
    this.#over = [];
    for (const [number, { state }] of this.#items) if (state === 'gone') this.#items.delete(number);
  }

  /** The first that waited got the first that was kept. */
  #checkOrder(item: Item, number: number): void {
    const { key, place } = item;
    for (const other of this.#items.values()) {
      const wasKept = other.state === 'kept' && other.sinceTurn < this.turn;
      if (other.key === key && wasKept && other.place < place)
        this.violate('an item was given before one that came before it', { item, other });
    }
    for (const waiting of this.#waiting) {
      if (waiting.number < number && waiting.keys.includes(key))
        this.violate('an item was given to one who had overtaken another', { item, number, waiting });
    }
  }

  /** How many of the items are not among `all`. */
  #missing(all: number): number {
    const live = this.#live;
    const missing = live.length - all;
    const gone = live.filter((item) => this.#mayBeGone(item)).length;
    return missing > 0 && missing <= gone ? 0 : missing;
  }

  override leftBehind(): Record<string, number> {
    const { queues } = this.process;
    return { ...super.leftBehind(), items: this.#missing(queues.size), lines: idleLines(queues) };
  }
}
