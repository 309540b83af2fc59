/**
 * Reads Kafka's primitive types from one frame that came from a stranger.
 *
 * Nothing here trusts a length: every read is checked against what is left of the frame before
 * anything is made, and a frame may hold at most MAX_ELEMENTS array elements in all, because an
 * element can be much smaller on the wire (three bytes) than in memory (a hundred). Bytes and
 * record fields are views of the frame, not copies. Each read is O(its size).
 */
import { Refusal } from '../refusal.ts';

export class ProtocolError extends Refusal {
  override readonly name: string = 'ProtocolError';
}

/** Kafka's own limit, in whichever form a string comes. */
const MAX_STRING_BYTES = 2 ** 15 - 1;
/**
 * Far above what clients send (a fetch of 10,000 partitions), far below what would hold the event
 * loop up.
 */
const MAX_ELEMENTS = 100_000;

/**
 * The signed 64-bit number at `at`, clamped to the safe integers, so that it can be written again
 * too.
 */
export function safeInt64(buffer: Buffer, at: number): number {
  const value = Number(buffer.readBigInt64BE(at));
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

export class Reader {
  readonly #frame: Buffer;
  #position = 0;
  readonly #maxElements: number;
  #elements = 0;

  /** `maxElements` is another for a frame that comes from a friend. */
  constructor(frame: Buffer, maxElements: number = MAX_ELEMENTS) {
    this.#frame = frame;
    this.#maxElements = maxElements;
  }

  /** Array elements that were read, or are about to be. */
  get elements(): number {
    return this.#elements;
  }

  get remaining(): number {
    return this.#frame.length - this.#position;
  }

  bool(): boolean {
    return this.int8() !== 0;
  }

  int8(): number {
    return this.#frame.readInt8(this.#take(1));
  }

  int16(): number {
    return this.#frame.readInt16BE(this.#take(2));
  }

  int32(): number {
    return this.#frame.readInt32BE(this.#take(4));
  }

  /** Clamped to the safe integers: no honest offset or timestamp is beyond them. */
  int64(): number {
    return safeInt64(this.#frame, this.#take(8));
  }

  uuid(): string {
    const at = this.#take(16);
    const hex = this.#frame.toString('hex', at, at + 16);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  uvarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#frame[this.#take(1)] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new ProtocolError('a variable-length number is longer than 5 bytes');
  }

  string(compact: boolean): string | null {
    const length = compact ? this.uvarint() - 1 : this.int16();
    if (length === -1) return null;
    const at = this.#take(length);
    const text = this.#frame.toString('utf8', at, at + length);
    // A byte that is no UTF-8 becomes three, and these have to fit into an answer too.
    if (3 * length > MAX_STRING_BYTES && Math.max(length, Buffer.byteLength(text)) > MAX_STRING_BYTES)
      throw new ProtocolError(`a string of ${length} bytes, where ${MAX_STRING_BYTES} is the most`);
    return text;
  }

  bytes(compact: boolean): Buffer | null {
    const length = compact ? this.uvarint() - 1 : this.int32();
    if (length === -1) return null;
    const at = this.#take(length);
    return this.#frame.subarray(at, at + length);
  }

  /**
   * The length of an array, or null; an element takes at least one byte, so no honest length is
   * over what is left.
   */
  arrayLength(compact: boolean): number | null {
    const length = compact ? this.uvarint() - 1 : this.int32();
    if (length === -1) return null;
    if (length < 0 || length > this.remaining) {
      throw new ProtocolError(
        `an array of ${length} elements, with ${this.remaining} bytes left in the frame`,
      );
    }
    this.#elements += length;
    if (this.#elements > this.#maxElements) {
      throw new ProtocolError(
        `${this.#elements} array elements in one frame, where ${this.#maxElements} is the most`,
      );
    }
    return length;
  }

  /** Tagged fields carry extras that this broker has no use for. */
  skipTags(): void {
    const count = this.uvarint();
    for (let index = 0; index < count; index++) {
      this.uvarint();
      this.#take(this.uvarint());
    }
  }

  #take(length: number): number {
    if (length < 0 || length > this.remaining) {
      throw new ProtocolError(`a field of ${length} bytes, with ${this.remaining} left in the frame`);
    }
    const at = this.#position;
    this.#position += length;
    return at;
  }
}
