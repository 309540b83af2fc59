// The items of each key: those that are kept, their hand-over to those who wait, and those that are
// out on lease, or come later.
//
// Invariants. A line has items while somebody waits on it only if it is owed (HandOvers). `size` is
// the number of all items that are kept, and `keys` that of the lines with such. A line that has an
// entry, in whatever state but taken, is known. The end of a lease, a deadline and an abort look at
// the state of their entry: so each lease, and each item, ends once. What is put back is never refused:
// where the timer refuses its task, it comes at once, or has no deadline, and that counts as a refusal.
import { requiredArray } from '../../base/checks.ts';
import { PurgatoryError } from '../../base/errors.ts';
import { invalidArgValue } from '../../base/node-errors.ts';
import { runReported, throwLater } from '../../base/report-error.ts';
import { keyText } from '../../base/text.ts';
import type { Timer } from '../../timer/timer.ts';
import { HandOvers } from '../lines/hand-overs.ts';
import { Entry, type EntryOwner, type Terms } from './entry.ts';
import { ItemLine } from './item-line.ts';
import { Lease } from './lease.ts';
import type { CheckedTake } from './queues-options.ts';
import { TakenMark } from './taken-mark.ts';
import type { Taker } from './taker.ts';

/** What {@link Queues.take} and {@link Queues.tryTake} give: an item. */
export interface Taken<V, K> {
  expired: false;
  key: K;
  value: V;
}

/** What {@link Queues.takeMany} gives: items of one key, one at least. */
export interface TakenMany<V, K> {
  expired: false;
  key: K;
  values: V[];
}

/** What was taken for the first time has a turn, and else its entry. */
type Place<V, K> = number | Entry<V, K>;

export class Items<V, K> extends HandOvers<K, ItemLine<K, V>> implements EntryOwner<V, K> {
  size = 0;
  keys = 0;
  /** How many were taken, those that came back each time. It gives the turns, too. */
  taken = 0;
  /** To come later. */
  delayed = 0;
  /** Ended by their deadlines. */
  expired = 0;
  /** Leases that were ended by their time. */
  lapsed = 0;
  /** Before all others: of items that are put to the front. */
  #firstTurn = 0;

  override newLine(key: K): ItemLine<K, V> {
    return new ItemLine(key);
  }

  /** Against `maxItems`. */
  get stored(): number {
    return this.size + this.delayed;
  }

  get timer(): Timer {
    return this.parking.timer;
  }

  /** Adds an item without handing it over: `serve` follows. */
  add(line: ItemLine<K, V>, item: V): void {
    line.push(item);
    this.#count(line, 1);
  }

  /**
   * Adds an item that has terms, or comes later, and hands over to those who wait.
   * @throws what the timer's `add`, or its signal, throws; nothing has changed then.
   */
  put(line: ItemLine<K, V>, item: V, afterMs: number, terms: Terms<V, K> | undefined): void {
    const entry = new Entry(this, line.key, item, Number.POSITIVE_INFINITY, 0, terms);
    this.#place(line, entry, afterMs);
    this.serve(line);
    try {
      this.#watch(entry, afterMs);
    } catch (error) {
      this.end(entry);
      throw this.parking.countRefusal(error);
    }
  }

  /** Puts an item before all others. */
  putFirst(line: ItemLine<K, V>, item: V, afterMs: number): void {
    this.#comeBack(line, [new Entry(this, line.key, item, --this.#firstTurn, 0)], afterMs);
  }

  /**
   * Puts back what was taken, in its place, and returns its line.
   * @throws TypeError ERR_INVALID_ARG_VALUE for what was not taken here, has come back, or has another
   *   key by now, or another number of items.
   */
  putTaken(taken: Taken<V, K> | TakenMany<V, K>, afterMs: number): ItemLine<K, V> {
    const mark = TakenMark.read(taken, this);
    if (mark === undefined) {
      const rule = 'must be what take, takeMany or tryTake of these Queues gave, and be put back once';
      throw invalidArgValue(
        'taken',
        taken instanceof Lease ? 'is a lease: it comes back by nack()' : rule,
        taken,
      );
    }
    const key = mark.key as K;
    if (!Object.is(taken.key, key) && taken.key !== key) {
      throw invalidArgValue('taken.key', `must be the key it was taken of, ${keyText(key)}`, taken.key);
    }
    const items = 'values' in taken ? [...requiredArray('taken.values', taken.values)] : [taken.value];
    if (items.length !== mark.places.length) {
      const rule = `must be the ${mark.places.length} that were taken together`;
      throw invalidArgValue('taken.values', rule, items);
    }
    const line = this.lists.lineOf(key);
    TakenMark.remove(taken);
    const entries = items.map((item, i) => {
      const place = mark.places[i] as Place<V, K>;
      if (typeof place === 'number') return new Entry(this, key, item, place, 1);
      place.item = item;
      return place;
    });
    this.#comeBack(line, entries, afterMs);
    return line;
  }

