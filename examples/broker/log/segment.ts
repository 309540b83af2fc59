/**
 * One file of a partition's log: batches as they came, one after the other, from `baseOffset` on.
 * The file is named by that offset.
 *
 * Owns its file, its size and a sparse index. The index has an entry for the first batch that
 * starts INDEX_INTERVAL bytes or more after the entry before. So for any offset, the headers of all
 * batches from its entry on are in one block of that size. A look-up is a search in memory and one
 * read. The index is in memory only and is made anew when a file is opened. Writes and reads are
 * synchronous (they use the page cache). Only `sync` waits for the disk, in a thread of its own.
 */
import { fdatasyncSync, fstatSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchHeader, HEADER_BYTES, type RecordBatch, readHeader } from '../protocol/record-batch.ts';
import { type OpenFiles, PooledFile } from '../storage/open-files.ts';
import { readWhole } from '../storage/read-whole.ts';
import { writeWhole } from '../storage/write-whole.ts';
import { isTorn, scanBatches } from './segment-scan.ts';

const INDEX_INTERVAL = 4096;

interface IndexEntry {
  readonly offset: number;
  readonly position: number;
  /** Of the batches from here to the next entry (ms). */
  maxTimestamp: number;
}

/** A batch's place in the file. */
export interface Located {
  readonly position: number;
  readonly header: BatchHeader;
}

export class Segment {
  readonly baseOffset: number;
  readonly #file: PooledFile;
  readonly #index: IndexEntry[] = [];
  #size = 0;
  #endOffset: number;
  #firstMs = 0;

  /** Opens the file, or makes it. */
  constructor(folder: string, baseOffset: number, files: OpenFiles) {
    this.baseOffset = baseOffset;
    this.#endOffset = baseOffset;
    this.#file = new PooledFile(files, join(folder, fileNameOf(baseOffset)));
  }

  get path(): string {
    return this.#file.path;
  }

