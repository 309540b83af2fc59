// Where taken items came from, so that they find their place when they come back.
//
// Invariants. The mark is a private field of the result that `take` gives, which is a plain object to
// all that looks at it. (A WeakMap would cost more than the take.) Nobody but its queues reads it,
// and none is left when the items have come back.

/** The turns of the items, in the order of the items. */
type Turns = number | readonly number[];

interface Marked {
  readonly key: unknown;
}

/** Its constructor returns the object that it gets: so a subclass adds private fields to that. */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point
    return object;
  }
}

export class TakenMark extends Carrier {
  #owner: object | undefined;
  readonly #key: unknown;
  readonly #turns: Turns;

  private constructor(taken: Marked, owner: object, turns: Turns) {
    super(taken);
    this.#owner = owner;
    this.#key = taken.key;
    this.#turns = turns;
  }

  /** Marks `taken`, a new object; returns it. */
  static add<T extends Marked>(taken: T, owner: object, turns: Turns): T {
    new TakenMark(taken, owner, turns);
    return taken;
  }

  /** The key of the items of `taken`, and their turns, if it has a mark of `owner`. */
  static read(taken: unknown, owner: object): { key: unknown; turns: readonly number[] } | undefined {
    if (typeof taken !== 'object' || taken === null || !(#owner in taken)) return undefined;
    return taken.#owner === owner ? { key: taken.#key, turns: [taken.#turns].flat() } : undefined;
  }

  /** Takes the mark off. */
  static remove(taken: object): void {
    (taken as TakenMark).#owner = undefined;
  }
}
