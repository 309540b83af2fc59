// From an element to its row in the ElementTable, fast enough for a touch.
//
// Invariants. An object carries its row in private fields of Mark: the caller has the object at
// hand, so a touch reads memory that is in the cache. The fields are written only when the element
// comes, goes or moves, because a write of a pointer makes the collector visit an old object. One
// index at a time can use the fields. A Map has all other elements: those that another index
// tracks, functions, primitives, and objects that cannot get fields.
//
// V8 leaves room for the fields in all objects of a class if the first of them are tracked as soon
// as they are made. Else a touch costs one more cache miss.
declare const rowBrand: unique symbol;

/** The number of an element's row in the ElementTable. */
export type Row = number & { readonly [rowBrand]: true };

/** No row. */
export const NO_ROW = -1 as Row;

/**
 * Its constructor returns the object that it gets. So a class that extends it puts its private
 * fields into that object.
 */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point
    return object;
  }
}

class Mark extends Carrier {
  #owner: object | undefined = undefined;
  #row = NO_ROW;

  /**
   * Marks `element` for `owner`. False if it cannot carry a mark, or has the mark of another owner.
   */
  static add(element: unknown, owner: object, row: Row): boolean {
    if (typeof element !== 'object' || element === null) return false;
    if (!(#owner in element)) {
      if (!Object.isExtensible(element)) return false;
      new Mark(element);
    }
    const marked = element as Mark;
    if (marked.#owner !== undefined) return false;
    marked.#owner = owner;
    marked.#row = row;
    return true;
  }

  static remove(element: Mark): void {
    element.#owner = undefined;
  }

  static isOf(element: unknown, owner: object): element is Mark {
    return typeof element === 'object' && element !== null && #owner in element && element.#owner === owner;
  }

  static row(element: Mark): Row {
    return element.#row;
  }

  static setRow(element: Mark, row: Row): void {
    element.#row = row;
  }
}

export class ElementIndex<E> {
  /** The rows of the elements that do not carry theirs. */
  readonly #rows = new Map<E, Row>();

  /** The row of `element`, or NO_ROW. */
  find(element: E): Row {
    return Mark.isOf(element, this) ? Mark.row(element) : (this.#rows.get(element) ?? NO_ROW);
  }

  /** Takes in an element that is not here. */
  add(element: E, row: Row): void {
    if (!Mark.add(element, this, row)) this.#rows.set(element, row);
  }

  /** Notes the new row of an element that is here. */
  move(element: E, row: Row): void {
    if (Mark.isOf(element, this)) Mark.setRow(element, row);
    else this.#rows.set(element, row);
  }

  /** Forgets an element that is here. */
  remove(element: E): void {
    if (Mark.isOf(element, this)) Mark.remove(element);
    else this.#rows.delete(element);
  }
}
