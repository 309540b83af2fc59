/**
 * Counts bytes against a limit. It refuses nothing: whoever wants more asks first, before anything
 * is changed.
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

  /** So many bytes more are taken, or, below 0, less. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
