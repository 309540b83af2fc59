import { readSync } from 'node:fs';

/** Reads `length` bytes at `position`. Throws an Error where the file has fewer. */
export function readWhole(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  for (let have = 0; have < length; ) {
    const bytes = readSync(fd, buffer, have, length - have, position + have);
    if (bytes === 0) throw new Error(`a file ended at ${position + have}, before ${position + length}`);
    have += bytes;
  }
  return buffer;
}
