// The tracked elements: one row for each, in columns.
//
// Invariants. A Row is valid until `remove` or the next `compact`; only the ElementIndex and the
// buckets keep one for longer, and both are updated. Each row in use is in one bucket, at a place
// in it. The table reads no clock and knows no timer.
//
// Why columns: a touch, and most looks, read and write a few bytes in dense arrays that the
// collector never visits. An object for each element would cost cache misses and write barriers.
// Costs. 22 to 30 bytes a row. Growth and compaction are O(1), amortised.
import { mustHold } from '../../base/must-hold.ts';
import type { Row } from './element-index.ts';
import { type IdleBucket, MAX_PLACES, type Place } from './idle-buckets.ts';
import { NO_STRETCH, type Stretch } from './touch-time.ts';

const MIN_ROWS = 64;
/** The filing of a free row, and the number that no bucket has. */
const FREE = 0;

export class ElementTable<E> {
  readonly #elements: (E | undefined)[] = [];
  /** The number of a row's bucket, times MAX_PLACES, and the place there. */
  #filings = new Uint32Array(MIN_ROWS);
  /** By number. */
  #buckets: (IdleBucket | undefined)[] = [undefined];
  #freeNumbers: number[] = [];
  /** The stretch of the last touch, unless `#touchedMs` has its time. */
  #stretches = new Uint16Array(MIN_ROWS);
  #touchedMs = new Float64Array(MIN_ROWS);
  readonly #commonMs: number;
  /** Undefined while all have the common one. */
  #timeoutMs: Float64Array | undefined;
  #free: Row[] = [];

  /** @param timeoutMs the common one. */
  constructor(timeoutMs: number) {
    this.#commonMs = timeoutMs;
  }

  /** Rows in use. */
  get size(): number {
    return this.#elements.length - this.#free.length;
  }

  /** Takes in an element that was touched at `touchedMs`. O(1) amortised. */
  add(element: E, timeoutMs: number, touchedMs: number, bucket: IdleBucket): Row {
    const row = this.#free.pop() ?? this.#addRow();
    this.#elements[row] = element;
    this.setTimeout(row, timeoutMs);
    this.setTouched(row, touchedMs);
    this.#file(row, bucket);
    return row;
  }

  /** Forgets an element and gives its row back; returns the bucket that it was in. */
  remove(row: Row): IdleBucket {
    const bucket = this.#unfile(row);
    this.#elements[row] = undefined;
    this.#filings[row] = FREE;
    this.#free.push(row);
    return bucket;
  }

  /** Files a row in another bucket; returns the one that it was in. */
  move(row: Row, bucket: IdleBucket): IdleBucket {
    const before = this.#unfile(row);
    this.#file(row, bucket);
    return before;
  }

  element(row: Row): E {
    return this.#elements[row] as E;
  }

  bucket(row: Row): IdleBucket {
    return this.#filedIn(row, this.#buckets);
  }

  /** The stretch of the last touch. NO_STRETCH when `touchedMs` has its time. */
  stretch(row: Row): Stretch {
    return this.#stretches[row] as Stretch;
  }

  setStretch(row: Row, stretch: Stretch): void {
    this.#stretches[row] = stretch;
  }

  touchedMs(row: Row): number {
    return this.#touchedMs[row];
  }

  setTouched(row: Row, touchedMs: number): void {
    this.#touchedMs[row] = touchedMs;
    this.#stretches[row] = NO_STRETCH;
  }

  timeoutMs(row: Row): number {
    return this.#timeoutMs === undefined ? this.#commonMs : this.#timeoutMs[row];
  }

