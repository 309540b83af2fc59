/**
 * Counts bytes against a limit. It refuses nothing: callers check for room before they change
 * anything.
 */
export class ByteBudget {
  readonly maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** What is taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Below 0 where more is taken than the limit. */
  get bytesLeft(): number {
    return this.maxBytes - this.#bytes;
  }

  hasRoomFor(bytes: number): boolean {
    return bytes <= this.bytesLeft;
  }

  /** Adds `bytes` to what is taken. A negative number frees them. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
