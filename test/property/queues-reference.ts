// Queues as plain lists: the items of each key, those that are out on lease, and those that come later.
import { NaiveLines, type NaiveTask, type NaiveWait } from './naive-lines.ts';

const NEVER = Number.POSITIVE_INFINITY;

interface NaiveItem {
  readonly item: number;
  readonly key: string;
  /** By it the items of a key are in their order. Undefined: it is put when it comes. */
  place: number | undefined;
  deliveries: number;
  readonly deadlineMs: number;
  hasCaller: boolean;
  /** Its caller has gone. */
  isUnwanted: boolean;
  state: 'kept' | 'later' | 'out' | 'taken' | 'gone';
  /** When the timer looks at it, as what. */
  dueMs: number;
  order: number;
  /** The request that has it on lease. */
  lease: number | undefined;
}

export class NaiveQueues extends NaiveLines {
  readonly #maxItems: number;
  /** All that was ever put, in the order in which it was last put, or was to come later. */
  #all: NaiveItem[] = [];
  /** The requests that want a lease, and for how long. */
  readonly #leases = new Map<number, number>();
  readonly expired: number[] = [];
  #last = 0;
  #first = 0;

  constructor(maxItems: number, maxParked: number) {
    super(maxParked, 'expired');
    this.#maxItems = maxItems;
  }