  giveBack(entry: Entry<V, K>, afterMs: number): void {
    this.#comeBack(this.#arrive(entry), [entry], afterMs);
  }

  due(entry: Entry<V, K>): void {
    if (entry.state === 'out') this.lapsed++;
    if (entry.state === 'kept') this.#expire(entry);
    else this.giveBack(entry, 0);
  }

  aborted(entry: Entry<V, K>): void {
    if (entry.state === 'out') this.giveBack(entry, 0);
    else this.end(entry);
  }

  /** They have come back, and are handed over to those who wait. What is over goes then. */
  #comeBack(line: ItemLine<K, V>, entries: readonly Entry<V, K>[], afterMs: number): void {
    for (const entry of entries) {
      if (this.#isOver(entry)) entry.state = 'over';
      else this.#place(line, entry, afterMs);
    }
    this.serve(line);
    for (const entry of entries) {
      try {
        if (entry.state === 'over') this.#expire(entry);
        else this.#watch(entry, afterMs);
      } catch (error) {
        this.parking.countRefusal(error);
        if (!(error instanceof PurgatoryError)) throwLater(error); // of its clock, or a signal that is no real one
        if (entry.state === 'later') this.giveBack(entry, 0);
      }
    }
  }

  #place(line: ItemLine<K, V>, entry: Entry<V, K>, afterMs: number): void {
    if (afterMs > 0 && !this.parking.isClosed) {
      entry.state = 'later';
      this.delayed++;
      line.leave(entry);
      return;
    }
    entry.state = 'kept';
    line.place(entry);
    this.#count(line, 1);
  }

  /** Whether its deadline has come, or its caller has gone. Never throws: it would lose the item. */
  #isOver({ terms }: Entry<V, K>): boolean {
    if (terms === undefined || this.parking.isClosed) return false;
    try {
      return terms.signal?.aborted === true || terms.deadlineMs <= this.timer.now();
    } catch (error) {
      throwLater(error);
      return false;
    }
  }

  /** Its task and its signal are those of its state. @throws what the timer and the signal throw. */
  #watch(entry: Entry<V, K>, afterMs: number): void {
    const { state } = entry;
    if (state !== 'kept' && state !== 'later') return;
    const terms = this.parking.isClosed ? undefined : entry.terms;
    try {
      const deadlineMs = terms === undefined ? Number.POSITIVE_INFINITY : terms.deadlineMs;
      const restMs = deadlineMs === Number.POSITIVE_INFINITY ? deadlineMs : deadlineMs - this.timer.now();
      entry.file(state === 'later' ? Math.min(afterMs, restMs) : restMs);
    } finally {
      if (terms?.signal !== undefined) entry.follow(terms.signal); // also where the timer is full
    }
  }

  #expire(entry: Entry<V, K>): void {
    const { terms } = entry;
    const item = this.end(entry);
    if (terms?.signal?.aborted === true) return;
    this.expired++;
    runReported(() => terms?.onExpired?.(item, entry.key), throwLater);
  }

  /** Takes it out for good, for nobody. Returns its item. */
  end(entry: Entry<V, K>): V {
    const { item, state } = entry;
    const line = this.#arrive(entry);
    entry.rest();
    entry.state = 'gone';
    entry.item = undefined as V;
    if (state === 'kept') {
      line.drop();
      this.#count(line, -1);
    }
    if (line.isIdle) this.lists.rest(line);
    return item;
  }

  /** It is out no more, or no more to come later. Returns its line. */
  #arrive(entry: Entry<V, K>): ItemLine<K, V> {
    const { state } = entry;
    const line = this.lists.lineOf(entry.key);
    if (state !== 'out' && state !== 'later') return line;
    if (state === 'later') this.delayed--;
    else this.out--;
    this.openIdle();
    entry.state = 'taken';
    entry.lease = undefined;
    entry.unfollow();
    line.arrive(entry);
    return line;
  }

  /** `more` items were added to `line`, or fewer are there. */
  #count(line: ItemLine<K, V>, more: number): void {
    this.size += more;
    if (more < 0 && line.seen > 0) line.seen = Math.max(0, line.seen + more);
    if (line.size === 0) this.keys--;
    else if (line.size === more) this.keys++;
  }

  /** How many items those who wait on `line` would take of `most` new ones. O(most). */
  wanted(line: ItemLine<K, V>, most: number): number {
    if (line.size > 0 || line.waiting === 0) return 0;
    const takers = this.lists.operationsOf(line.key, most) as Taker[];
    return takers.reduce((sum, { options: { max = 1 } }) => sum + max, 0);
  }

  /** The first of `keys` on which an item is to be had now: nobody waits for it. */
  firstWithItems(keys: readonly K[]): ItemLine<K, V> | undefined {
    for (const key of keys) {
      const line = this.lists.known(key);
      if (line !== undefined && line.size > 0 && line.waiting === 0) return line;
    }
    return undefined;
  }

  /** @throws as `lease`. */
  takeBy(line: ItemLine<K, V>, options: CheckedTake): object {
    if (options.leaseMs !== undefined) return this.lease(line, options);
    return options.max === undefined ? this.take(line) : this.takeMany(line, options.max);
  }

  take(line: ItemLine<K, V>): Taken<V, K> {
    const first = this.#shift(line);
    const place = first instanceof Entry ? first : this.taken;
    const value = first instanceof Entry ? first.item : first;
    if (line.isIdle) this.lists.rest(line);
    return TakenMark.add({ expired: false, key: line.key, value }, this, place);
  }

  takeMany(line: ItemLine<K, V>, max: number): TakenMany<V, K> {
    const values: V[] = [];
    const places: Place<V, K>[] = [];
    while (line.size > 0 && values.length < max) {
      const first = this.#shift(line);
      places.push(first instanceof Entry ? first : this.taken);
      values.push(first instanceof Entry ? first.item : first);
    }
    if (line.isIdle) this.lists.rest(line);
    return TakenMark.add({ expired: false, key: line.key, values }, this, places);
  }

  /** @throws what the timer's `add`, or the signal, throws; the item is in its place then. */
  lease(line: ItemLine<K, V>, { signal, label, leaseMs = 0 }: CheckedTake): Lease<V, K> {
    const first = this.#shift(line);
    const entry = first instanceof Entry ? first : new Entry(this, line.key, first, this.taken, 1);
    const lease = new Lease(entry);
    entry.state = 'out';
    entry.lease = lease;
    entry.label = label;
    this.out++;
    line.leave(entry);
    try {
      entry.file(leaseMs);
      entry.sinceMs = leaseMs === Number.POSITIVE_INFINITY ? this.timer.now() : this.timer.lastReadingMs;
      if (signal !== undefined) entry.follow(signal);
    } catch (error) {
      entry.deliveries--;
      this.giveBack(entry, 0);
      throw this.parking.countRefusal(error);
    }
    return lease;
  }

  /** Takes off the first: an entry is taken then. */
  #shift(line: ItemLine<K, V>): V | Entry<V, K> {
    const first = line.shift();
    this.taken++;
    this.#count(line, -1);
    if (first instanceof Entry) {
      first.rest();
      first.state = 'taken';
      first.turn = Math.min(first.turn, this.taken);
      first.deliveries++;
    }
    return first;
  }

  /** Takes an item out, for nobody. True iff it was there. */
  remove(line: ItemLine<K, V>, item: V): boolean {
    const removed = line.remove(item);
    if (removed instanceof Entry) this.end(removed);
    else if (removed) this.#count(line, -1);
    if (line.isIdle) this.lists.rest(line);
    return removed !== false;
  }

  /** Takes all items of `line` out, for nobody: also those that are out, or come later. */
  clear(line: ItemLine<K, V>): V[] {
    const all = line.everything().map((each) => (each instanceof Entry ? this.end(each) : each));
    const { size } = line;
    line.empty();
    if (size > 0) this.#count(line, -size);
    if (line.isIdle) this.lists.rest(line);
    return all;
  }

  /** Those that are away come back. None has a deadline. */
  close(): void {
    for (const line of [...this.lists.lines()]) {
      for (const entry of line.away()) this.giveBack(entry, 0);
      for (const each of line.everything()) if (each instanceof Entry) each.rest();
    }
  }

  override canGive(line: ItemLine<K, V>): boolean {
    return line.waiting > 0 && line.size > 0;
  }

  protected override give(line: ItemLine<K, V>): void {
    const taker = this.lists.firstOf(line) as Taker;
    // The lease gets its place, where the timer is full.
    if (taker.options.leaseMs !== undefined) this.timer.release(taker, taker.$slot);
    try {
      taker.give(this.takeBy(line, taker.options));
    } catch (error) {
      taker.fail(error);
    }
  }
}
