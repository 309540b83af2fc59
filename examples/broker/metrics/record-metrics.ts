/** The metrics of the records that come in and go out, and of their partitions, for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { countRecords } from '../protocol/record-batch.ts';

export interface PartitionIsr {
  readonly topic: string;
  readonly partition: number;
  /** Replicas in sync, the leader included. */
  readonly isrSize: number;
}

export class RecordMetrics {
  readonly #in: readonly [bytes: Counter, records: Counter];
  readonly #out: readonly [bytes: Counter, records: Counter];

  /** `isrs` is called for every scrape. */
  constructor(registry: Registry, isrs: () => Iterable<PartitionIsr>) {
    const registers = [registry];
    const counters = (way: 'in' | 'out', done: string) =>
      [
        new Counter({
          name: `broker_bytes_${way}_total`,
          help: `Bytes of record batches ${done}`,
          registers,
        }),
        new Counter({ name: `broker_records_${way}_total`, help: `Records ${done}`, registers }),
      ] as const;
    this.#in = counters('in', 'that were appended for producers');
    this.#out = counters('out', 'that were answered to fetches');
    new Gauge({
      name: 'broker_isr_size',
      help: 'Replicas in sync of a partition that this node leads, the leader included',
      labelNames: ['topic', 'partition'],
      registers,
      collect() {
        this.reset();
        for (const { topic, partition, isrSize } of isrs())
          this.set({ topic, partition: `${partition}` }, isrSize);
      },
    });
  }

  /** Whole batches that were appended. O(batches), as is `onFetched`. */
  onAppended(batches: readonly Buffer[]): void {
    count(this.#in, batches);
  }

  /** Whole batches that are on their way to a client. */
  onFetched(batches: readonly Buffer[]): void {
    count(this.#out, batches);
  }
}

function count([bytes, records]: readonly [Counter, Counter], batches: readonly Buffer[]): void {
  for (const batch of batches) {
    bytes.inc(batch.length);
    records.inc(countRecords(batch));
  }
}
