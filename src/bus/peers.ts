// The other processes of a bus, as far as they were heard, and what the numbers of their frames tell.
//
// Invariants. The last frame that came says where its process stands, but for one or two in a row
// that are behind: a half-open connection may deliver what hung in it after its process has connected
// anew. A third one corrects a stranger who has used the name of the process: then the late ones are
// given back. A number that has jumped may be a stranger's, too: then the first one corrects it.
//
// A missing number is a loss. A process that was away says which number counts as the one before
// (`previous`): what it could not send has no number. An unknown process that begins with 1 is new,
// and one that was away if its last hints are older than the time for which this bus is live: any
// later ones went elsewhere, as in a split brain. Any other may be known to all but a bus that has
// just become live.
//
// A process that was not heard during three echoes of this bus is silent. That counts no ms: what
// stops this process stops its echoes, too. When most fall silent within one echo, this bus is in
// doubt. However long one is silent, its number is still known, of the MOST that were heard last. One
// that has said goodbye is forgotten. Costs. O(1) a frame, and for each process that falls silent.
import type { Frame } from './frames.ts';

/** Those that were heard during so many echoes are there. */
export const ECHOES_THERE = 3;
/** So many echoes later a doubt ends: those that have fallen silent do not come back. */
const ECHOES_TO_FORGET = 100;
const MOST = 10_000;
/** Frames that may hang in a connection: one with hints, and an echo. */
const MOST_HANGING = 2;

interface Peer {
  /** The number of its last frame. Undefined: frames were missed since. */
  readonly last: number | undefined;
  /** Frames since then that were behind it. */
  readonly late: readonly Frame[];
  /** That number jumped: a frame is missing, or a stranger uses its name. */
  readonly hasJumped: boolean;
  /** How many echoes of this bus had come back when it was heard. */
  readonly echoes: number;
  /** It listens to channels. */
  readonly routes: boolean;
}

/** Most processes have fallen silent at once. */
interface Doubt {
  /** How many. */
  silent: number;
  /** How many echoes of this bus have come back since. */
  echoes: number;
}

/**
 * What the number of a frame tells of those before it: they have come, are missing, or there may have
 * been some, as nothing was heard of its process. Or the frame comes late, behind one that followed it.
 */
export type Before = 'heard' | 'missing' | 'unknown' | 'late';

export class Peers {
  readonly #deafCame: () => void;
  /** By origin, the one that was heard last as the last. */
  readonly #there = new Map<string, Peer>();
  /** Their `last`, by origin. */
  readonly #silent = new Map<string, number | undefined>();
  /** Those there that do not listen to channels. */
  #deaf = 0;
  #echoes = 0;
  /** How many fell silent with the last echo. */
  #fellLast = 0;
  doubt: Doubt | undefined;
  /** The frames that the last one has shown not to be late, as a stranger was before them. */
  notLate: readonly Frame[] = [];

  /** @param deafCame a process has come that does not listen to channels. */
  constructor(deafCame: () => void) {
    this.#deafCame = deafCame;
  }

  get size(): number {
    return this.#there.size;
  }

  get allRoute(): boolean {
    return this.#deaf === 0;
  }

  /** @param liveMs for how long this bus has been live. */
  hear(frame: Frame, origin: string, liveMs: number): Before {
    const { number, routes, isLast } = frame;
    const there = this.#take(origin);
    const { last, late = [], hasJumped = false } = there ?? { last: this.#silent.get(origin) };
    if (this.#silent.delete(origin)) this.doubt = undefined;
    const isBehind = last !== undefined && number < last;
    const isLate = isBehind && !hasJumped && late.length < MOST_HANGING;
    this.notLate = isBehind && !isLate ? late : [];
    const before = isLate ? 'late' : beforeOf(frame, last, liveMs);
    if (isLast) return last === undefined ? 'heard' : before; // no other can be missed
    this.#there.set(origin, {
      last: isLate ? last : number,
      late: isLate ? [...late, frame] : [],
      hasJumped: before === 'missing',
      echoes: this.#echoes,
      routes,
    });
    if (!routes) this.#deaf++;
    if (!routes && there?.routes !== false) this.#deafCame();
    if (this.size + this.#silent.size > MOST) this.#dropOldest();
    return before;
  }

  /** An echo of this bus has come back. Who was heard meanwhile is there. */
  echoed(): void {
    this.#echoes++;
    let fell = 0;
    for (const [origin, peer] of this.#there) {
      if (this.#echoes - peer.echoes <= ECHOES_THERE) break;
      this.#take(origin);
      this.#silent.set(origin, peer.last);
      fell++;
    }
    const together = fell + this.#fellLast;
    this.#fellLast = fell;
    if (this.doubt !== undefined) {
      this.doubt.silent += fell;
      if (++this.doubt.echoes > ECHOES_TO_FORGET) this.doubt = undefined;
    } else if (together > 1 && together > this.size) this.doubt = { silent: together, echoes: 0 };
  }

  /** Frames were missed, so a missing number means nothing new. Who was there is to be heard again. */
  clear(): void {
    if (this.doubt === undefined) this.#silent.clear();
    for (const origin of this.#silent.keys()) this.#silent.set(origin, undefined);
    for (const [origin, { routes }] of this.#there) {
      this.#there.set(origin, { last: undefined, late: [], hasJumped: false, echoes: this.#echoes, routes });
    }
  }

  #take(origin: string): Peer | undefined {
    const peer = this.#there.get(origin);
    if (this.#there.delete(origin) && !peer?.routes) this.#deaf--;
    return peer;
  }

  #dropOldest(): void {
    const [oldest] = this.#silent.size > 0 ? this.#silent.keys() : this.#there.keys();
    if (!this.#silent.delete(oldest)) this.#take(oldest);
  }
}

/** @param last the number of the last frame of its process; undefined where nothing was heard of it. */
function beforeOf({ number, previous }: Frame, last: number | undefined, liveMs: number): Before {
  if (last !== undefined) return (previous?.number ?? number - 1) > last ? 'missing' : 'heard';
  if (previous !== undefined) return previous.number > 0 && previous.ageMs < liveMs ? 'missing' : 'heard';
  return number === 1 ? 'heard' : 'unknown';
}