  setTimeout(row: Row, timeoutMs: number): void {
    if (this.#timeoutMs === undefined) {
      if (timeoutMs === this.#commonMs) return;
      this.#timeoutMs = new Float64Array(this.#filings.length).fill(this.#commonMs);
    }
    this.#timeoutMs[row] = timeoutMs;
  }

  /** The rows in use. */
  *rows(): Generator<Row> {
    for (let row = 0 as Row; row < this.#elements.length; row++) {
      if (this.#filings[row] !== FREE) yield row;
    }
  }

  /** True when under a quarter of the rows is in use: the owner should {@link compact}. */
  get isSparse(): boolean {
    const capacity = this.#filings.length;
    return capacity > MIN_ROWS && this.size < capacity / 4;
  }

  /**
   * Moves the rows in use together, in order, and gives half of the memory back, or more. Calls
   * `moved` with each row. O(capacity).
   */
  compact(moved: (element: E, row: Row) => void): void {
    // The numbers are given out anew: after a burst most of them are free.
    const buckets = this.#buckets;
    for (const bucket of buckets) if (bucket !== undefined) bucket.number = FREE;
    this.#buckets = [undefined];
    this.#freeNumbers = [];
    let to = 0 as Row;
    for (const row of this.rows()) {
      const place = this.#place(row);
      const bucket = this.#filedIn(row, buckets);
      if (bucket.number === FREE) this.#number(bucket);
      this.#filings[to] = bucket.number * MAX_PLACES + place;
      bucket.setRow(place, to);
      this.#elements[to] = this.#elements[row];
      this.#stretches[to] = this.#stretches[row];
      this.#touchedMs[to] = this.#touchedMs[row];
      if (this.#timeoutMs !== undefined) this.#timeoutMs[to] = this.#timeoutMs[row];
      moved(this.element(to), to);
      to++;
    }
    this.#elements.length = to;
    this.#free = [];
    let capacity = MIN_ROWS;
    while (capacity < to * 2) capacity *= 2;
    this.#resize(capacity);
  }

  #addRow(): Row {
    const row = this.#elements.length as Row;
    if (row === this.#filings.length) this.#resize(row * 2);
    this.#elements.push(undefined);
    return row;
  }

  #resize(capacity: number): void {
    this.#filings = resized(this.#filings, new Uint32Array(capacity));
    this.#stretches = resized(this.#stretches, new Uint16Array(capacity));
    this.#touchedMs = resized(this.#touchedMs, new Float64Array(capacity));
    if (this.#timeoutMs !== undefined) this.#timeoutMs = resized(this.#timeoutMs, new Float64Array(capacity));
  }

  #file(row: Row, bucket: IdleBucket): void {
    if (bucket.size === 0) this.#number(bucket);
    this.#filings[row] = bucket.number * MAX_PLACES + bucket.push(row);
  }

  #unfile(row: Row): IdleBucket {
    const bucket = this.bucket(row);
    bucket.remove(this.#place(row));
    if (bucket.size === 0) {
      this.#buckets[bucket.number] = undefined;
      this.#freeNumbers.push(bucket.number);
    }
    return bucket;
  }

  #filedIn(row: Row, buckets: readonly (IdleBucket | undefined)[]): IdleBucket {
    return buckets[Math.floor(this.#filings[row] / MAX_PLACES)] as IdleBucket;
  }

  #place(row: Row): Place {
    return (this.#filings[row] % MAX_PLACES) as Place;
  }

  #number(bucket: IdleBucket): void {
    bucket.number = this.#freeNumbers.pop() ?? this.#buckets.length;
    this.#buckets[bucket.number] = bucket;
  }

  /** Throws unless the table is sound; returns its buckets. For tests: O(capacity). */
  check(): Set<IdleBucket> {
    const rows = [...this.rows()];
    mustHold(rows.length === this.size, `${rows.length} rows are in use, size says ${this.size}`);
    mustHold(!this.isSparse, 'the table has not been compacted');
    for (const row of this.#free) {
      mustHold(this.#elements[row] === undefined, `the free row ${row} keeps its element`);
    }
    for (const row of rows) {
      mustHold(this.bucket(row).rowAt(this.#place(row)) === row, `row ${row} is not where it was filed`);
    }
    const buckets = new Set(rows.map((row) => this.bucket(row)));
    const filed = [...buckets].reduce((sum, bucket) => sum + bucket.size, 0);
    mustHold(filed === rows.length, `${filed} rows are filed, ${rows.length} are in use`);
    return buckets;
  }
}

/** `to` with as much of `from` as it has room for. */
function resized<T extends Uint16Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from.length > to.length ? from.subarray(0, to.length) : from);
  return to;
}
