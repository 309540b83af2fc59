/**
 * The topics of this broker, by name and by id. Owns their creation and deletion, and the journal that both are kept in; a name
 * that is not legal never gets in, so a name that is found here is safe to use in a path.
 */
import { randomUUID } from 'node:crypto';
import { Journal } from '../storage/journal.ts';
import type { Partition } from './partition.ts';

export interface Topic {
  readonly name: string;
  readonly id: string;
  readonly partitions: readonly Partition[];
}

interface KeptTopic {
  readonly name: string;
  readonly id: string;
  readonly partitions: number;
}

/** What the journal has of a topic, or that the topic with this id is deleted. */
type TopicEntry = KeptTopic | { readonly deleted: string };

/** Makes a partition; `isNew` says that nothing that may be left of a partition of this name belongs to it. */
export type PartitionFactory = (topic: string, index: number, isNew: boolean) => Partition;

/** Kafka's rule: 1 to 249 of `a-z A-Z 0-9 . _ -`, and neither `.` nor `..`. */
export function isLegalTopicName(name: string): boolean {
  return /^[\w.-]{1,249}$/.test(name) && name !== '.' && name !== '..';
}

export class Topics {
  readonly #byName = new Map<string, Topic>();
  readonly #byId = new Map<string, Topic>();
  #partitionCount = 0;
  readonly #createPartition: PartitionFactory;
  readonly #onDelete: (name: string) => void;
  /** By id: what the journal has to say. */
  readonly #kept = new Map<string, KeptTopic>();
  #journal: Journal<TopicEntry> | undefined;

  /** `onDelete` is called before a topic is deleted. */
  constructor(createPartition: PartitionFactory, onDelete: (name: string) => void) {
    this.#createPartition = createPartition;
    this.#onDelete = onDelete;
  }

  /** Reads the topics that the journal at `path` has, with their partitions. To be called once, first. */
  open(path: string): void {
    this.#journal = new Journal<TopicEntry>(
      path,
      (entry) => this.#note(entry),
      () => [...this.#kept.values()],
    );
    for (const { name, id, partitions } of this.#kept.values()) this.#add(name, id, partitions, false);
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

  /** The topic is on the disk when this returns. Throws a RangeError for a name that is not legal or is taken. */
  create(name: string, partitions: number, id: string = randomUUID()): Topic {
    if (!isLegalTopicName(name)) throw new RangeError(`${JSON.stringify(name)} is no legal topic name`);
    if (this.#byName.has(name)) throw new RangeError(`the topic ${name} exists`);
    this.#keep({ name, id, partitions });
    return this.#add(name, id, partitions, true);
  }

  delete(topic: Topic): void {
    this.#onDelete(topic.name);
    this.#keep({ deleted: topic.id });
    this.#byName.delete(topic.name);
    this.#byId.delete(topic.id);
    this.#partitionCount -= topic.partitions.length;
    for (const partition of topic.partitions) partition.delete();
  }

  async close(): Promise<void> {
    await Promise.all(this.all().flatMap(({ partitions }) => partitions.map((each) => each.close())));
    await this.#journal?.close();
  }

  #add(name: string, id: string, count: number, isNew: boolean): Topic {
    const partitions = Array.from({ length: count }, (_, index) => this.#createPartition(name, index, isNew));
    const topic: Topic = { name, id, partitions };
    this.#byName.set(name, topic);
    this.#byId.set(id, topic);
    this.#partitionCount += count;
    return topic;
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
