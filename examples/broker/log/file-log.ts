/**
 * The log of one partition as segment files in a folder of its own.
 *
 * Owns the folder and its segments; the last one takes the appends. Ground rules: a segment is on
 * the disk, whole, before the next one is begun, so after a crash only the last one can be torn, in
 * the middle of an append. What is torn off there was never durable. Anything else that is no batch
 * is damage. The folder is made by the first append: a topic that nobody writes to takes no files.
 * What lies before the log's start goes in whole segments, after the start is on the disk (see
 * log-start.ts); there may be none left. Costs: an append is one write; a look-up is one read (see
 * Segment).
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type BatchHeader,
  HEADER_BYTES,
  placeBatch,
  type RecordBatch,
  readHeader,
} from '../protocol/record-batch.ts';
import type { FoundBatch } from '../protocol/record-times.ts';
import type { RollRules } from '../settings/topic-settings.ts';
import type { ByteBudget } from '../storage/byte-budget.ts';
import { type Findings, setAside } from '../storage/damage.ts';
import { orFullDisk } from '../storage/full-disk.ts';
import type { OpenFiles } from '../storage/open-files.ts';
import { syncFolder } from '../storage/sync-folder.ts';
import { readLogStart, writeLogStart } from './log-start.ts';
import type { PartitionLog } from './partition-log.ts';
import { baseOffsetOf, fileNameOf, lastIndex, Segment } from './segment.ts';

export interface FileLogOptions {
  /** When a file is followed by the next one; asked for each append. */
  readonly rollRules: () => RollRules;
  readonly files: OpenFiles;
  /** Where the bytes of all logs are counted. */
  readonly space: ByteBudget;
  readonly findings: Findings;
}

type OnBatch = (header: BatchHeader, ageMs: number) => void;

export class FileLog implements PartitionLog {
  readonly #folder: string;
  readonly #options: FileLogOptions;
  readonly #segments: Segment[] = [];
  #startOffset: number;
  /** Whether there are files whose names may not be on the disk yet. */
  #hasNewNames = false;

