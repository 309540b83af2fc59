/** Where consumer groups left off. */
export interface CommittedOffset {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
}

export interface OffsetStore {
  commit(group: string, topic: string, partition: number, committed: CommittedOffset): void;
  get(group: string, topic: string, partition: number): CommittedOffset | undefined;
  /** All that the group has committed: topic, partitions. */
  all(group: string): Map<string, number[]>;
  /** The groups that have committed something. */
  groups(): string[];
}

/** Committed offsets in memory, by group, topic and partition; they are kept while the broker runs. */
export class MemoryOffsetStore implements OffsetStore {
  readonly #groups = new Map<string, Map<string, Map<number, CommittedOffset>>>();

  commit(group: string, topic: string, partition: number, committed: CommittedOffset): void {
    child(child(this.#groups, group), topic).set(partition, committed);
  }

  get(group: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#groups.get(group)?.get(topic)?.get(partition);
  }

  all(group: string): Map<string, number[]> {
    const topics = [...(this.#groups.get(group) ?? [])];
    return new Map(topics.map(([topic, partitions]) => [topic, [...partitions.keys()]]));
  }

  groups(): string[] {
    return [...this.#groups.keys()];
  }
}

function child<K, C>(parent: Map<K, Map<unknown, C>>, key: K): Map<unknown, C> {
  const found = parent.get(key) ?? new Map();
  parent.set(key, found);
  return found;
}
