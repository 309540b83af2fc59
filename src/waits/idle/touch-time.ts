// When an element was touched, without a reading of the clock for each touch: a reading costs more
// than the rest of a touch (`npm run bench -- limits idle`). Only the host's own time has
// stretches. Any other clock can jump between two statements: it is read at every touch.
//
// Invariants. A touch notes the number of a stretch of time. A stretch gets its time when it ends,
// which is that of its END, so no element becomes idle early, and each at most one stretch late.
// One wake-up ends a stretch, and only a touch begins one. The numbers are reused in a ring:
// `lookAt` looks at most half of the ring ahead, and a look keeps a number of at most a quarter of
// the ring, so a quarter is left for late looks.
import type { Clock } from '../../clock/clock.ts';
import { foreign } from '../../clock/host.ts';
import { systemClock } from '../../clock/system-clock.ts';

/**
 * A stretch lasts at most a hundredth of the shortest timeout in use, within these bounds. It is
 * halved until it does.
 */
const STRETCHES_PER_TIMEOUT = 100;
const MIN_STRETCH_MS = 1;
export const MAX_STRETCH_MS = 64;
/**
 * 16 KB. A number fits a Uint16. Half of the ring is a look at least every second (stretches of 1
 * ms) or every minute (of 64 ms).
 */
const RING = 2_048;

declare const stretchBrand: unique symbol;

/** The number of a stretch. */
export type Stretch = number & { readonly [stretchBrand]: true };

/** No stretch: the clock gives the time. */
export const NO_STRETCH = 0 as Stretch;

export class TouchTime {
  readonly #clock: Clock;
  readonly #endsMs: Float64Array = new Float64Array(RING);
  #stretchMs = MAX_STRETCH_MS;
  #open = NO_STRETCH;
  #latest = NO_STRETCH;
  #nowMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time by the clock in ms, never less than before. One reading. */
  now(): number {
    const nowMs = this.#clock.now();
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  /**
   * Makes the stretches short enough for a timeout of `timeoutMs`. True iff they were too long.
   * Then no number may be kept, and all looks must come sooner.
   */
  serve(timeoutMs: number): boolean {
    const before = this.#stretchMs;
    while (this.#stretchMs > MIN_STRETCH_MS && this.#stretchMs > timeoutMs / STRETCHES_PER_TIMEOUT) {
      this.#stretchMs /= 2;
    }
    return this.#stretchMs < before;
  }

  /** The stretch that a touch made now falls into, or NO_STRETCH. */
  stretch(): Stretch {
    const open = this.#open;
    return open !== NO_STRETCH && foreign('setTimeout') === undefined ? open : this.#next();
  }

  /** The end of a stretch in ms of the clock. Infinity while it lasts. */
  endMs(stretch: Stretch): number {
    return this.#endsMs[stretch];
  }

  /**
   * Whether a look keeps the time of a stretch in place of its number. It does for an old stretch,
   * and for the open one, whose end is not known yet.
   */
  isToKeep(stretch: Stretch): boolean {
    return stretch === this.#open || (this.#latest - stretch + RING) % RING > RING / 4;
  }

  /**
   * When to look at an element that may be idle from `atMs` on. With stretches, all elements of one
   * stretch are looked at together, at its end. A wake-up for each element would cost more than the
   * look. It is never after the ring comes round.
   */
  lookAt(atMs: number, nowMs: number): number {
    if (this.#isExact()) return atMs;
    const stretchMs = this.#stretchMs;
    return Math.ceil(Math.min(atMs, nowMs + (RING / 2) * stretchMs) / stretchMs) * stretchMs;
  }

  #next(): Stretch {
    this.#end(this.#open);
    if (this.#isExact()) return NO_STRETCH;
    const stretch = ((this.#latest + 1) % RING || 1) as Stretch;
    this.#latest = stretch;
    this.#open = stretch;
    this.#endsMs[stretch] = Number.POSITIVE_INFINITY;
    // A stretch ends at a time at which a look may be due. So one wake-up of the host serves both.
    const endMs = Math.floor(this.now() / this.#stretchMs + 1) * this.#stretchMs;
    this.#clock.wakeAt(endMs, () => this.#end(stretch)).unref?.();
    return stretch;
  }

  #isExact(): boolean {
    return this.#clock !== systemClock || foreign('setTimeout') !== undefined;
  }

  /** Ends a stretch, unless that has been done. */
  #end(stretch: Stretch): void {
    if (stretch === NO_STRETCH || stretch !== this.#open) return;
    this.#endsMs[stretch] = this.now();
    this.#open = NO_STRETCH;
  }
}
