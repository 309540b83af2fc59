/**
 * An append-only file of small entries, a checked line each.
 *
 * Owns the file. `append` writes an entry. It is on the disk when a `flush` that was called after
 * it resolves. One sync serves all calls that wait meanwhile. A crash can tear only the last line,
 * which has no end then, and opening the file cuts that off. Any other bad line is damage.
 *
 * Entries make others out of date, and only the owner knows which. So the owner gives a function
 * that returns the entries that still count. A file that is more than twice as large is replaced by
 * those: when it is opened, and before an append. An append is O(entry), spread over many.
 */
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { checkedLine, readCheckedLine } from './checked-line.ts';
import type { Findings } from './damage.ts';
import { FullDisk, orFullDisk } from './full-disk.ts';
import { syncFolder } from './sync-folder.ts';
import { writeWhole } from './write-whole.ts';

const syncData = promisify(fdatasync);
/** A journal that is this many times larger than the entries that count is replaced. */
const WASTE = 2;
/** Until there is so much more (bytes), an append does not look whether it is to be replaced. */
const MIN_WASTE = 128 * 1024;

export class Journal<E> {
  readonly #path: string;
  readonly #current: () => readonly E[];
  #fd: number;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #size = 0;
  /** The size at which it is looked at again. */
  #maxSize = 0;

  /**
   * Opens the file, or makes it, and calls `onEntry` for each entry in it. `current` returns the
   * entries that still count. When `onDamage` returns, bad lines are left out. O(bytes).
   */
  constructor(
    path: string,
    onEntry: (entry: E) => void,
    current: () => readonly E[],
    { onDamage, onTorn }: Findings,
  ) {
    this.#path = path;
    this.#current = current;
    mkdirSync(dirname(path), { recursive: true });
    this.#fd = openSync(path, 'a+');
    syncFolder(dirname(path));
    const bytes = readFileSync(path);
    const entries: E[] = [];
    const bad: number[] = [];
    for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', this.#size)) {
      const entry = readCheckedLine(bytes.subarray(this.#size, end));
      if (entry === undefined) bad.push(this.#size);
      else entries.push(entry as E);
      this.#size = end + 1;
    }
    const last = readCheckedLine(bytes.subarray(this.#size, -1));
    if (last !== undefined) {
      entries.push(last as E);
      bad.push(bytes.length - 1);
    }
    if (bad.length > 0) onDamage(path, bad[0], 'a line there is not what was written');
    for (const entry of entries) onEntry(entry);
    if (bad.length > 0) this.#rewrite(this.#currentBytes());
    else if (this.#size < bytes.length) {
      onTorn(path, bytes.length - this.#size, this.#size);
      ftruncateSync(this.#fd, this.#size);
    }
    this.#dropWaste();
  }

  /** Of the file, in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Throws a FullDisk, and keeps no part of the entry, where there is no room. It is on the disk
   * before `along` is called, and is taken back where that throws.
   */
  append(entry: E, along?: () => void): void {
    if (this.#size >= this.#maxSize) this.#dropWaste();
    const line = checkedLine(entry);
    orFullDisk(() => writeWhole(this.#fd, line, this.#size));
    if (along !== undefined) this.#keepWith(along);
    this.#size += line.length;
  }

  /**
   * Resolves when everything appended before the call is on the disk. Rejects when the disk
   * refuses.
   */
  flush(): Promise<void> {
    this.#next ??= this.#syncAfter(this.#running);
    return this.#next;
  }

  flushNow(): void {
    fdatasyncSync(this.#fd);
  }

  /** Resolves when the file is closed, after what is being flushed. */
  async close(): Promise<void> {
    await (this.#next ?? this.#running);
    closeSync(this.#fd);
  }

  #keepWith(along: () => void): void {
    this.flushNow();
    try {
      along();
    } catch (error) {
      ftruncateSync(this.#fd, this.#size);
      this.flushNow();
      throw error;
    }
  }

  #currentBytes(): Buffer {
    return Buffer.concat(this.#current().map(checkedLine));
  }

  #dropWaste(): void {
    const bytes = this.#currentBytes();
    this.#maxSize = WASTE * bytes.length + MIN_WASTE;
    if (this.#size <= WASTE * bytes.length) return;
    try {
      this.#rewrite(bytes);
    } catch (error) {
      if (!(error instanceof FullDisk)) throw error;
      // The larger file is as good: it is tried again when a rewrite is worth its while once more.
      rmSync(`${this.#path}.new`, { force: true });
      this.#maxSize = this.#size + MIN_WASTE;
    }
  }

  /**
   * Replaces all entries, at once or not at all. Throws a FullDisk where there is no room for both.
   */
  #rewrite(bytes: Buffer): void {
    const path = `${this.#path}.new`;
    orFullDisk(() => writeFileSync(path, bytes, { flush: true }));
    renameSync(path, this.#path);
    syncFolder(dirname(this.#path));
    const replaced = this.#fd;
    const close = () => closeSync(replaced);
    // Not while it is being synced: another file may have its number then.
    void Promise.resolve(this.#running).then(close, close);
    this.#fd = openSync(this.#path, 'a+');
    this.#size = bytes.length;
  }

  async #syncAfter(running: Promise<void> | undefined): Promise<void> {
    await running;
    this.#running = this.#next;
    this.#next = undefined;
    await syncData(this.#fd);
  }
}
