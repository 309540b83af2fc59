// Where taken items came from, so that they find their place when they come back.
//
// Invariants. The mark is a private field of the result that `take` gives, which is a plain object to
// all that looks at it. (A WeakMap would cost more than the take.) Nobody but its queues reads it,
// and none is left when the items have come back.

/** Of each item its turn, or its entry, which has one. */
type Places = unknown;

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
  readonly #places: Places;

  private constructor(taken: Marked, owner: object, places: Places) {
    super(taken);
    this.#owner = owner;
    this.#key = taken.key;
    this.#places = places;
  }

  /** Marks `taken`, a new object; returns it. */
  static add<T extends Marked>(taken: T, owner: object, places: Places): T {
    new TakenMark(taken, owner, places);
    return taken;
  }

  /** The key of the items of `taken`, and their places, if it has a mark of `owner`. */
  static read(taken: unknown, owner: object): { key: unknown; places: readonly unknown[] } | undefined {
    if (!TakenMark.has(taken) || (taken as TakenMark).#owner !== owner) return undefined;
    const places = (taken as TakenMark).#places;
    return { key: (taken as TakenMark).#key, places: Array.isArray(places) ? places : [places] };
  }

  /** Whether it was marked, also if the mark was taken off since. */
  static has(taken: unknown): boolean {
    return typeof taken === 'object' && taken !== null && #owner in taken;
  }

  /** Takes the mark off. */
  static remove(taken: object): void {
    (taken as TakenMark).#owner = undefined;
  }
}
