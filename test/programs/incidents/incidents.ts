// What goes wrong in servers, one by one: what the inspector is to tell. A test plays them on a time
// of its own, and `npm run demo -- --incident NAME` on the real one.
import { Purgatory } from '../../../src/index.ts';
import { Op } from '../../support/op.ts';
import { HOUR_MS, never, nobody, type World } from './world.ts';

export interface Incident {
  /** In a sentence that begins with "the page says that". */
  readonly what: string;
  /** Makes it happen. What it returns ends it. */
  begin(world: World): (() => void) | Promise<() => void>;
  /** Goes on in each second of it. */
  readonly each?: (world: World) => unknown;
  /** How long it has to last, before it is one. */
  readonly afterS: number;
  /** The rules of the page that tell it. rules.test.ts has the words. */
  readonly rules: readonly string[];
}

export const INCIDENTS: Readonly<Record<string, Incident>> = {
  block: {
    what: 'the event loop is blocked',
    begin({ place }) {
      place.block(11_000);
      return nobody;
    },
    afterS: 0,
    rules: ['hung'],
  },
  herd: {
    what: 'a condition is slow, and 100,000 wait for its key',
    async begin({ place, others }) {
      const herd = new Purgatory<string, Op>('herd', { clock: place.movingClock });
      let isParked = false;
      const onTry = (): void => void (isParked && place.spend(20));
      for (let n = 0; n < 100_000; n++) herd.tryCompleteElseWatch(new Op('', { onTry }), ['orders-0']);
      isParked = true;
      others.push(herd);
      herd.notify('orders-0');
      await place.reaches(() => herd.snapshot().events.oldestMs > 1000);
      return () => herd.close();
    },
    afterS: 0.5,
    rules: ['long event'],
  },
  condition: {
    what: 'a synchronous condition takes 200 ms, and 12 wait for its key',
    begin({ place, sessions }) {
      const condition = ({ key }: { key?: string | undefined }): undefined => {
        if (key !== undefined) place.block(200);
      };
      const abort = new AbortController();
      const options = { timeoutMs: HOUR_MS, signal: abort.signal, label: 'an order page' };
      for (let n = 0; n < 12; n++) sessions.waitFor(['page'], condition, options).catch(nobody);
      sessions.notify('page');
      return () => abort.abort();
    },
    afterS: 0,
    rules: ['hung', 'slow condition', 'heavy key'],
  },
  throws: {
    what: 'a condition throws',
    begin({ fetches }) {
      const onTry = (_: Op, key: unknown): void => {
        if (key !== undefined) throw new TypeError('no such offset');
      };
      fetches.tryCompleteElseWatch(new Op('', { onTry, delayMs: HOUR_MS }), ['bad']);
      return nobody;
    },
    each: ({ fetches }) => fetches.checkAndComplete('bad'),
    afterS: 0,
    rules: ['threw'],
  },
  bus: {
    what: 'a bus is cut off',
    begin({ hub, bus }) {
      hub.cut(bus);
      return () => hub.mend(bus);
    },
    afterS: 1,
    rules: ['cut off'],
  },
  split: {
    what: 'the engine of a bus is split, and the other processes are on the other side',
    begin({ hub, bus }) {
      hub.split([bus]);
      return () => hub.mend();
    },
    afterS: 10,
    rules: ['in doubt'],
  },
  hang: {
    what: 'the loads of a store hang',
    begin(world) {
      let answer = (_: ReadonlyMap<string, number>): void => {};
      const hanging = new Promise<ReadonlyMap<string, number>>((resolve) => {
        answer = resolve;
      });
      world.load = () => hanging;
      for (let n = 0; n < 100; n++) world.orders.changed(`order-${n}`);
      return () => answer(new Map());
    },
    afterS: 5,
    rules: ['loads hang'],
  },
  store: {
    what: 'the loads of a store fail, and are tried again',
    begin(world) {
      world.load = () => Promise.reject(new Error('connect ECONNREFUSED'));
      for (let n = 0; n < 100; n++) world.orders.changed(`order-${n}`);
      return () => {
        world.load = async () => new Map();
      };
    },
    each: ({ orders }) => orders.changed('order-7'),
    afterS: 0,
    rules: ['loads fail'],
  },
  leak: {
    what: 'waits without a deadline leak, 366 a second',
    begin: () => nobody,
    each({ sessions, timer }) {
      const options = { timeoutMs: Number.POSITIVE_INFINITY, label: 'an order page' };
      for (let n = 0; n < 366; n++) {
        sessions.waitFor([`leak-${timer.now()}-${n}`], () => undefined, options).catch(nobody);
      }
    },
    afterS: 20,
    rules: ['endless'],
  },
  conditions: {
    what: '200 conditions never settle',
    begin({ sessions }) {
      const abort = new AbortController();
      const options = { timeoutMs: HOUR_MS, signal: abort.signal, label: 'an order page' };
      for (let n = 0; n < 200; n++) sessions.waitFor(['page'], never, options).catch(nobody);
      return () => abort.abort();
    },
    afterS: 5,
    rules: ['open tries'],
  },
  permit: {
    what: 'a permit is not given back, while others wait',
    begin: lock(3, { label: 'the report of July' }),
    afterS: 60,
    rules: ['held'],
  },
  lock: {
    what: 'fifty wait for a lock, whose permit has no label',
    begin: lock(50),
    afterS: 10,
    rules: ['held'],
  },
  backlog: {
    what: 'items pile up in queues without takers, 200 a second',
    begin: ({ jobs }) => {
      return () => jobs.clear('mail');
    },
    each({ jobs }) {
      for (let n = 0; n < 200; n++) jobs.put('mail', n);
    },
    afterS: 10,
    rules: ['backlog'],
  },
  lease: {
    what: 'workers take items on lease, and are gone',
    begin({ jobs }) {
      for (let n = 0; n < 5; n++) {
        jobs.put('mail', n);
        jobs.lease(['mail'], { leaseMs: 3_000, timeoutMs: HOUR_MS, label: 'worker 3' }).catch(nobody);
      }
      return () => jobs.clear('mail');
    },
    afterS: 3,
    rules: ['leases lapse'],
  },
  late: {
    what: 'items expire before anybody takes them',
    begin: () => nobody,
    each: ({ jobs }) => jobs.put('mail', 1, { timeoutMs: 2_000 }),
    afterS: 2,
    rules: ['items expire'],
  },
  stuck: {
    what: 'three items stay, as nobody takes their key',
    begin({ jobs }) {
      for (let n = 0; n < 3; n++) jobs.put('mail', n);
      return () => jobs.clear('mail');
    },
    afterS: 60,
    rules: ['items old'],
  },
  full: {
    what: 'queues are nearly full',
    begin({ mails }) {
      for (let n = 0; n < 99; n++) mails.put('mail', n);
      return () => mails.clear('mail');
    },
    afterS: 0,
    rules: ['items full'],
  },
};

/** Somebody has the lock, and does not give it back until the end. */
function lock(waits: number, holder: { label?: string } = {}): Incident['begin'] {
  return ({ locks }) => {
    const permit = locks.tryAcquire(holder);
    for (let n = 0; n < waits; n++) {
      locks.acquire({ timeoutMs: HOUR_MS }).then((next) => next.release(), nobody);
    }
    return () => permit?.release();
  };
}
