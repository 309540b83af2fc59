// Where taken items came from, so that they find their place when they come back.
//
// Invariants. The mark is a private field of the result that `take` gives, which is a plain object to
// all that looks at it. (A WeakMap would cost more than the take.) Nobody but its queues reads it,
// and none is left when the items have come back.

/** The turns of the items, in the order of the items. */
type Turns = number | readonly number[];

/** Its constructor returns the object that it gets: so a subclass adds private fields to that. */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point
    return object;
  }
}

export class TakenMark extends Carrier {
  #owner: object | undefined;
  #turns: Turns;

  private constructor(taken: object, owner: object, turns: Turns) {
    super(taken);
    this.#owner = owner;
    this.#turns = turns;
  }

  /** Marks `taken`, a new object; returns it. */
  static add<T extends object>(taken: T, owner: object, turns: Turns): T {
    new TakenMark(taken, owner, turns);
    return taken;
  }

  /** The turns of `taken`, if it has a mark of `owner`. */
  static turns(taken: unknown, owner: object): readonly number[] | undefined {
    if (typeof taken !== 'object' || taken === null || !(#owner in taken)) return undefined;
    return taken.#owner === owner ? [taken.#turns].flat() : undefined;
  }

  /** Takes the mark off. */
  static remove(taken: object): void {
    (taken as TakenMark).#owner = undefined;
  }
}
