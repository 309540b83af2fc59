import { ftruncateSync, writeSync } from 'node:fs';

/**
 * Appends all of `bytes` to a file of `size` bytes, or nothing: what a full disk took of it is cut
 * off again before the error goes on.
 */
export function writeWhole(fd: number, bytes: Buffer, size: number): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
}
