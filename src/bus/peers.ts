// The other processes of a bus, as far as they were heard, and what the numbers of their frames tell.
//
// Invariants. The last frame that came says where its process stands: an engine keeps the order of a
// process, and a stranger who uses its name is corrected by its next frame. A missing number is a
// loss. A process that was away says which number counts as the one before (`previous`): what it
// could not send has no number. An unknown process that begins with 1 is new, and one that was away
// if its last hints are older than the time for which this bus is live: any later ones went
// elsewhere, as in a split brain. Any other may be known to all but a bus that has just become live.
// At most MOST processes are kept, those heard last, and as many silent ones.
// Costs. O(1) a frame.
import type { Frame } from './frames.ts';

/** A process that was silent for so many times the `echoMs` counts as ended. */
const ECHOES_TO_FORGET = 100;
const MOST = 10_000;

interface Peer {
  /** The number of its last frame. */
  readonly last: number;
  readonly atMs: number;
}

/**
 * What the number of a frame tells of those before it: they have come, are missing, or there may have
 * been some, as nothing was heard of its process.
 */
export type Before = 'heard' | 'missing' | 'unknown';

export class Peers {
  readonly #forgetMs: number;
  readonly #deafCame: () => void;
  /** By origin, the one that was heard last as the last. */
  readonly #heard = new Map<string, Peer>();
  /** Of those that count as ended, the last number: they may only have been silent. */
  readonly #silent = new Map<string, number>();
  /** Those that were heard and do not listen to channels. */
  readonly #deaf = new Set<string>();

  /** @param deafCame a process has come that does not listen to channels. */
  constructor(echoMs: number, deafCame: () => void) {
    this.#forgetMs = ECHOES_TO_FORGET * echoMs;
    this.#deafCame = deafCame;
  }

  get size(): number {
    return this.#heard.size;
  }

  get allRoute(): boolean {
    return this.#deaf.size === 0;
  }

  /** @param liveMs for how long this bus has been live. */
  hear({ number, previous, routes }: Frame, origin: string, nowMs: number, liveMs: number): Before {
    const last = this.#heard.get(origin)?.last ?? this.#silent.get(origin);
    this.#heard.delete(origin);
    this.#heard.set(origin, { last: number, atMs: nowMs });
    this.#silent.delete(origin);
    this.#limit();
    if (!routes && !this.#deaf.has(origin)) {
      this.#deaf.add(origin);
      this.#deafCame();
    }
    if (last !== undefined) return (previous?.number ?? number - 1) > last ? 'missing' : 'heard';
    if (previous !== undefined) return previous.number > 0 && previous.ageMs < liveMs ? 'missing' : 'heard';
    return number === 1 ? 'heard' : 'unknown';
  }

  /** Frames were missed, so a missing number means nothing new. */
  clear(): void {
    this.#heard.clear();
    this.#silent.clear();
    this.#deaf.clear();
  }

  /** Takes the processes that have been silent for long for ended. O(those). */
  forgetEnded(nowMs: number): void {
    for (const [origin, { last, atMs }] of this.#heard) {
      if (nowMs - atMs <= this.#forgetMs) return;
      this.#silent.set(origin, last);
      this.#forget(origin);
    }
  }

  #limit(): void {
    for (const known of [this.#heard, this.#silent]) {
      const [oldest] = known.size > MOST ? known.keys() : [];
      if (oldest === undefined) continue;
      if (known === this.#heard) this.#forget(oldest);
      else known.delete(oldest);
    }
  }

  #forget(origin: string): void {
    this.#heard.delete(origin);
    this.#deaf.delete(origin);
  }
}
