/**
 * Cuts the byte stream of one connection into size-delimited frames.
 *
 * Keeps what arrived until a frame is whole and never makes room for more than that, whatever size
 * a frame claims. O(bytes).
 */
import { ProtocolError } from '../protocol/reader.ts';

export const SIZE_BYTES = 4;
/** A correlation id: no request and no answer has less. */
const MIN_FRAME_BYTES = 4;
/** A peer that sends byte by byte shall not cost a Buffer object per byte. */
const MERGE_BYTES = 4096;

export class FrameSplitter {
  readonly #maxFrameBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  push(chunk: Buffer): void {
    this.#buffered += chunk.length;
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.length + chunk.length <= MERGE_BYTES) {
      this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, chunk]);
    } else {
      this.#chunks.push(chunk);
    }
  }

  /**
   * The next whole frame, without its size, or undefined. Throws ProtocolError for a size that no
   * frame may have.
   */
  next(): Buffer | undefined {
    if (this.#buffered < SIZE_BYTES) return undefined;
    const size = this.#peekSize();
    if (size < MIN_FRAME_BYTES)
      throw new ProtocolError(`a frame of ${size} bytes, where each has at least ${MIN_FRAME_BYTES}`);
    if (size > this.#maxFrameBytes) {
      throw new ProtocolError(`a frame of ${size} bytes, where --max-frame-bytes is ${this.#maxFrameBytes}`);
    }
    const end = SIZE_BYTES + size;
    if (this.#buffered < end) return undefined;
    const joined = this.#join();
    this.#buffered -= end;
    this.#chunks = this.#buffered === 0 ? [] : [joined.subarray(end)];
    return joined.subarray(SIZE_BYTES, end);
  }

  #peekSize(): number {
    if (this.#chunks[0].length < SIZE_BYTES) this.#join();
    return this.#chunks[0].readInt32BE(0);
  }

  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0];
  }
}
