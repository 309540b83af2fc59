// The hints that are to be sent: each key once, however often it was published.
//
// Ground rules. It owns what is pending, by the name of its member. The values of a key become one
// as its member says; by default, the last one counts. When more than `maxKeys` are pending, it
// drops them all and keeps "try everything" for each of their names. A hint for such a name is part
// of that until it is sent. One hint always fits in a frame (checkHintKey, checkHintValue).
//
// Costs. add: O(1). take: O(hints taken).

import { FrameBody, type Hint } from './frames.ts';
import { bucketOf, seedOf } from './interest/buckets.ts';
import type { HintValue, MergeValues } from './membership/bus-member.ts';

/** The content of a frame for all processes, or of several frames for buckets. */
export interface Batch {
  readonly hints: readonly Hint[];
  readonly all: readonly string[];
  readonly frames: readonly BatchFrame[];
}

export interface BatchFrame {
  /** The bucket that gets it; undefined for all processes. */
  readonly channel: string | undefined;
  /** The frame's text after its head. */
  readonly body: string;
}

/** What becomes of `value` when a hint of `key` may be pending. */
export function mergedValue(
  pending: ReadonlyMap<string, HintValue | undefined>,
  key: string,
  value: HintValue | undefined,
  merge: MergeValues | undefined,
): HintValue | undefined {
  return merge !== undefined && pending.has(key) ? merge(pending.get(key), value) : value;
}

/** The hints of one name. */
interface PendingHints {
  readonly keys: Map<string, HintValue | undefined>;
  /** That of the member that published last. */
  merge: MergeValues | undefined;
}

export class Outbox {
  readonly #maxKeys: number;
  readonly #names = new Map<string, PendingHints>();
  readonly #all = new Set<string>();
  #size = 0;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  /** Keys that are pending. */
  get size(): number {
    return this.#size;
  }

  get isEmpty(): boolean {
    return this.#size === 0 && this.#all.size === 0;
  }

  /** Whether there is a "try everything", which all processes must get. */
  get hasAll(): boolean {
    return this.#all.size > 0;
  }

  /** Adds a hint. Returns how many keys became part of a "try everything" by that. */
  add(name: string, key: string, value: HintValue | undefined, merge?: MergeValues): number {
    if (this.#all.has(name)) return 1;
    let pending = this.#names.get(name);
    if (pending === undefined) {
      pending = { keys: new Map(), merge };
      this.#names.set(name, pending);
    }
    pending.merge = merge;
    const { keys } = pending;
    const before = keys.size;
    keys.set(key, mergedValue(keys, key, value, merge));
    if (keys.size === before) return 0;
    return ++this.#size > this.#maxKeys ? this.#overflow() : 0;
  }

  has(name: string, key: string): boolean {
    return this.#all.has(name) || this.#names.get(name)?.keys.has(key) === true;
  }

  addAll(name: string): void {
    this.#all.add(name);
    const pending = this.#names.get(name);
    if (pending === undefined) return;
    this.#names.delete(name);
    this.#size -= pending.keys.size;
  }

  /** Takes out as many hints as fit in a frame of `maxBytes`. */
  take(maxBytes: number): Batch {
    const frame = new FrameBody(maxBytes);
    const all: string[] = [];
    const hints: Hint[] = [];
    this.#fill(frame, all, hints);
    return { hints, all, frames: [{ channel: undefined, body: frame.text() }] };
  }

  /** Takes out all hints, in a frame for each bucket. To be called without "try everything". */
  takeRouted(maxBytes: number): Batch {
    const hints: Hint[] = [];
    const frames: BatchFrame[] = [];
    const open = new Map<number, FrameBody>();
    for (const [name, { keys }] of this.#names) {
      const seed = seedOf(name);
      for (const [key, value] of keys) {
        hints.push({ name, key, value });
        const bucket = bucketOf(seed, key);
        const frame = open.get(bucket);
        if (frame?.add(name, key, value)) continue;
        if (frame !== undefined) frames.push({ channel: `${bucket}`, body: frame.text() });
        const next = new FrameBody(maxBytes);
        next.add(name, key, value); // one hint always fits
        open.set(bucket, next);
      }
    }
    for (const [bucket, frame] of open) frames.push({ channel: `${bucket}`, body: frame.text() });
    this.#names.clear();
    this.#size = 0;
    return { hints, all: [], frames };
  }

  #fill(frame: FrameBody, all: string[], hints: Hint[]): void {
    for (const name of this.#all) {
      if (!frame.addAll(name)) return;
      this.#all.delete(name);
      all.push(name);
    }
    for (const [name, { keys }] of this.#names) {
      for (const [key, value] of keys) {
        if (!frame.add(name, key, value)) return;
        keys.delete(key);
        this.#size--;
        hints.push({ name, key, value });
      }
      this.#names.delete(name);
    }
  }

  /**
   * Puts back what could not be sent, before what was published since. Returns how many keys became
   * part of a "try everything".
   */
  restore({ hints, all }: Batch): number {
    for (const name of all) this.addAll(name);
    let lost = 0;
    for (const { name, key, value } of hints) {
      const { keys, merge } = this.#names.get(name) ?? {};
      if (!this.has(name, key)) lost += this.add(name, key, value, merge);
      else if (merge !== undefined) keys?.set(key, merge(value, keys.get(key)));
    }
    return lost;
  }

  clear(): void {
    this.#names.clear();
    this.#all.clear();
    this.#size = 0;
  }

  #overflow(): number {
    const lost = this.#size;
    for (const name of this.#names.keys()) this.#all.add(name);
    this.#names.clear();
    this.#size = 0;
    return lost;
  }
}
