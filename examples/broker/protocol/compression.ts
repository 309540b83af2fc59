/**
 * Reads compressed records, for those who look for one of them by its time. The codecs are those
 * that the host has: gzip, and zstd from Node.js 22.15 on; not snappy and lz4.
 */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { ByteBudget } from '../storage/byte-budget.ts';

/** In the attributes of a batch. */
const GZIP = 1;
const ZSTD = 4;
/** More of one batch is not read: it is in memory as a whole. */
const MAX_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

interface Options {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}
type Decompress = (
  bytes: Buffer,
  options: Options,
  callback: (error: Error | null, result: Buffer) => void,
) => void;

const { zstdDecompress } = zlib as { zstdDecompress?: Decompress };
const codecs = new Map<number, (bytes: Buffer, options: Options) => Promise<Buffer>>([
  [GZIP, promisify(zlib.gunzip as Decompress)],
]);
if (zstdDecompress) codecs.set(ZSTD, promisify(zstdDecompress));

/**
 * Resolves to what `codec` has made `bytes` of, and takes as much of `room`. Resolves to undefined
 * where that cannot be told: it is damaged, larger than MAX_BYTES or `room`, or of a codec that the
 * host does not have. O(result), in another thread.
 */
export async function decompressed(
  bytes: Buffer,
  codec: number,
  room: ByteBudget,
): Promise<Buffer | undefined> {
  const decompress = codecs.get(codec);
  const maxOutputLength = Math.min(room.bytesLeft, MAX_BYTES);
  if (decompress === undefined || maxOutputLength < 1) return undefined;
  try {
    const result = await decompress(bytes, { maxOutputLength, chunkSize: CHUNK_BYTES });
    room.add(result.length);
    return result;
  } catch {
    // The broker takes batches as they come: what is in them is between producers and consumers.
    room.add(maxOutputLength);
    return undefined;
  }
}
