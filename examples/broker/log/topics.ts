/**
 * The topics of this broker, by name and by id. Owns their creation, changes and deletion, and the
 * journal that these are kept in; a name that is not legal never gets in, so a name that is found
 * here is safe to use in a path.
 */
import { randomUUID } from 'node:crypto';
import type { TopicSettings } from '../settings/topic-settings.ts';
import type { Findings } from '../storage/damage.ts';
import { Journal } from '../storage/journal.ts';
import type { Partition } from './partition.ts';

export interface Topic {
  readonly name: string;
  readonly id: string;
  readonly partitions: readonly Partition[];
  /** What was set for it; see topic-settings.ts. */
  readonly settings: TopicSettings;
}

type OwnTopic = { -readonly [Name in keyof Topic]: Topic[Name] };

/** The ids of the nodes that replicate each partition, its leader first. */
export type Replicas = readonly (readonly number[])[];

interface KeptTopic {
  readonly name: string;
  readonly id: string;
  readonly partitions: number;
  /** Of all partitions; without it they are where the cluster's rule has them. */
  readonly replicas?: Replicas;
  readonly settings?: TopicSettings;
}

/**
 * What the journal has of a topic, the last entry of an id counting, or that the topic with this id
 * is deleted.
 */
type TopicEntry = KeptTopic | { readonly deleted: string };

/**
 * Makes a partition; `isNew` says that nothing that may be left of a partition of this name belongs
 * to it.
 */
export type PartitionFactory = (
  topic: string,
  index: number,
  replicaIds: readonly number[] | undefined,
  isNew: boolean,
) => Partition;

/** Kafka's rule: 1 to 249 of `a-z A-Z 0-9 . _ -`, and neither `.` nor `..`. */
export function isLegalTopicName(name: string): boolean {
  return /^[\w.-]{1,249}$/.test(name) && name !== '.' && name !== '..';
}

export class Topics {
  readonly #byName = new Map<string, OwnTopic>();
  readonly #byId = new Map<string, OwnTopic>();
  #partitionCount = 0;
  readonly #createPartition: PartitionFactory;
  readonly #onDelete: (name: string, along: () => void) => void;
  /** By id: what the journal has to say. */
  readonly #kept = new Map<string, KeptTopic>();
  #journal: Journal<TopicEntry> | undefined;

  /**
   * `onDelete` writes down what else ends with a topic, and calls `along`. It throws, and leaves all
   * as it is, where one of the two does.
   */
  constructor(createPartition: PartitionFactory, onDelete: (name: string, along: () => void) => void) {
    this.#createPartition = createPartition;
    this.#onDelete = onDelete;
  }

  /**
   * Reads the topics that the journal at `path` has, with their partitions. To be called once,
   * first.
   */
  open(path: string, findings: Findings): void {
    this.#journal = new Journal<TopicEntry>(
      path,
      (entry) => this.#note(entry),
      () => [...this.#kept.values()],
      findings,
    );
    const latest = new Map([...this.#kept.values()].map((kept) => [kept.name, kept]));
    for (const kept of this.#kept.values()) {
      // Only damage can hide that the first of two topics of one name is deleted.
      if (latest.get(kept.name) === kept) this.#add(kept, false);
      else this.#keep({ deleted: kept.id });
    }
  }

  /** Of all topics together. */
  get partitionCount(): number {
    return this.#partitionCount;
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name);
  }

  getById(id: string): Topic | undefined {
    return this.#byId.get(id);
  }

  all(): Topic[] {
    return [...this.#byName.values()];
  }

  /**
   * The topic is on the disk when this returns. Throws a RangeError for a name that is not legal or
   * is taken.
   */
  create(name: string, replicas: Replicas, settings: TopicSettings = {}, id: string = randomUUID()): Topic {
    if (!isLegalTopicName(name)) throw new RangeError(`${JSON.stringify(name)} is no legal topic name`);
    if (this.#byName.has(name)) throw new RangeError(`the topic ${name} exists`);
    const kept = { name, id, partitions: replicas.length, replicas, settings };
    this.#keep(kept);
    return this.#add(kept, true);
  }

  /** The topic has those partitions besides, and they are on the disk when this returns. */
  grow(topic: Topic, more: Replicas): void {
    const replicas = [...topic.partitions.map(({ replicaIds }) => replicaIds), ...more];
    this.#change(topic, { partitions: replicas.length, replicas });
    const own = this.#byId.get(topic.id) as OwnTopic;
    const { name, partitions } = own;
    own.partitions = [...partitions, ...this.#createPartitions(name, partitions.length, more, true)];
  }

  /** The settings are on the disk when this returns. */
  configure(topic: Topic, settings: TopicSettings): void {
    this.#change(topic, { settings });
    (this.#byId.get(topic.id) as OwnTopic).settings = settings;
  }

  /** Throws a FullDisk, and deletes nothing, where there is no room to write it down. */
  delete(topic: Topic): void {
    this.#onDelete(topic.name, () => this.#keep({ deleted: topic.id }));
    this.#byName.delete(topic.name);
    this.#byId.delete(topic.id);
    this.#partitionCount -= topic.partitions.length;
    for (const partition of topic.partitions) partition.delete();
  }

  async close(): Promise<void> {
    await Promise.all(this.all().flatMap(({ partitions }) => partitions.map((each) => each.close())));
    await this.#journal?.close();
  }

  #add({ name, id, partitions: count, replicas, settings = {} }: KeptTopic, isNew: boolean): Topic {
    const each = replicas ?? Array<undefined>(count).fill(undefined);
    const topic = { name, id, settings, partitions: this.#createPartitions(name, 0, each, isNew) };
    this.#byName.set(name, topic);
    this.#byId.set(id, topic);
    return topic;
  }

  #createPartitions(
    name: string,
    from: number,
    replicas: readonly (Replicas[number] | undefined)[],
    isNew: boolean,
  ): Partition[] {
    this.#partitionCount += replicas.length;
    return replicas.map((ids, index) => this.#createPartition(name, from + index, ids, isNew));
  }

  #change({ id }: Topic, changes: Partial<KeptTopic>): void {
    this.#keep({ ...(this.#kept.get(id) as KeptTopic), ...changes });
  }

  #keep(entry: TopicEntry): void {
    this.#journal?.append(entry);
    this.#journal?.flushNow();
    this.#note(entry);
  }

  #note(entry: TopicEntry): void {
    if ('deleted' in entry) this.#kept.delete(entry.deleted);
    else this.#kept.set(entry.id, entry);
  }
}
