/**
 * Files that are open only while they are used now and then: at most `max` of all at a time, and
 * those being synced. So a log may have any number of files, which all could be read from at any
 * time.
 *
 * Owns the descriptors. A file is opened when its descriptor is asked for, and closed again when
 * `max` others were used since. A descriptor is good until the end of the turn. O(1) each, and an
 * open and a close where more than `max` files take turns.
 */
import { closeSync, constants, fdatasync, openSync } from 'node:fs';

export class OpenFiles {
  readonly #max: number;
  /** The one used the longest ago first. */
  readonly #open = new Set<PooledFile>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** For PooledFile only. */
  note(file: PooledFile): void {
    this.#open.delete(file);
    this.#open.add(file);
    if (this.#open.size <= this.#max) return;
    for (const other of this.#open) {
      if (other.isBusy) continue;
      other.close();
      return;
    }
  }

  /** For PooledFile only. */
  forget(file: PooledFile): void {
    this.#open.delete(file);
  }
}

/** A file that is read, and written at its end. */
export class PooledFile {
  readonly path: string;
  readonly #files: OpenFiles;
  #fd: number | undefined;
  #syncs = 0;

  /** Makes the file where there is none. */
  constructor(files: OpenFiles, path: string) {
    this.path = path;
    this.#files = files;
    this.#fd = openSync(path, 'a+');
    files.note(this);
  }

  get fd(): number {
    // Never made again: one that is gone is a fault.
    this.#fd ??= openSync(this.path, constants.O_RDWR | constants.O_APPEND);
    this.#files.note(this);
    return this.#fd;
  }

  get isBusy(): boolean {
    return this.#syncs > 0;
  }

  /** Resolves when everything written before the call is on the disk. */
  sync(): Promise<void> {
    const { fd } = this;
    this.#syncs++;
    return new Promise((resolve, reject) => {
      fdatasync(fd, (error) => {
        this.#syncs--;
        if (fd !== this.#fd && !this.isBusy) closeSync(fd);
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  /**
   * Until it is used again. The descriptor stays until a sync that is under way has ended, or it
   * would sync another file.
   */
  close(): void {
    if (this.#fd === undefined) return;
    if (!this.isBusy) closeSync(this.#fd);
    this.#fd = undefined;
    this.#files.forget(this);
  }
}
