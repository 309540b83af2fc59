/**
 * What happens when the disk, or the quota on it, is full. That is no fault of the broker. A write
 * is refused in words and nothing of it is kept. Everything goes on by itself when there is room.
 */
import { statfsSync } from 'node:fs';
import { Refusal } from '../refusal.ts';

export class FullDisk extends Refusal {
  override readonly name = 'FullDisk';
}

/**
 * Returns what `write` returns. Throws a FullDisk where `write` fails because there is no room. Do
 * not use it for the sync of data that others rely on already: after a sync that failed nobody
 * knows what is on the disk.
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
 * The disk that holds a folder. Records may fill it up to `minFreeBytes`. The rest is for small
 * data that must go on (commits, topics, the start of a log). One system call a check, about a
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
