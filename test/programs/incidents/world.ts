// A server at work, in which incidents happen: parked operations, purgatories of all kinds, and a
// bus. It runs on the time of a test, or on the real one.
import type { Bus } from '../../../src/bus/index.ts';
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { type Clock, Purgatory, SystemTimer } from '../../../src/index.ts';
import type { ObservedPurgatory } from '../../../src/observe/sources.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { Semaphore } from '../../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { Op } from '../../support/op.ts';

export const HOUR_MS = 3_600_000;
export const never = (): Promise<never> => new Promise(() => {});
export const nobody = (): void => {};

/** Where the time comes from. */
export interface Place {
  /** Undefined: the system's. */
  readonly clock?: Clock;
  /** One that moves while work is done: that of `spend`. */
  readonly movingClock?: Clock;
  /** The event loop is blocked for `ms`. */
  block(ms: number): void;
  /** As `block`, on the moving clock. */
  spend(ms: number): void;
  /** Resolves once it holds, where the time does not go on by itself. */
  reaches(holds: () => boolean): Promise<unknown>;
}

export class World {
  readonly place: Place;
  readonly timer: SystemTimer;
  readonly hub: LocalHub;
  readonly bus: Bus;
  /** Of other processes. */
  readonly peers: readonly Bus[];
  readonly sessions: Purgatory<string, Op>;
  readonly acks: ThresholdPurgatory;
  readonly orders: SharedWaits<number>;
  readonly locks: Semaphore;
  readonly jobs: Queues<number>;
  readonly mails: Queues<number>;
  fetches: Purgatory<string, Op>;
  /** Set it to have the store of the orders answer otherwise. */
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>> = async () => new Map();
  /** Those of one incident. */
  readonly others: ObservedPurgatory[] = [];

  /** @param parked how many operations wait all the time. */
  constructor(place: Place, parked: number) {
    this.place = place;
    const { clock } = place;
    this.timer = new SystemTimer({ clock });
    const { timer } = this;
    this.hub = new LocalHub({ clock });
    const options = { clock, onError: (): void => {} }; // the page tells it
    this.bus = this.hub.bus(options);
    this.peers = [1, 2, 3].map(() => this.hub.bus(options));
    this.sessions = new Purgatory('sessions', { timer, bus: this.bus });
    this.acks = new ThresholdPurgatory('acks', { timer });
    this.locks = new Semaphore('locks', { units: 1, timer });
    this.jobs = new Queues('jobs', { timer });
    this.mails = new Queues('mails', { timer, maxItems: 100 });
    this.orders = new SharedWaits('orders', {
      clock,
      load: (keys) => this.load(keys),
      retry: true,
      onError: nobody,
      loadTimeoutMs: 60_000,
    });
    this.fetches = this.newFetches();
    for (let n = 0; n < parked; n++) {
      this.fetches.tryCompleteElseWatch(new Op('', { delayMs: HOUR_MS }), [`topic-${n % 500}`]);
    }
    for (let n = 0; n < 100; n++) {
      this.orders.waitUntil(`order-${n}`, () => undefined, { timeoutMs: HOUR_MS }).catch(nobody);
    }
    for (let n = 0; n < 50; n++) this.jobs.take(['idle'], { timeoutMs: HOUR_MS }).catch(nobody);
  }

  newFetches(): Purgatory<string, Op> {
    return new Purgatory('fetch', { timer: this.timer, onError: nobody, maxParked: 150_000 });
  }

  get purgatories(): ObservedPurgatory[] {
    const { fetches, sessions, acks, orders, locks, jobs, mails } = this;
    return [fetches, sessions, acks, orders, locks, jobs, mails, ...this.others];
  }

  async close(): Promise<void> {
    const { fetches, sessions, acks, orders, locks, jobs, mails } = this;
    for (const each of [fetches, sessions, acks, orders, locks, jobs, mails]) each.close();
    await Promise.all([this.bus, ...this.peers].map((bus) => bus.close()));
    this.timer.close();
  }
}
