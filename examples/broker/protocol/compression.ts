/**
 * Reads compressed records, for those who look for one of them by its time. The codecs are those
 * that the host has: gzip, and zstd from Node.js 22.15 on; not snappy and lz4.
 */
import * as zlib from 'node:zlib';

/** In the attributes of a batch. */
const GZIP = 1;
const ZSTD = 4;
/** More is not read: a look-up keeps everybody waiting for as long as it takes, some 50 ms. */
const MAX_BYTES = 16 * 1024 * 1024;

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const { zstdDecompressSync } = zlib as { zstdDecompressSync?: Decompress };
const codecs = new Map<number, Decompress | undefined>([
  [GZIP, zlib.gunzipSync],
  [ZSTD, zstdDecompressSync],
]);

/**
 * What `codec` has made `bytes` of; undefined where that cannot be told: it is damaged, larger than
 * MAX_BYTES, or of a codec that the host does not have. O(result).
 */
export function decompressed(bytes: Buffer, codec: number): Buffer | undefined {
  try {
    return codecs.get(codec)?.(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    // The broker takes batches as they come: what is in them is between producers and consumers.
    return undefined;
  }
}
