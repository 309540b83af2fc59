/**
 * What happens when the disk, or the quota on it, is full: that is no fault of the broker. Whoever
 * wanted to write is refused in words, nothing of it is kept, and everything goes on by itself when
 * there is room.
 */
import { statfsSync } from 'node:fs';
import { Refusal } from '../refusal.ts';

export class FullDisk extends Refusal {
  override readonly name = 'FullDisk';
}

/**
 * What `write` returns. Throws a FullDisk where it fails because there is no room. Not to be used
 * for the sync of what others rely on already: after one that failed nobody knows what is on the
 * disk.
 */
export function orFullDisk<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    throw new FullDisk(`the disk is full (${code})`, { cause: error });
  }
}

/**
 * The disk that holds a folder. Records may fill it up to `minFreeBytes`: that is left for what is
 * small and has to go on (commits, topics, the start of a log). One system call a check, about a
 * microsecond.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #minFreeBytes: number;

  constructor(folder: string, minFreeBytes: number) {
    this.#folder = folder;
    this.#minFreeBytes = minFreeBytes;
  }

  /** Throws a FullDisk when less than `minFreeBytes` would be left. */
  checkRoomFor(bytes: number): void {
    if (this.#minFreeBytes === 0) return;
    const { bavail, bsize, blocks } = statfsSync(this.#folder);
    // A file system that does not know its size has none.
    if (blocks === 0 || bavail * bsize - bytes >= this.#minFreeBytes) return;
    throw new FullDisk(
      `the disk has ${bavail * bsize} bytes left, where --min-free-bytes is ${this.#minFreeBytes}`,
    );
  }
}
