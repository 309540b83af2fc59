// What becomes of a load that failed within its time: it is divided, so a bad key fails alone.
//
//   a, b, BAD, c, d, e  fails ──► b  |  a, BAD, c  |  d, e ──► the part that fails is divided again
//
// Invariants. A part that failed is divided further if a load of its division was answered, or one
// of the division before. Else the store is taken to be down, and the part has failed for good. The
// one key that is loaded alone is chosen at random. So a batch with a bad key in each half is seldom
// taken for a store that is down. Halves alone would be.
//
// Costs. One bad key of n: about 3 log2(n) loads. A store that is down: 3 loads more for each batch.

/** A part that has failed. */
export interface FailedPart<L> {
  readonly load: L;
  readonly error: unknown;
}

/** What is done with parts that have failed. `isUp`: another part was answered. */
export type Decide<L> = (failed: readonly FailedPart<L>[], isUp: boolean) => void;

/** The parts of one failed load, each a load `L`. */
export class Division<L> {
  readonly #decide: Decide<L>;
  /** Parts that are still to end. */
  #open: number;
  #isUp = false;
  /** Parts that have failed, until it is known whether the store is up. */
  #failed: FailedPart<L>[] = [];

  constructor(parts: number, decide: Decide<L>) {
    this.#open = parts;
    this.#decide = decide;
  }

  answered(): void {
    this.#isUp = true;
    this.ended();
  }

  failed(load: L, error: unknown): void {
    this.#failed.push({ load, error });
    this.ended();
  }

  /** A part is over, whatever became of it: it may have lost all its waits, or timed out. */
  ended(): void {
    this.#open--;
    if (!this.#isUp && this.#open > 0) return;
    const failed = this.#failed;
    this.#failed = [];
    if (failed.length > 0) this.#decide(failed, this.#isUp);
  }
}

/** The parts of some keys: one alone, and two halves of the others. @param random from 0 to 1. */
export function partsOf<T>(keys: readonly T[], random: number): T[][] {
  if (keys.length <= 3) return keys.map((key) => [key]);
  const others = [...keys];
  const alone = others.splice(Math.floor(random * others.length), 1);
  const middle = others.length >> 1;
  return [alone, others.slice(0, middle), others.slice(middle)];
}
