/**
 * What Prometheus is told of the waiting rooms and of the reaper of their timer.
 *
 * Counts are read from the rooms when they are asked for; only the two histograms are fed on the way, O(1) for an operation that
 * leaves. Names and labels are what dashboards are made of: they stay.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AnyPurgatory, RoomObserver, WaitingCounts, WaitingRoom } from '../waiting/waiting-room.ts';

/** From acks that come with the next flush to sessions of half an hour, in seconds. */
const TIME_PARKED_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];
/** From a tick to an event loop that was blocked, in seconds. */
const LATENESS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];

/** Registers the metrics; rooms are counted from their `watch` on. */
export class PurgatoryMetrics {
  readonly #registry: Registry;
  readonly #rooms: WaitingRoom<AnyPurgatory>[] = [];
  readonly #timeParked: Histogram<'purgatory'>;
  readonly #lateness: Histogram;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#timeParked = new Histogram({
      name: 'purgatory_time_parked_seconds',
      help: 'How long operations were parked that were completed or expired',
      labelNames: ['purgatory'],
      buckets: TIME_PARKED_BUCKETS,
      registers,
    });
    this.#lateness = new Histogram({
      name: 'purgatory_reaper_lateness_seconds',
      help: 'How long after their deadline operations were expired',
      buckets: LATENESS_BUCKETS,
      registers,
    });
    this.#add(Gauge, 'purgatory_parked_operations', 'Operations that wait now', 'numDelayed');
    this.#add(Gauge, 'purgatory_watched_keys', 'Keys that a parked operation watches', 'watchedKeys');
    this.#add(Counter, 'purgatory_parked_total', 'Operations that were parked', 'parked');
    this.#add(
      Counter,
      'purgatory_completed_early_total',
      'Parked operations that were completed before their deadline',
      'completedEarly',
    );
    this.#add(
      Counter,
      'purgatory_expired_total',
      'Parked operations that their deadline completed',
      'expired',
    );
  }

  /** What a room is made with, so that its operations get into the histograms. */
  observer(purgatory: string): RoomObserver {
    return {
      onLeave: (waitedMs) => this.#timeParked.observe({ purgatory }, waitedMs / 1000),
      onExpire: (latenessMs) => this.#lateness.observe(latenessMs / 1000),
    };
  }

  watch(room: WaitingRoom<AnyPurgatory>): void {
    this.#rooms.push(room);
  }

  #add(
    Metric: typeof Gauge<'purgatory'> | typeof Counter<'purgatory'>,
    name: string,
    help: string,
    count: keyof WaitingCounts,
  ): void {
    const rooms = this.#rooms;
    new Metric({
      name,
      help,
      labelNames: ['purgatory'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const room of rooms) this.inc({ purgatory: room.name }, room.counts()[count]);
      },
    });
  }
}
