/**
 * Where consumer groups left off: the last commit by group, topic and partition, in memory and in a
 * journal.
 *
 * Owns both. A commit is forgotten with its topic, and with its group when that had neither a
 * member nor a commit for the retention time (Kafka's offsets.retention.minutes). What it keeps is
 * counted in the memory of groups. O(1) for a commit.
 */
import type { Findings } from '../storage/damage.ts';
import { FullDisk } from '../storage/full-disk.ts';
import { Journal } from '../storage/journal.ts';
import { type GroupMemory, textBytes } from './memory.ts';

export interface CommittedOffset {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
}

interface OffsetEntry extends CommittedOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** When it was committed (ms, wall clock). */
  readonly at?: number;
}

/** Or that something of a group, or of a topic, does not count any more. */
type JournalEntry =
  | OffsetEntry
  | { readonly forgottenGroup: string }
  | { readonly forgottenGroup: string; readonly topic: string; readonly partition: number }
  | { readonly deletedTopic: string };

interface CommittedGroup {
  /** Wall clock (ms): a restart does not make a group younger. */
  lastActiveAt: number;
  readonly topics: Map<string, Map<number, CommittedOffset>>;
}

/** The objects around a commit. A round sum. */
const COMMIT_BYTES = 256;

export class OffsetStore {
  readonly #groups = new Map<string, CommittedGroup>();
  readonly #maxGroups: number;
  readonly #memory: GroupMemory;
  #journal: Journal<JournalEntry> | undefined;

  constructor(maxGroups: number, memory: GroupMemory) {
    this.#maxGroups = maxGroups;
    this.#memory = memory;
  }

  /**
   * Reads the commits that the journal at `path` has. To be called once, first. Those of a topic that
   * damage has hidden stay, for it may come back.
   */
  open(path: string, findings: Findings): void {
    this.#journal = new Journal<JournalEntry>(
      path,
      (entry) => this.#note(entry),
      () => this.#entries(),
      findings,
    );
  }

  /**
   * `get` sees it at once. It survives a crash when a `flush` called after it has resolved. Where
   * there is no room, it commits nothing and returns the rule that it would break, or that the disk
   * is full. A group that commits again, no more than before, always finds room.
   */
  commit(group: string, topic: string, partition: number, committed: CommittedOffset): string | undefined {
    const kept = this.get(group, topic, partition);
    const more = bytesOf(group, topic, committed) - (kept ? bytesOf(group, topic, kept) : 0);
    if (!this.#groups.has(group) && this.#groups.size >= this.#maxGroups)
      return `--max-groups is ${this.#maxGroups}`;
    if (more > 0 && !this.#memory.hasRoomFor(more)) return `--max-group-bytes is ${this.#memory.maxBytes}`;
    try {
      this.#append({ group, topic, partition, ...committed, at: Date.now() });
    } catch (error) {
      if (error instanceof FullDisk) return error.message;
      throw error;
    }
    return undefined;
  }

  async flush(): Promise<void> {
    await this.#journal?.flush();
  }

  get(group: string, topic: string, partition: number): CommittedOffset | undefined {
    return this.#groups.get(group)?.topics.get(topic)?.get(partition);
  }

  /** All that the group has committed: topic, partitions. */
  all(group: string): Map<string, number[]> {
    const topics = [...(this.#groups.get(group)?.topics ?? [])];
    return new Map(topics.map(([topic, partitions]) => [topic, [...partitions.keys()]]));
  }

  /** The groups that have committed something. */
  groups(): string[] {
    return [...this.#groups.keys()];
  }

  /**
   * All that the group has committed is forgotten, also after a crash when a `flush` called after
   * it has resolved.
   */
  forgetGroup(group: string): void {
    if (this.#groups.has(group)) this.#append({ forgottenGroup: group });
  }

  /** As `forgetGroup`, for one partition. */
  forget(group: string, topic: string, partition: number): void {
    if (this.get(group, topic, partition) !== undefined)
      this.#append({ forgottenGroup: group, topic, partition });
  }

  /**
   * The topic is about to be deleted, by `along`. A later topic of the same name gets none of its
   * commits, whatever crashes in between. They stay where `along` throws. O(groups).
   */
  forgetTopic(topic: string, along: () => void): void {
    if ([...this.#groups.values()].some(({ topics }) => topics.has(topic)))
      this.#append({ deletedTopic: topic }, along);
    else along();
  }

  /**
   * Forgets the groups that were not active for `retentionMs`, by the wall clock. Groups that are
   * active now stay, whatever they commit. O(groups).
   */
  expire(nowMs: number, retentionMs: number, isActive: (group: string) => boolean): void {
    for (const [name, group] of [...this.#groups]) {
      if (isActive(name)) group.lastActiveAt = nowMs;
      else if (nowMs - group.lastActiveAt >= retentionMs) this.#append({ forgottenGroup: name });
    }
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #append(entry: JournalEntry, along?: () => void): void {
    this.#journal?.append(entry, along);
    this.#note(entry);
  }

  #note(entry: JournalEntry): void {
    if ('partition' in entry && 'forgottenGroup' in entry) {
      this.#drop(entry.forgottenGroup, entry.topic, entry.partition);
    } else if ('forgottenGroup' in entry) {
      for (const topic of this.#groups.get(entry.forgottenGroup)?.topics.keys() ?? [])
        this.#drop(entry.forgottenGroup, topic);
    } else if ('deletedTopic' in entry) {
      for (const group of [...this.#groups.keys()]) this.#drop(group, entry.deletedTopic);
    } else {
      this.#set(entry);
    }
  }

  #set({ group, topic, partition, offset, leaderEpoch, metadata, at = Date.now() }: OffsetEntry): void {
    const committed = { offset, leaderEpoch, metadata };
    const kept = this.#groups.get(group) ?? { lastActiveAt: at, topics: new Map() };
    this.#groups.set(group, kept);
    kept.lastActiveAt = Math.max(kept.lastActiveAt, at);
    const partitions = kept.topics.get(topic) ?? new Map<number, CommittedOffset>();
    kept.topics.set(topic, partitions);
    const old = partitions.get(partition);
    if (old !== undefined) this.#memory.add(-bytesOf(group, topic, old));
    this.#memory.add(bytesOf(group, topic, committed));
    partitions.set(partition, committed);
  }

  /** Of all partitions, or of one. */
  #drop(group: string, topic: string, only?: number): void {
    const topics = this.#groups.get(group)?.topics;
    const partitions = topics?.get(topic);
    for (const [partition, committed] of [...(partitions ?? [])]) {
      if (only !== undefined && partition !== only) continue;
      this.#memory.add(-bytesOf(group, topic, committed));
      partitions?.delete(partition);
    }
    if (partitions?.size === 0) topics?.delete(topic);
    if (topics?.size === 0) this.#groups.delete(group);
  }

  #entries(): OffsetEntry[] {
    return [...this.#groups].flatMap(([group, { lastActiveAt: at, topics }]) =>
      [...topics].flatMap(([topic, partitions]) =>
        [...partitions].map(([partition, committed]) => ({ group, topic, partition, ...committed, at })),
      ),
    );
  }
}

function bytesOf(group: string, topic: string, { metadata }: CommittedOffset): number {
  return COMMIT_BYTES + textBytes(group, topic, metadata);
}
