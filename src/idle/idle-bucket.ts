// Elements that are looked at together: one task of the timer for up to 32 of them.
//
// Ground rules. A bucket has its rows at places, in the order in which they were filed. When a row
// leaves, its place stays empty. So the other rows keep their places. The timer may run the bucket
// before its elements are idle, as a touch changes nothing here. Then its owner looks at the last
// touch of each element, and files it anew.
//
// Why not all elements of one time in one bucket: a timer checks its slice between two tasks. With
// small buckets, a burst of idle elements runs in slices, to its end by advanceClock(), and stops
// at close(), as if each element were a task of its own.
import { TimerTask } from '../timer/timer-task.ts';
import { NO_ROW, type Row } from './row.ts';

/**
 * Small enough that the listeners of one bucket seldom take longer than a slice. Large enough that
 * the timer's share of the cost of a look is small.
 */
export const MAX_PLACES = 32;

declare const placeBrand: unique symbol;

/** Where in its bucket a row is. */
export type Place = number & { readonly [placeBrand]: true };

export class IdleBucket extends TimerTask {
  /** When the timer runs it, in ms of the clock. */
  lookAtMs = 0;
  /** The number that the ElementTable gives the bucket. Valid while the bucket has rows. */
  number = 0;
  #size = 0;
  readonly #rows: Row[] = [];
  readonly #look: (bucket: IdleBucket) => void;

  constructor(look: (bucket: IdleBucket) => void) {
    super(0);
    this.#look = look;
  }

  /** Rows in it. */
  get size(): number {
    return this.#size;
  }

  /** Places that were given out, holes included. */
  get places(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#rows.length === MAX_PLACES;
  }

  /** To be called before it is added to a timer, which reads `delayMs` in each add. */
  setTime(lookAtMs: number, nowMs: number): void {
    this.lookAtMs = lookAtMs;
    (this as { delayMs: number }).delayMs = Math.min(lookAtMs - nowMs, Number.MAX_SAFE_INTEGER);
  }

  push(row: Row): Place {
    this.#size++;
    return (this.#rows.push(row) - 1) as Place;
  }

  /** NO_ROW in a hole. */
  rowAt(place: Place): Row {
    return this.#rows[place];
  }

  /** The row there has moved. */
  setRow(place: Place, row: Row): void {
    this.#rows[place] = row;
  }

  remove(place: Place): void {
    this.#rows[place] = NO_ROW;
    this.#size--;
  }

  override run(): void {
    this.#look(this);
  }
}
