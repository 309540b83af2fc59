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

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.maxBytes;
  }

  /** Adds `bytes` to what is taken. A negative number frees them. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
