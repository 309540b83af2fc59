// When an element was touched, without a clock reading per touch: that alone costs more than the rest of a touch (`npm run bench -- limits idle`).
//
// Ground rules. A touch notes the number of the stretch of time that it falls into, which is open until it ends, and learns its
// time only then: its END, as read from the clock. So the time of a stretch is never before a touch in it, however long the event
// loop was blocked meanwhile, and no element becomes idle early; it can become so a stretch late. One wake-up a stretch ends it,
// and no stretch begins before a touch: what nobody touches costs nothing.
//
// The numbers go round in a ring, so memory is fixed. Whoever keeps one asks for its time before the ring comes round to it: a look keeps
// a number that is at most a quarter of the ring old, and `lookAt` never looks further ahead than half of it, so a quarter is left
// for looks that come late. When the stretches become shorter none may be kept, and all looks are to be sooner. If somebody is kept
// from looking for longer (by a timer that is not advanced), the number stands for a later stretch, and the element becomes idle
// late, still not early.
//
// Stretches are for the host's own time alone, which moves by itself and in small steps. Any other clock (ManualClock, a fake
// one) can jump between two statements and is cheap to read: it is read at every touch, and the times are exact.
import type { Clock } from '../clock/clock.ts';
import { isHostTimeReal } from '../clock/host.ts';
import { systemClock } from '../clock/system-clock.ts';

/** A stretch lasts at most a hundredth of the shortest timeout in use, within these bounds; it is halved until it does. */
const STRETCHES_PER_TIMEOUT = 100;
const MIN_STRETCH_MS = 1;
export const MAX_STRETCH_MS = 64;
/** 16 KB. Fits a Uint16; half of it is a look at least every second (of 1 ms stretches) or minute (of 64 ms). */
const RING = 2_048;

declare const stretchBrand: unique symbol;

/** The number of a stretch. */
export type Stretch = number & { readonly [stretchBrand]: true };

/** No stretch: the time is to be read from the clock. */
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

  /** The time in ms of the clock: one reading, never less than an earlier one. */
  now(): number {
    const nowMs = this.#clock.now();
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  /**
   * Makes the stretches short enough for a timeout of `timeoutMs`; true iff they were not. Then no number may be kept, and all looks
   * are to be sooner.
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
    return open !== NO_STRETCH && isHostTimeReal() ? open : this.#next();
  }

  /** The end of a stretch in ms of the clock; Infinity while it lasts. */
  endMs(stretch: Stretch): number {
    return this.#endsMs[stretch];
  }

  /** Whether the time of a stretch is to be kept in its place until the next look: of the open one, so as not to wait for its end. */
  isToKeep(stretch: Stretch): boolean {
    return stretch === this.#open || (this.#latest - stretch + RING) % RING > RING / 4;
  }

  /**
   * When to look at an element that may be idle from `atMs` on: then, or on the host's own time with all the others of that stretch (a
   * wake-up for each would cost more than the look), and before the ring comes round.
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
    // At the time of a look, so that one wake-up of the host serves both.
    const endMs = Math.floor(this.now() / this.#stretchMs + 1) * this.#stretchMs;
    this.#clock.wakeAt(endMs, () => this.#end(stretch)).unref?.();
    return stretch;
  }

  #isExact(): boolean {
    return this.#clock !== systemClock || !isHostTimeReal();
  }

  /** Ends a stretch, unless that has been done. */
  #end(stretch: Stretch): void {
    if (stretch === NO_STRETCH || stretch !== this.#open) return;
    this.#endsMs[stretch] = this.now();
    this.#open = NO_STRETCH;
  }
}
