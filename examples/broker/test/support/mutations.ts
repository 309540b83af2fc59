/**
 * Damages frames in the ways that find faults in parsers: bits, bytes, lengths, cuts, repetitions,
 * mixtures. Deterministic by its seed.
 */
import { crc32c } from '@node-rs/crc32';
import { Random } from './random.ts';

/** Numbers that lengths, counts, times and offsets go wrong at. */
const EDGES = [0, 1, -1, 2, 127, 128, 255, 256, 32_767, -32_768, 65_535, 100_001, 2 ** 31 - 1, -(2 ** 31)];

export class Mutations {
  readonly #frames: readonly Buffer[];
  readonly #random: Random;

  constructor(frames: readonly Buffer[], seed: number) {
    this.#frames = frames;
    this.#random = new Random(seed);
  }

  /** A recorded frame with a mutation, or some. */
  next(): Buffer {
    let frame: Buffer = Buffer.from(this.#random.pick(this.#frames));
    do frame = this.#mutate(frame);
    while (this.#random.below(3) === 0);
    return this.#random.below(2) === 0 ? sealBatch(frame) : frame;
  }

  #mutate(frame: Buffer): Buffer {
    const at = this.#random.below(frame.length);
    const room = frame.length - at;
    const length = 1 + this.#random.below(Math.min(room, 16));
    switch (this.#random.below(9)) {
      case 0:
        frame[at] ^= 1 << this.#random.below(8);
        return frame;
      case 1:
        frame[at] = this.#random.below(256);
        return frame;
      case 2:
        if (room >= 4) frame.writeInt32BE(this.#random.pick(EDGES), at);
        return frame;
      case 3:
        if (room >= 2) frame.writeInt16BE((this.#random.pick(EDGES) << 16) >> 16, at);
        return frame;
      case 4:
        if (room >= 8)
          frame.writeBigInt64BE(BigInt(this.#random.pick(EDGES)) << BigInt(this.#random.below(32)), at);
        return frame;
      case 5:
        return frame.subarray(0, at);
      case 6:
        return Buffer.concat([frame.subarray(0, at), frame.subarray(at + length)]);
      case 7:
        return Buffer.concat([frame.subarray(0, at + length), frame.subarray(at)]);
      default: {
        const other = this.#random.pick(this.#frames);
        return Buffer.concat([frame.subarray(0, at), other.subarray(this.#random.below(other.length))]);
      }
    }
  }
}

/**
 * Makes the checksum right again where a record batch ends the frame, so that a mutation in it gets
 * past the checksum.
 */
function sealBatch(frame: Buffer): Buffer {
  if (frame.length < 8 || frame.readInt16BE(0) !== 0) return frame;
  for (let at = 8; at + 61 <= frame.length; at++) {
    const end = at + 12 + frame.readInt32BE(at + 8);
    if (frame[at + 16] !== 2 || end < at + 61 || end > frame.length) continue;
    frame.writeUInt32BE(crc32c(frame.subarray(at + 21, end)), at + 17);
    return frame;
  }
  return frame;
}
