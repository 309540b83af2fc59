/**
 * CRC32C (Castagnoli), the checksum of a record batch: @node-rs/crc32 where its native addon loads,
 * else the pure
 * @aws-crypto/crc32c. Both give the same unsigned 32-bit number.
 */
import { createRequire } from 'node:module';
import { crc32c as pureCrc32c } from '@aws-crypto/crc32c';

export { pureCrc32c };

export const nativeCrc32c = loadNative();

export const crc32c: (bytes: Buffer) => number = nativeCrc32c ?? pureCrc32c;

function loadNative(): ((bytes: Buffer) => number) | undefined {
  try {
    return createRequire(import.meta.url)('@node-rs/crc32').crc32c;
  } catch {
    // No addon for this platform: the pure one takes over, which is slower and as right.
    return undefined;
  }
}
