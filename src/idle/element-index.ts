// From an element to its task, and to the stamp of its last touch, fast enough for a touch.
//
// Ground rules. The Map has every element, of any type. An object that can take it carries its stamp besides, in private fields of
// Mark: a touch then writes to memory that whoever has the element has at hand. To look it up costs two to three times as
// much, in a WeakMap too, and the stamp in the task would be one more cache miss. Private fields are the object's own (not its
// heirs', not its proxies'), seen by nobody, and survive a freeze. One index at a time can own them: an element that another index
// tracks already, a function, a primitive and an object that is not extensible go by the Map.
import type { IdleTask } from './idle-task.ts';
import { Stamp } from './touch-time.ts';

/** Its constructor returns the object that it is given, so a class that extends it puts its private fields into that object. */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point
    return object;
  }
}

const NEVER = new Stamp(Number.NEGATIVE_INFINITY);

class Mark extends Carrier {
  #owner: object | undefined = undefined;
  #touched = NEVER;

  /** Marks `element` for `owner`, unless that cannot be or another owner has it. */
  static add(element: unknown, owner: object, touched: Stamp): void {
    if (typeof element !== 'object' || element === null) return;
    if (!(#owner in element)) {
      if (!Object.isExtensible(element)) return;
      new Mark(element);
    }
    const marked = element as Mark;
    if (marked.#owner !== undefined) return;
    marked.#owner = owner;
    marked.#touched = touched;
  }

  static remove(element: unknown, owner: object): void {
    if (!Mark.isOf(element, owner)) return;
    element.#owner = undefined;
    element.#touched = NEVER;
  }

  static isOf(element: unknown, owner: object): element is Mark {
    return typeof element === 'object' && element !== null && #owner in element && element.#owner === owner;
  }

  static touch(element: Mark, touched: Stamp): void {
    element.#touched = touched;
  }

  static touched(element: Mark): Stamp {
    return element.#touched;
  }
}

export class ElementIndex<E> {
  readonly #tasks = new Map<E, IdleTask<E>>();

  get size(): number {
    return this.#tasks.size;
  }

  find(element: E): IdleTask<E> | undefined {
    return this.#tasks.get(element);
  }

  /** Notes the stamp for an element that is here; true iff it is. */
  touch(element: E, stamp: Stamp): boolean {
    if (Mark.isOf(element, this)) {
      Mark.touch(element, stamp);
      return true;
    }
    const task = this.#tasks.get(element);
    if (task === undefined) return false;
    task.touched = stamp;
    return true;
  }

  /** The stamp of the last touch of the task's element, which is here. */
  touched(task: IdleTask<E>): Stamp {
    const { element } = task;
    return Mark.isOf(element, this) ? Mark.touched(element) : task.touched;
  }

  /** Takes in an element that is not here. */
  add(task: IdleTask<E>): void {
    this.#tasks.set(task.element, task);
    Mark.add(task.element, this, task.touched);
  }

  remove(task: IdleTask<E>): void {
    this.#tasks.delete(task.element);
    Mark.remove(task.element, this);
  }

  /** The tasks, in the order in which their elements came. */
  tasks(): IterableIterator<IdleTask<E>> {
    return this.#tasks.values();
  }
}