  /**
   * Reads the log that is in `folder`, if there is one; `onBatch` sees each of its batches, in
   * order, with the age of its segment. When `onDamage` returns, the log ends before the damage.
   * O(bytes).
   */
  constructor(folder: string, options: FileLogOptions, onBatch: OnBatch) {
    this.#folder = folder;
    this.#options = options;
    const bases = existsSync(folder) ? readdirSync(folder).flatMap((name) => baseOffsetOf(name) ?? []) : [];
    bases.sort((a, b) => a - b);
    const start = readLogStart(folder, options.findings.onDamage);
    this.#startOffset = start ?? bases[0] ?? 0;
    if (start === undefined) writeLogStart(folder, this.#startOffset);
    let isWhole = true;
    for (const base of bases) {
      const path = join(folder, fileNameOf(base));
      isWhole &&= this.#isNext(path, base);
      if (isWhole) isWhole = this.#load(base, base === bases.at(-1), onBatch);
      else setAside(path);
    }
    // What was found may be in the page cache only, and will be taken for durable from now on.
    this.#segments.at(-1)?.syncNow();
    this.#dropSegmentsTo(this.#startOffset);
  }

  get startOffset(): number {
    return this.#startOffset;
  }

  get endOffset(): number {
    return this.#segments.at(-1)?.endOffset ?? this.#startOffset;
  }

  append(batch: RecordBatch): number {
    const baseOffset = this.endOffset;
    const segment = this.#segmentFor(batch);
    orFullDisk(() => segment.append(placeBatch(batch, baseOffset)));
    this.#options.space.add(batch.size);
    return baseOffset;
  }

  async flush(): Promise<number> {
    const last = this.#segments.at(-1);
    if (last === undefined) return this.endOffset;
    const { endOffset } = last;
    this.#syncNames();
    await last.sync();
    return Math.min(endOffset, this.endOffset);
  }

  read(fromOffset: number, toOffset: number, maxBytes: number, atLeastOne: boolean): Buffer[] {
    const chunks: Buffer[] = [];
    let room = maxBytes;
    let index = this.#indexOf(fromOffset);
    for (let offset = fromOffset; offset < Math.min(toOffset, this.endOffset); index++) {
      const segment = this.#segments[index];
      const { position, header } = segment.locate(offset);
      const limit = segment.positionOf(toOffset);
      const least = atLeastOne && chunks.length === 0 ? header.size : 0;
      const bytes = Math.min(Math.max(least, room), limit - position);
      const chunk = wholeBatches(segment.read(position, bytes));
      if (chunk.length > 0) chunks.push(chunk);
      room -= chunk.length;
      if (position + chunk.length < segment.size) break;
      offset = segment.endOffset;
    }
    return chunks;
  }

  bytesBetween(fromOffset: number, toOffset: number): number {
    if (fromOffset >= toOffset || fromOffset >= this.endOffset) return 0;
    const from = this.#indexOf(fromOffset);
    const to = this.#indexOf(toOffset);
    let bytes = this.#segments[to].positionOf(toOffset) - this.#segments[from].positionOf(fromOffset);
    for (let index = from; index < to; index++) bytes += this.#segments[index].size;
    return bytes;
  }

  findBatch(
    timestamp: number,
    fromOffset: number,
    toOffset: number,
    maxBytes: number,
  ): FoundBatch | undefined {
    for (const segment of this.#segments.slice(Math.max(0, this.#indexOf(fromOffset)))) {
      const located = segment.locateTimestamp(timestamp, fromOffset);
      if (located === undefined) continue;
      const { position, header } = located;
      if (header.baseOffset >= toOffset) return undefined;
      return { ...header, bytes: header.size <= maxBytes ? segment.read(position, header.size) : undefined };
    }
    return undefined;
  }

  maxTimestampBefore(toOffset: number): number {
    const from = this.#startOffset;
    return this.#segments.reduce((max, each) => Math.max(max, each.maxTimestampBetween(from, toOffset)), -1);
  }

  retainedFrom(beforeMs: number, maxBytes: number, toOffset: number): number {
    let bytes = this.#size();
    let start = this.#startOffset;
    for (const { endOffset, size, latestMs } of this.#segments) {
      const isWanted = latestMs >= beforeMs && bytes - size < maxBytes;
      if (isWanted || endOffset > toOffset) break;
      bytes -= size;
      start = endOffset;
    }
    return start;
  }

  deleteBefore(offset: number): void {
    if (offset <= this.#startOffset) return;
    writeLogStart(this.#folder, offset);
    this.#startOffset = offset;
    this.#dropSegmentsTo(offset);
  }

  truncateTo(offset: number): void {
    if (offset < this.#startOffset) {
      this.#dropSegmentsTo(Infinity);
      writeLogStart(this.#folder, offset);
      this.#startOffset = offset;
      return;
    }
    const before = this.#size();
    while (this.#segments.length > 1 && (this.#segments.at(-1)?.baseOffset ?? 0) > offset) {
      const segment = this.#segments.pop() as Segment;
      segment.close();
      rmSync(segment.path);
    }
    this.#segments.at(-1)?.truncateTo(offset);
    // The start may lie in the middle of the batch that was cut off.
    this.#dropSegmentsTo(this.#startOffset);
    this.#options.space.add(this.#size() - before);
    this.#hasNewNames = true;
  }

  close(): void {
    for (const segment of this.#segments.splice(0)) segment.close();
  }

  delete(): void {
    this.#options.space.add(-this.#size());
    this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether the file with that base offset follows the segments that there are. */
  #isNext(path: string, base: number): boolean {
    const due = this.endOffset;
    const isFirst = this.#segments.length === 0;
    if (isFirst ? base <= due : base === due) return true;
    this.#options.findings.onDamage(
      path,
      0,
      `it begins with offset ${base}, where ${due} is due: files are missing`,
    );
    if (!isFirst) return false;
    writeLogStart(this.#folder, base);
    this.#startOffset = base;
    return true;
  }

  /** Whether all of the file is batches of this log, or was until a crash. */
  #load(base: number, isLast: boolean, onBatch: OnBatch): boolean {
    const segment = new Segment(this.#folder, base, this.#options.files);
    const bytes = segment.load(onBatch);
    this.#segments.push(segment);
    this.#options.space.add(segment.size);
    if (bytes === 0) return true;
    const { path, size, endOffset } = segment;
    const { onDamage, onTorn } = this.#options.findings;
    const isTorn = isLast && segment.isTorn(bytes);
    if (isTorn) onTorn(path, bytes, size);
    else onDamage(path, size, `there is no whole batch of offset ${endOffset} there`);
    segment.cut();
    return isTorn;
  }

  #size(): number {
    return this.#segments.reduce((sum, { size }) => sum + size, 0);
  }

  /** Takes the segments off the disk that lie before `offset` as a whole, the oldest first. */
  #dropSegmentsTo(offset: number): void {
    while (this.#segments.length > 0 && this.#segments[0].endOffset <= offset) {
      const segment = this.#segments.shift() as Segment;
      this.#options.space.add(-segment.size);
      segment.close();
      rmSync(segment.path);
    }
  }

  #segmentFor(batch: RecordBatch): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && (last.size === 0 || this.#isRoomIn(last, batch))) return last;
    if (last === undefined) orFullDisk(() => mkdirSync(this.#folder, { recursive: true }));
    else {
      this.#syncNames();
      last.syncNow();
    }
    const segment = orFullDisk(() => new Segment(this.#folder, this.endOffset, this.#options.files));
    this.#segments.push(segment);
    this.#hasNewNames = true;
    return segment;
  }

  #isRoomIn(segment: Segment, { size, maxTimestamp }: RecordBatch): boolean {
    const { segmentBytes, segmentMs } = this.#options.rollRules();
    return segment.size + size <= segmentBytes && maxTimestamp - segment.firstMs <= segmentMs;
  }

  #syncNames(): void {
    if (!this.#hasNewNames) return;
    syncFolder(this.#folder);
    syncFolder(dirname(this.#folder));
    this.#hasNewNames = false;
  }

  /** The index of the segment that holds `offset`; of the last one at or past the end. */
  #indexOf(offset: number): number {
    return lastIndex(this.#segments, ({ baseOffset }) => baseOffset <= offset);
  }
}

/** Without the batch that was cut off at the end. */
function wholeBatches(bytes: Buffer): Buffer {
  let end = 0;
  while (end + HEADER_BYTES <= bytes.length) {
    const next = end + readHeader(bytes, end).size;
    if (next > bytes.length) break;
    end = next;
  }
  return bytes.subarray(0, end);
}
