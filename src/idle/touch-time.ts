// When an element was touched, without a clock reading per touch: that alone costs more than the rest of a touch (`npm run bench -- limits idle`).
//
// Ground rules. A touch notes a Stamp, shared by all that are touched in the same stretch of time. A stamp is open until its
// stretch ends, and learns its time only then: the END of the stretch, as read from the clock. So a stamp is never before the
// touch that noted it, however long the event loop was blocked meanwhile, and no element becomes idle early; it can become so a
// stretch late. One wake-up a stretch ends it, and no stretch begins before a touch: what nobody touches costs nothing.
//
// Stretches are for the host's own time alone, which moves by itself and in small steps. Any other clock (ManualClock, a fake
// one) can jump between two statements and is cheap to read: it is read at every touch, and the stamps are exact.
import type { Clock } from '../clock/clock.ts';
import { isHostTimeReal, systemClock } from '../clock/system-clock.ts';

/** A stretch lasts a hundredth of the shortest timeout in use, within these bounds. */
const STRETCHES_PER_TIMEOUT = 100;
const MIN_STRETCH_MS = 1;
const MAX_STRETCH_MS = 100;

/** The time of the touches of one stretch. */
export class Stamp {
  /** In ms of the clock; Infinity while the stretch lasts. */
  ms = 0;

  constructor(ms: number) {
    this.ms = ms;
  }
}

export class TouchTime {
  readonly #clock: Clock;
  #stretchMs = MAX_STRETCH_MS;
  #open: Stamp | undefined;
  #exact = new Stamp(Number.NEGATIVE_INFINITY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes the stretches short enough for a timeout of `timeoutMs`. */
  serve(timeoutMs: number): void {
    const stretchMs = Math.max(timeoutMs / STRETCHES_PER_TIMEOUT, MIN_STRETCH_MS);
    if (stretchMs < this.#stretchMs) this.#stretchMs = stretchMs;
  }

  /** The stamp for a touch that is made now. */
  stamp(): Stamp {
    const open = this.#open;
    return open !== undefined && isHostTimeReal() ? open : this.#next();
  }

  /**
   * When to look at an element that may be idle from `atMs` on, if nothing is heard of it: then, or on the host's own time with all the
   * others of that stretch. A wake-up for each would cost more than the look.
   */
  lookAt(atMs: number): number {
    return this.#isExact() ? atMs : Math.ceil(atMs / this.#stretchMs) * this.#stretchMs;
  }

  /** A stamp of the very moment. One clock reading. */
  exactStamp(): Stamp {
    const nowMs = this.#clock.now();
    if (this.#exact.ms !== nowMs) this.#exact = new Stamp(nowMs);
    return this.#exact;
  }

  #next(): Stamp {
    this.#end(this.#open);
    if (this.#isExact()) return this.exactStamp();
    const stamp = new Stamp(Number.POSITIVE_INFINITY);
    this.#open = stamp;
    this.#clock.wakeAt(this.#clock.now() + this.#stretchMs, () => this.#end(stamp)).unref?.();
    return stamp;
  }

  #isExact(): boolean {
    return this.#clock !== systemClock || !isHostTimeReal();
  }

  /** Ends the stretch of `stamp`, unless that has been done. */
  #end(stamp: Stamp | undefined): void {
    if (stamp === undefined || stamp !== this.#open) return;
    stamp.ms = this.#clock.now();
    this.#open = undefined;
  }
}