  get endOffset(): number {
    return this.#endOffset;
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /** The largest timestamp of its first batch (ms), 0 while there is none. */
  get firstMs(): number {
    return this.#size === 0 ? 0 : this.#firstMs;
  }

  /**
   * The largest timestamp of its batches (ms), or when the file was written last where they have
   * none. O(size / INDEX_INTERVAL).
   */
  get latestMs(): number {
    const latest = this.#index.reduce((max, { maxTimestamp }) => Math.max(max, maxTimestamp), -1);
    return latest >= 0 ? latest : fstatSync(this.#file.fd).mtimeMs;
  }

  /**
   * Reads the file and indexes its batches, up to the first bytes that are none of this log.
   * Returns how many bytes there are from those on. `onBatch` gets the time for which nothing was
   * written. Call it once, first. O(bytes).
   */
  load(onBatch: (header: BatchHeader, ageMs: number) => void): number {
    const { size, mtimeMs } = fstatSync(this.#file.fd);
    const ageMs = Math.max(0, Date.now() - mtimeMs);
    const end = scanBatches(this.#file.fd, this.baseOffset, (header) => {
      this.#note(header);
      onBatch(header, ageMs);
    });
    return size - end;
  }

  /** After `load`: whether the `bytes` behind the last batch are what a crash leaves of an append. */
  isTorn(bytes: number): boolean {
    return isTorn(readWhole(this.#file.fd, this.#size, bytes), this.#endOffset);
  }

  /** After `load`: cuts off what is behind the last batch. */
  cut(): void {
    ftruncateSync(this.#file.fd, this.#size);
    this.syncNow();
  }

  append(batch: RecordBatch): void {
    writeWhole(this.#file.fd, batch.bytes, this.#size);
    this.#note(batch);
  }

  /** Resolves when everything appended before the call is on the disk. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  syncNow(): void {
    fdatasyncSync(this.#file.fd);
  }

  /** The batch that holds `offset`, which is one of this segment. */
  locate(offset: number): Located {
    return this.#firstFrom(
      this.#index[this.#entryOf(offset)],
      (header) => lastOffsetOf(header) >= offset,
    ) as Located;
  }

  /**
   * Where the batch that holds `offset` begins. The end of the file for an offset at or past the
   * end.
   */
  positionOf(offset: number): number {
    return offset < this.#endOffset ? this.locate(offset).position : this.#size;
  }

  /**
   * The first batch with a record at or behind `fromOffset` that says it has one as late as
   * `timestamp`. O(size / INDEX_INTERVAL).
   */
  locateTimestamp(timestamp: number, fromOffset: number): Located | undefined {
    for (let at = Math.max(0, this.#entryOf(fromOffset)); at < this.#index.length; at++) {
      const entry = this.#index[at];
      if (entry.maxTimestamp < timestamp) continue;
      const found = this.#firstFrom(
        entry,
        (header) => header.maxTimestamp >= timestamp && lastOffsetOf(header) >= fromOffset,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * The largest timestamp of the batches that lie between two offsets as a whole, -1 when there is
   * none. O(size / INDEX_INTERVAL).
   */
  maxTimestampBetween(fromOffset: number, toOffset: number): number {
    let max = -1;
    for (let at = Math.max(0, this.#entryOf(fromOffset)); at < this.#index.length; at++) {
      const entry = this.#index[at];
      const end = this.#index[at + 1]?.offset ?? this.#endOffset;
      if (entry.offset >= toOffset) break;
      const isWhole = entry.offset >= fromOffset && end <= toOffset;
      max = Math.max(max, isWhole ? entry.maxTimestamp : this.#maxTimestampOf(entry, fromOffset, toOffset));
    }
    return max;
  }

  read(position: number, length: number): Buffer {
    return readWhole(this.#file.fd, position, Math.min(length, this.#size - position));
  }

  /** Forgets the batch that holds `offset` and all after it. */
  truncateTo(offset: number): void {
    if (offset >= this.#endOffset) return;
    const { position, header } = this.locate(offset);
    this.#size = position;
    this.#endOffset = header.baseOffset;
    while ((this.#index.at(-1)?.position ?? -1) >= position) this.#index.pop();
    const last = this.#index.at(-1);
    if (last !== undefined) last.maxTimestamp = this.#maxTimestampOf(last, last.offset, offset);
    this.cut();
  }

  close(): void {
    this.#file.close();
  }

  #note({ baseOffset, lastOffsetDelta, maxTimestamp, size }: BatchHeader): void {
    const last = this.#index.at(-1);
    if (last === undefined) this.#firstMs = maxTimestamp;
    if (last === undefined || this.#size - last.position >= INDEX_INTERVAL) {
      this.#index.push({ offset: baseOffset, position: this.#size, maxTimestamp });
    } else {
      last.maxTimestamp = Math.max(last.maxTimestamp, maxTimestamp);
    }
    this.#size += size;
    this.#endOffset = baseOffset + lastOffsetDelta + 1;
  }

  /** The index of the last entry at or before `offset`, -1 when there is none. */
  #entryOf(offset: number): number {
    return lastIndex(this.#index, (entry) => entry.offset <= offset);
  }

  /** As `maxTimestampBetween`, of the batches of one entry. */
  #maxTimestampOf(entry: IndexEntry, fromOffset: number, toOffset: number): number {
    let max = -1;
    this.#firstFrom(entry, (header) => {
      const isBelow = lastOffsetOf(header) < toOffset;
      if (isBelow && header.baseOffset >= fromOffset) max = Math.max(max, header.maxTimestamp);
      return !isBelow;
    });
    return max;
  }

  #firstFrom(entry: IndexEntry, isIt: (header: BatchHeader) => boolean): Located | undefined {
    const block = this.read(entry.position, INDEX_INTERVAL + HEADER_BYTES);
    for (let at = 0; at + HEADER_BYTES <= block.length; ) {
      const header = readHeader(block, at);
      if (isIt(header)) return { position: entry.position + at, header };
      at += header.size;
    }
    return undefined;
  }
}

function lastOffsetOf({ baseOffset, lastOffsetDelta }: BatchHeader): number {
  return baseOffset + lastOffsetDelta;
}

const SUFFIX = '.log';

/** Twenty digits, as Kafka names them, so that names sort as offsets do. */
export function fileNameOf(baseOffset: number): string {
  return `${String(baseOffset).padStart(20, '0')}${SUFFIX}`;
}

/** The base offset in the name of a file. Undefined for a file that is no segment. */
export function baseOffsetOf(fileName: string): number | undefined {
  return /^\d{20}\.log$/.test(fileName) ? Number(fileName.slice(0, -SUFFIX.length)) : undefined;
}

/**
 * The index of the last element that fits, where all that fit come first. -1 when none does. O(log
 * n).
 */
export function lastIndex<T>(elements: readonly T[], fits: (element: T) => boolean): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(elements[middle])) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
