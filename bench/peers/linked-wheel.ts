/**
 * Hierarchical wheels of objects linked to each other, as they are written in most languages: 64
 * buckets a wheel, ticks of 1 ms, each bucket a ring with a sentinel. The difference to ours is the
 * cost of links through the garbage-collected heap. It steps through every tick, and its host alarm
 * rings each tick while something is pending.
 */
import { HostAlarm } from './host-alarm.ts';
import type { TimerPeer, TimerPeerOptions } from './timer-peer.ts';

const bits = 6;
const buckets = 1 << bits;
const levels = 5;

class WheelTimer {
  next: WheelTimer = this;
  prev: WheelTimer = this;
  readonly tick: number;
  readonly onExpire: (() => void) | undefined;

  constructor(tick: number, onExpire?: () => void) {
    this.tick = tick;
    this.onExpire = onExpire;
  }

  insertBefore(ring: WheelTimer): void {
    this.next = ring;
    this.prev = ring.prev;
    ring.prev.next = this;
    ring.prev = this;
  }

  unlink(): void {
    this.prev.next = this.next;
    this.next.prev = this.prev;
    this.next = this;
    this.prev = this;
  }
}

class LinkedWheel implements TimerPeer<WheelTimer> {
  readonly #rings = Array.from({ length: levels * buckets }, () => new WheelTimer(-1));
  #current = 0;
  #size = 0;
  readonly #startMs: number;
  readonly #now: () => number;
  readonly #onExpire: () => void;
  readonly #alarm: HostAlarm | undefined;

  constructor({ clock, onExpire }: TimerPeerOptions) {
    this.#now = clock === undefined ? () => performance.now() : () => clock.now();
    this.#startMs = this.#now();
    this.#onExpire = onExpire;
    if (clock === undefined) {
      this.#alarm = new HostAlarm(() => {
        this.advance();
        return this.#size > 0 ? this.#startMs + this.#current + 1 : undefined;
      });
    }
  }

  start(delayMs: number): WheelTimer {
    const now = this.#now();
    const timer = new WheelTimer(
      Math.max(this.#current + 1, Math.ceil(now - this.#startMs + delayMs)),
      this.#onExpire,
    );
    timer.insertBefore(this.#ringOf(timer.tick));
    this.#size++;
    this.#alarm?.atLatest(this.#startMs + this.#current + 1, now);
    return timer;
  }

  cancel(timer: WheelTimer): void {
    if (timer.next === timer) return;
    timer.unlink();
    this.#size--;
  }

  advance(): void {
    const target = Math.floor(this.#now() - this.#startMs);
    while (this.#current < target) {
      this.#current++;
      for (let level = levels - 1; level > 0; level--) {
        if ((this.#current & ((1 << (bits * level)) - 1)) === 0) this.#cascade(level);
      }
      const ring = this.#rings[this.#current & (buckets - 1)];
      for (let timer = ring.next; timer !== ring; timer = ring.next) {
        this.cancel(timer);
        timer.onExpire?.();
      }
    }
  }

  #cascade(level: number): void {
    const ring = this.#rings[level * buckets + ((this.#current >>> (bits * level)) & (buckets - 1))];
    for (let timer = ring.next; timer !== ring; timer = ring.next) {
      timer.unlink();
      timer.insertBefore(this.#ringOf(timer.tick));
    }
  }

  /** The wheel is that of the highest digit in which the tick differs from the current one. */
  #ringOf(tick: number): WheelTimer {
    const differs = tick ^ this.#current;
    const level = differs === 0 ? 0 : Math.min(levels - 1, Math.floor((31 - Math.clz32(differs)) / bits));
    return this.#rings[level * buckets + ((tick >>> (bits * level)) & (buckets - 1))];
  }
}

export const linkedWheel = (options: TimerPeerOptions): TimerPeer<WheelTimer> => new LinkedWheel(options);
