// The other processes of a bus, as far as they were heard, and what the numbers of their frames tell.
//
// Invariants. The last frame that came says where its process stands, but for one or two in a row
// that are behind: a half-open connection may deliver what hung in it after its process has connected
// anew. More of them correct a stranger who has used the name of the process. A missing number is a
// loss. A process that was away says which number counts as the one before (`previous`): what it
// could not send has no number. An unknown process that begins with 1 is new, and one that was away
// if its last hints are older than the time for which this bus is live: any later ones went
// elsewhere, as in a split brain. Any other may be known to all but a bus that has just become live.
// Where one stands that counts as ended is still known: it may only have been silent. At most MOST
// processes are kept, those heard last.
// Costs. O(1) a frame.
import type { Frame } from './frames.ts';

/** A process that was silent for so many times the `echoMs` counts as ended. */
const ECHOES_TO_END = 100;
const MOST = 10_000;
/** Frames that may hang in a connection: one with hints, and an echo. */
const MOST_HANGING = 2;

interface Peer {
  /** The number of its last frame. */
  readonly last: number;
  /** Frames since then that were behind it. */
  readonly behind: number;
  readonly atMs: number;
  /** It listens to channels. */
  readonly routes: boolean;
}

/**
 * What the number of a frame tells of those before it: they have come, are missing, or there may have
 * been some, as nothing was heard of its process. Or the frame comes late, behind one that followed it.
 */
export type Before = 'heard' | 'missing' | 'unknown' | 'late';

export class Peers {
  readonly #endedMs: number;
  readonly #deafCame: () => void;
  /** By origin, the one that was heard last as the last. */
  readonly #peers = new Map<string, Peer>();

  /** @param deafCame a process has come that does not listen to channels. */
  constructor(echoMs: number, deafCame: () => void) {
    this.#endedMs = ECHOES_TO_END * echoMs;
    this.#deafCame = deafCame;
  }

  /** How many there are, and whether all of them listen to channels. O(processes). */
  count(nowMs: number): { peers: number; allRoute: boolean } {
    const there = [...this.#peers.values()].filter((peer) => !this.#hasEnded(peer, nowMs));
    return { peers: there.length, allRoute: there.every(({ routes }) => routes) };
  }

  /** @param liveMs for how long this bus has been live. */
  hear({ number, previous, routes }: Frame, origin: string, nowMs: number, liveMs: number): Before {
    const known = this.#peers.get(origin);
    const behind = known !== undefined && number < known.last ? known.behind + 1 : 0;
    const isLate = behind > 0 && behind <= MOST_HANGING;
    const last = isLate ? (known?.last ?? number) : number;
    this.#peers.delete(origin);
    this.#peers.set(origin, { last, behind: isLate ? behind : 0, atMs: nowMs, routes });
    const [oldest] = this.#peers.size > MOST ? this.#peers.keys() : [];
    if (oldest !== undefined) this.#peers.delete(oldest);
    if (!routes && (known === undefined || known.routes || this.#hasEnded(known, nowMs))) this.#deafCame();
    if (isLate) return 'late';
    if (known !== undefined) return (previous?.number ?? number - 1) > known.last ? 'missing' : 'heard';
    if (previous !== undefined) return previous.number > 0 && previous.ageMs < liveMs ? 'missing' : 'heard';
    return number === 1 ? 'heard' : 'unknown';
  }

  /** Frames were missed, so a missing number means nothing new. */
  clear(): void {
    this.#peers.clear();
  }

  #hasEnded({ atMs }: Peer, nowMs: number): boolean {
    return nowMs - atMs > this.#endedMs;
  }
}
