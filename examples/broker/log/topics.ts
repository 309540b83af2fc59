/**
 * The topics of this broker, by name and by id. Owns their creation and deletion; a name that is not legal never gets in, so
 * a name that is found here is safe to use in a path.
 */
import { randomUUID } from 'node:crypto';
import type { Partition } from './partition.ts';

export interface Topic {
  readonly name: string;
  readonly id: string;
  readonly partitions: readonly Partition[];
}

/** Kafka's rule: 1 to 249 of `a-z A-Z 0-9 . _ -`, and neither `.` nor `..`. */
export function isLegalTopicName(name: string): boolean {
  return /^[\w.-]{1,249}$/.test(name) && name !== '.' && name !== '..';
}

export class Topics {
  readonly #byName = new Map<string, Topic>();
  readonly #byId = new Map<string, Topic>();
  #partitionCount = 0;
  readonly #createPartition: (topic: string, index: number) => Partition;

  constructor(createPartition: (topic: string, index: number) => Partition) {
    this.#createPartition = createPartition;
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

  /** Throws a RangeError for a name that is not legal or is taken. */
  create(name: string, partitions: number): Topic {
    if (!isLegalTopicName(name)) throw new RangeError(`${JSON.stringify(name)} is no legal topic name`);
    if (this.#byName.has(name)) throw new RangeError(`the topic ${name} exists`);
    const topic: Topic = {
      name,
      id: randomUUID(),
      partitions: Array.from({ length: partitions }, (_, index) => this.#createPartition(name, index)),
    };
    this.#byName.set(name, topic);
    this.#byId.set(topic.id, topic);
    this.#partitionCount += partitions;
    return topic;
  }

  delete(topic: Topic): void {
    this.#byName.delete(topic.name);
    this.#byId.delete(topic.id);
    this.#partitionCount -= topic.partitions.length;
    for (const partition of topic.partitions) partition.delete();
  }
}
