// From an element to its task, fast enough for a touch.
//
// Ground rules. The Map has every element, of any type. An object that can take it carries its task besides, in a field under a
// private symbol that is not enumerable: reading that costs a few ns, a Map look-up 25 and more. The field is a short cut and
// never the truth: it is believed only if the task names this very element and index, so that an heir, a proxy, a frozen object, or
// an element that two indexes track go by the Map. A removed element keeps an empty field: to delete it would slow the object down.
import type { IdleTask } from './idle-task.ts';

const shortCut: unique symbol = Symbol('purgatory.idle');

interface Marked<E> {
  [shortCut]?: IdleTask<E> | undefined;
}

export class ElementIndex<E> {
  readonly #tasks = new Map<E, IdleTask<E>>();

  get size(): number {
    return this.#tasks.size;
  }

  find(element: E): IdleTask<E> | undefined {
    const task = (element as Marked<E> | null | undefined)?.[shortCut];
    if (task !== undefined && task.index === this && task.element === element) return task;
    return this.#tasks.get(element);
  }

  /** Takes in an element that is not here. */
  add(task: IdleTask<E>): void {
    const { element } = task;
    this.#tasks.set(element, task);
    task.index = this;
    if ((typeof element !== 'object' && typeof element !== 'function') || element === null) return;
    const marked: Marked<E> = element;
    if (marked[shortCut]?.index !== undefined) return;
    Reflect.defineProperty(marked, shortCut, { value: task, writable: true, configurable: true });
  }

  remove(task: IdleTask<E>): void {
    this.#tasks.delete(task.element);
    task.index = undefined;
    const marked = task.element as Marked<E> | null | undefined;
    if (marked?.[shortCut] === task) Reflect.set(marked as object, shortCut, undefined);
  }

  /** The tasks, in the order in which their elements came. */
  tasks(): IterableIterator<IdleTask<E>> {
    return this.#tasks.values();
  }
}
