/**
 * Writes one size-delimited frame of Kafka's primitive types.
 *
 * Small fields go into a buffer that doubles; record batches are passed on as the buffers they are,
 * so a fetch response is a list of chunks and copies no records. The first four bytes are kept for
 * the frame's size, which `finish` fills in. Owned by one encode call; useless after `finish`.
 */
export class Writer {
  readonly #chunks: Buffer[] = [];
  #buffer = Buffer.allocUnsafe(256);
  #position = 4;
  #chunkBytes = 0;

  bool(value: boolean): void {
    this.int8(value ? 1 : 0);
  }

  int8(value: number): void {
    const at = this.#room(1);
    this.#buffer.writeInt8(value, at);
  }

  int16(value: number): void {
    const at = this.#room(2);
    this.#buffer.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeInt32BE(value, at);
  }

  int64(value: number): void {
    const at = this.#room(8);
    this.#buffer.writeBigInt64BE(BigInt(value), at);
  }

  uuid(value: string): void {
    const at = this.#room(16);
    this.#buffer.write(value.replaceAll('-', ''), at, 'hex');
  }

  uvarint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  string(value: string | null, compact: boolean): void {
    const length = value === null ? -1 : Buffer.byteLength(value);
    if (compact) this.uvarint(length + 1);
    else this.int16(length);
    if (value !== null) {
      const at = this.#room(length);
      this.#buffer.write(value, at);
    }
  }

  bytes(value: Buffer | null, compact: boolean): void {
    this.#length(value === null ? -1 : value.length, compact);
    if (value === null) return;
    const at = this.#room(value.length);
    value.copy(this.#buffer, at);
  }

  records(value: readonly Buffer[] | null, compact: boolean): void {
    this.#length(value === null ? -1 : value.reduce((sum, batch) => sum + batch.length, 0), compact);
    if (value === null || value.length === 0) return;
    this.#seal();
    for (const batch of value) this.#push(batch);
  }

  arrayLength(length: number | null, compact: boolean): void {
    this.#length(length ?? -1, compact);
  }

  noTags(): void {
    this.#byte(0);
  }

  /** The frame's chunks, its size in front. */
  finish(): Buffer[] {
    this.#seal();
    this.#chunks[0].writeInt32BE(this.#chunkBytes - 4, 0);
    return this.#chunks;
  }

  #length(length: number, compact: boolean): void {
    if (compact) this.uvarint(length + 1);
    else this.int32(length);
  }

  #byte(value: number): void {
    const at = this.#room(1);
    this.#buffer[at] = value;
  }

  /** Where to write that many bytes. May replace the buffer, so it comes before any use of it. */
  #room(bytes: number): number {
    const at = this.#position;
    if (at + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, at + bytes));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    this.#position += bytes;
    return at;
  }

  #seal(): void {
    if (this.#position > 0) this.#push(this.#buffer.subarray(0, this.#position));
    this.#buffer = Buffer.allocUnsafe(256);
    this.#position = 0;
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
  }
}
