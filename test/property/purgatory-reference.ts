// The naive purgatory that the real one is compared with: a Map from each key to an array of its
// watchers.
//
// It runs nothing itself. It knows of deadlines only what its TimerReference reports.
import type { TimerReference } from './timer-reference.ts';

/** What the reference keeps of an operation. */
export interface Guest {
  readonly id: number;
  readonly delayMs: number;
  /** Which parking this is: another number each time it is parked. 0: not parked. */
  parking: number;
  keys: ReadonlySet<number>;
}

let parkings = 0;

export class PurgatoryReference {
  readonly maxParked: number;
  readonly #watchers = new Map<number, Guest[]>();
  readonly #parked: Guest[] = [];
  readonly #timer: TimerReference;
  isClosed = false;

  constructor(timer: TimerReference, maxParked: number) {
    this.#timer = timer;
    this.maxParked = maxParked;
  }

  get numDelayed(): number {
    return this.#parked.length;
  }

  get watchedKeys(): number {
    return this.#watchers.size;
  }

  get watched(): number {
    return this.#parked.reduce((sum, guest) => sum + guest.keys.size, 0);
  }

  get isFull(): boolean {
    return this.#parked.length >= this.maxParked;
  }

  /** The parked guests, in park order. */
  get parked(): readonly Guest[] {
    return this.#parked;
  }

  holds(guest: Guest): boolean {
    return guest.parking !== 0;
  }

  watchersOf(key: number): Guest[] {
    return [...(this.#watchers.get(key) ?? [])];
  }

  park(guest: Guest, keys: readonly number[], nowMs: number, inside: boolean): void {
    guest.parking = ++parkings;
    guest.keys = new Set(keys);
    this.#parked.push(guest);
    for (const key of guest.keys) {
      const watchers = this.#watchers.get(key);
      if (watchers === undefined) this.#watchers.set(key, [guest]);
      else watchers.push(guest);
    }
    if (guest.delayMs !== Number.POSITIVE_INFINITY) this.#timer.add(guest.id, nowMs, guest.delayMs, inside);
  }

  leave(guest: Guest): boolean {
    if (!this.holds(guest)) return false;
    this.#parked.splice(this.#parked.indexOf(guest), 1);
    for (const key of guest.keys) {
      const others = this.watchersOf(key).filter((other) => other !== guest);
      if (others.length === 0) this.#watchers.delete(key);
      else this.#watchers.set(key, others);
    }
    this.#timer.remove(guest.id);
    guest.parking = 0;
    return true;
  }
}