  #on(key: string, ...states: readonly NaiveItem['state'][]): NaiveItem[] {
    const placeOf = ({ place = NEVER }: NaiveItem): number => place;
    return this.#all
      .filter((each) => each.key === key && states.includes(each.state))
      .sort((x, y) => placeOf(x) - placeOf(y) || 0);
  }

  itemsOf(key: string): number[] {
    return this.#on(key, 'kept').map(({ item }) => item);
  }

  count(state: NaiveItem['state']): number {
    return this.#all.filter((each) => each.state === state).length;
  }

  keys(): string[] {
    return [...new Set(this.#all.filter(({ state }) => state === 'kept').map(({ key }) => key))];
  }

  override tasks(): NaiveTask[] {
    return this.#all
      .filter(({ dueMs }) => dueMs < NEVER)
      .map((each) => ({ deadlineMs: each.dueMs, order: each.order, run: () => this.#due(each) }));
  }

  /** True iff all of them were put. */
  put(key: string, items: readonly number[], options?: { timeoutMs: number; afterMs: number }): boolean {
    const { timeoutMs, afterMs } = options ?? { timeoutMs: NEVER, afterMs: 0 };
    if (this.isClosed) return false;
    const isOwed = this.itemsOf(key).length > 0;
    const wanted =
      isOwed || afterMs > 0
        ? 0
        : this.waitsOn(key)
            .slice(0, items.length)
            .reduce((sum, { count }) => sum + count, 0);
    const kept = items.length - wanted;
    if (kept > 0 && this.count('kept') + this.count('later') + kept > this.#maxItems) return false;
    const deadlineMs = this.nowMs + timeoutMs;
    const all = items.map((item) => this.#make(key, item, undefined, deadlineMs));
    for (const each of all) each.hasCaller = options !== undefined;
    this.#comeBack(key, all, afterMs);
    return true;
  }

  putBack(key: string, item: number, afterMs: number): void {
    this.#comeBack(key, [this.#make(key, item, --this.#first, NEVER)], afterMs);
  }

  /** Puts back what was taken. */
  giveBack(key: string, items: readonly number[], afterMs: number): void {
    this.#comeBack(
      key,
      items.map((item) => this.#all.find((each) => each.item === item) as NaiveItem),
      afterMs,
    );
  }

  /** The caller of an item has gone. */
  leave(item: number): void {
    const found = this.#all.find((each) => each.item === item);
    if (!found?.hasCaller) return;
    found.isUnwanted = true;
    if (found.state === 'kept' || found.state === 'later') this.#end(found);
  }

  remove(key: string, item: number): boolean {
    const found = this.#on(key, 'kept', 'later').find((each) => each.item === item);
    if (found !== undefined) this.#end(found);
    return found !== undefined;
  }

  clear(key: string): number[] {
    const all = this.#on(key, 'kept', 'later', 'out');
    for (const each of all) this.#end(each);
    return all.map(({ item }) => item);
  }

  take(id: number, keys: readonly string[], count: number, timeoutMs: number, leaseMs?: number): void {
    if (this.isClosed) {
      this.ends.set(id, 'ERR_PURGATORY_CLOSED');
      return;
    }
    if (leaseMs !== undefined) this.#leases.set(id, leaseMs);
    const key = this.#firstWithItems(keys);
    if (key !== undefined) this.ends.set(id, this.#shift(key, count, id));
    else this.park({ id, keys, count, deadlineMs: this.nowMs + timeoutMs });
  }

  tryTake(keys: readonly string[]): string | undefined {
    const key = this.#firstWithItems(keys);
    return key === undefined ? undefined : this.#shift(key, 1, undefined);
  }

  /** The lease of a request ends: true iff it was not over. */
  ack(id: number): boolean {
    const out = this.#leasedBy(id);
    if (out !== undefined) this.#end(out);
    return out !== undefined;
  }

  nack(id: number, afterMs: number): boolean {
    const out = this.#leasedBy(id);
    if (out !== undefined) this.#comeBack(out.key, [out], afterMs);
    return out !== undefined;
  }

  extend(id: number, leaseMs: number): boolean {
    const out = this.#leasedBy(id);
    if (out !== undefined) this.#file(out, this.nowMs + leaseMs);
    return out !== undefined;
  }

  override abort(id: number): void {
    super.abort(id);
    this.nack(id, 0);
  }

  override close(): void {
    super.close();
    for (const each of this.#all) {
      if (each.state === 'out' || each.state === 'later') this.#comeBack(each.key, [each], 0);
      each.dueMs = NEVER;
    }
  }

  protected override suffices(key: string): boolean {
    return this.itemsOf(key).length > 0;
  }

  protected override taken(key: string, { count, id }: NaiveWait): string {
    return this.#shift(key, count, id);
  }

  #leasedBy(id: number): NaiveItem | undefined {
    return this.#all.find(({ lease }) => lease === id);
  }

  #firstWithItems(keys: readonly string[]): string | undefined {
    return keys.find((each) => this.itemsOf(each).length > 0 && this.waitsOn(each).length === 0);
  }

  #make(key: string, item: number, place: number | undefined, deadlineMs: number): NaiveItem {
    const made: NaiveItem = {
      item,
      key,
      place,
      deliveries: 0,
      deadlineMs,
      hasCaller: false,
      isUnwanted: false,
      state: 'taken',
      dueMs: NEVER,
      order: 0,
      lease: undefined,
    };
    this.#all.push(made);
    return made;
  }

  #shift(key: string, count: number, id: number | undefined): string {
    const all = this.#on(key, 'kept').slice(0, count);
    const leaseMs = id === undefined ? undefined : this.#leases.get(id);
    for (const each of all) {
      each.state = leaseMs === undefined ? 'taken' : 'out';
      each.deliveries++;
      each.dueMs = NEVER;
      if (leaseMs === undefined) continue;
      each.lease = id;
      this.#file(each, this.nowMs + leaseMs);
    }
    const times = leaseMs === undefined ? '' : ` x${all[0].deliveries}`;
    return `${key}: ${all.map(({ item }) => item).join()}${times}`;
  }

  #comeBack(key: string, all: readonly NaiveItem[], afterMs: number): void {
    const isOver = (each: NaiveItem): boolean =>
      !this.isClosed && each.deliveries > 0 && (each.isUnwanted || each.deadlineMs <= this.nowMs);
    const over = all.filter(isOver);
    for (const each of all) {
      each.lease = undefined;
      each.dueMs = NEVER;
      if (over.includes(each)) continue;
      each.state = afterMs > 0 && !this.isClosed ? 'later' : 'kept';
      if (each.state === 'kept') each.place ??= ++this.#last;
      // Those that are put as they come are behind those that came before.
      else this.#all = [...this.#all.filter((other) => other !== each), each];
    }
    this.freed(key);
    for (const each of all) {
      if (each.state === 'later') this.#file(each, Math.min(this.nowMs + afterMs, each.deadlineMs));
      if (each.state === 'kept' && !this.isClosed) this.#file(each, each.deadlineMs);
    }
    for (const each of over) this.#expire(each);
  }

  #due(each: NaiveItem): void {
    const isExpired = each.state === 'kept' || (each.state === 'later' && each.deadlineMs <= this.nowMs);
    if (isExpired) this.#expire(each);
    else this.#comeBack(each.key, [each], 0);
  }

  #expire(each: NaiveItem): void {
    this.#end(each);
    if (!each.isUnwanted) this.expired.push(each.item);
  }

  #file(each: NaiveItem, dueMs: number): void {
    each.dueMs = dueMs;
    each.order = this.nextOrder();
  }

  #end(each: NaiveItem): void {
    each.state = 'gone';
    each.lease = undefined;
    each.dueMs = NEVER;
  }
}
