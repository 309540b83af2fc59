/**
 * Where consumer groups left off: the last commit by group, topic and partition, in memory and in a journal.
 *
 * Owns both. The journal grows by every commit; opening it rewrites it to the last ones where most of it is out of date.
 */
import { Journal } from '../storage/journal.ts';

export interface CommittedOffset {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
}

interface OffsetEntry extends CommittedOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

/** A journal this much longer than what it has to say is rewritten. */
const WASTE = 2;

export class OffsetStore {
  readonly #groups = new Map<string, Map<string, Map<number, CommittedOffset>>>();
  #journal: Journal<OffsetEntry> | undefined;

  /** Reads the commits that the journal at `path` has. To be called once, first. */
  open(path: string): void {
    this.#journal = new Journal<OffsetEntry>(path, (entry) => this.#set(entry));
    const entries = this.#entries();
    if (this.#journal.length > WASTE * entries.length) this.#journal.rewrite(entries);
  }

  /** Seen by `get` at once; it survives a crash when a `flush` called after it has resolved. */
  commit(group: string, topic: string, partition: number, committed: CommittedOffset): void {
    const entry = { group, topic, partition, ...committed };
    this.#journal?.append(entry);
    this.#set(entry);
  }

  async flush(): Promise<void> {
    await this.#journal?.flush();
  }

  get(group: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#groups.get(group)?.get(topic)?.get(partition);
  }

  /** All that the group has committed: topic, partitions. */
  all(group: string): Map<string, number[]> {
    const topics = [...(this.#groups.get(group) ?? [])];
    return new Map(topics.map(([topic, partitions]) => [topic, [...partitions.keys()]]));
  }

  /** The groups that have committed something. */
  groups(): string[] {
    return [...this.#groups.keys()];
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #set({ group, topic, partition, offset, leaderEpoch, metadata }: OffsetEntry): void {
    child(child(this.#groups, group), topic).set(partition, { offset, leaderEpoch, metadata });
  }

  #entries(): OffsetEntry[] {
    return [...this.#groups].flatMap(([group, topics]) =>
      [...topics].flatMap(([topic, partitions]) =>
        [...partitions].map(([partition, committed]) => ({ group, topic, partition, ...committed })),
      ),
    );
  }
}

function child<K, C>(parent: Map<K, Map<unknown, C>>, key: K): Map<unknown, C> {
  const found = parent.get(key) ?? new Map();
  parent.set(key, found);
  return found;
}
