// The hints that are to be sent: each key once, however often it was published.
//
// Ground rules. When more than `maxKeys` are pending, it drops them all and keeps "try everything"
// for the name of each of their members. A hint for such a name is part of that until it is sent.
// One hint always fits in a frame (checkHintKey, checkHintValue).
//
// Costs. add: O(1). take: O(hints taken).
import { FrameBody } from './frames.ts';
import { bucketOf, seedOf } from './interest/buckets.ts';
import { type PendingHint, PendingHints } from './pending-hints.ts';

/** The content of a frame for all processes, or of several frames for buckets. */
export interface Batch {
  readonly hints: readonly PendingHint[];
  readonly all: readonly string[];
  readonly frames: readonly BatchFrame[];
}

export interface BatchFrame {
  /** The bucket that gets it; undefined for all processes. */
  readonly channel: string | undefined;
  /** The frame's text after its head. */
  readonly body: string;
}

export class Outbox {
  readonly #maxKeys: number;
  readonly #pending = new PendingHints();
  readonly #all = new Set<string>();

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  /** Keys that are pending. */
  get size(): number {
    return this.#pending.size;
  }

  get isEmpty(): boolean {
    return this.size === 0 && this.#all.size === 0;
  }

  /** Whether there is a "try everything", which all processes must get. */
  get hasAll(): boolean {
    return this.#all.size > 0;
  }

  /** Adds a hint. Returns how many keys became part of a "try everything" by that. */
  add(hint: PendingHint): number {
    if (this.#all.has(hint.member.name)) return 1;
    this.#pending.add(hint);
    return this.#overflow();
  }

  addAll(name: string): void {
    this.#all.add(name);
    for (const member of this.#pending.members) if (member.name === name) this.#pending.drop(member);
  }

  /** Takes out as many hints as fit in a frame of `maxBytes`. */
  take(maxBytes: number): Batch {
    const frame = new FrameBody(maxBytes);
    const all: string[] = [];
    const hints: PendingHint[] = [];
    for (const name of this.#all) {
      if (!frame.addAll(name)) break;
      this.#all.delete(name);
      all.push(name);
    }
    const fits = ({ member, key, value }: PendingHint): boolean => frame.add(member.name, key, value);
    if (!this.hasAll) this.#pending.take(fits, (hint) => hints.push(hint));
    return { hints, all, frames: [{ channel: undefined, body: frame.text() }] };
  }

  /** Takes out all hints, in a frame for each bucket. To be called without "try everything". */
  takeRouted(maxBytes: number): Batch {
    const hints: PendingHint[] = [];
    const frames: BatchFrame[] = [];
    const open = new Map<number, FrameBody>();
    this.#pending.take(
      () => true,
      (hint) => hints.push(hint),
    );
    for (const { member, key, value } of hints) {
      const bucket = bucketOf(seedOf(member.name), key);
      const frame = open.get(bucket);
      if (frame?.add(member.name, key, value)) continue;
      if (frame !== undefined) frames.push({ channel: `${bucket}`, body: frame.text() });
      const next = new FrameBody(maxBytes);
      next.add(member.name, key, value); // one hint always fits
      open.set(bucket, next);
    }
    for (const [bucket, frame] of open) frames.push({ channel: `${bucket}`, body: frame.text() });
    return { hints, all: [], frames };
  }

  /**
   * Puts back what could not be sent, before what was published since. Returns how many keys became
   * part of a "try everything".
   */
  restore({ hints, all }: Batch): number {
    for (const name of all) this.addAll(name);
    for (const hint of hints) if (!this.#all.has(hint.member.name)) this.#pending.add(hint, true);
    return this.#overflow();
  }

  clear(): void {
    this.#pending.clear();
    this.#all.clear();
  }

  #overflow(): number {
    const lost = this.size;
    if (lost <= this.#maxKeys) return 0;
    for (const { name } of this.#pending.members) this.#all.add(name);
    this.#pending.clear();
    return lost;
  }
}
