// From an element to its row in the ElementTable, fast enough for a touch.
//
// Ground rules. An object that can take it carries its row in private fields of Mark: a touch then reads memory that whoever has
// the element has at hand, where a Map, or a WeakMap, must look it up. Both fields are written when the element
// comes, goes or moves, never by a touch: a pointer written into an old object is one more for the collector to visit. Private
// fields are the object's own (not its heirs', not its proxies'), seen by nobody, and survive a freeze. One index at a time can own
// them: an element that another index tracks already, a function, a primitive and an object that is not extensible go by a Map.
//
// Where the first objects of a class are tracked as soon as they are made, as a server does with connections, V8 leaves room for the
// fields in all of that class; else they lie beside the object, which is one more cache miss a touch.
import { NO_ROW, type Row } from './row.ts';

/** Its constructor returns the object that it is given, so a class that extends it puts its private fields into that object. */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point
    return object;
  }
}

class Mark extends Carrier {
  #owner: object | undefined = undefined;
  #row = NO_ROW;

  /** Marks `element` for `owner`; false if that cannot be, or another owner has it. */
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
