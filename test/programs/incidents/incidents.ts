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
  /** What the page says then: the rules, the headline and the detail. */
  readonly rules: readonly string[];
  readonly headline: RegExp;
  readonly detail: RegExp;
  /** What it says half of the time before. */
  readonly watching?: RegExp;
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
    headline: /^Something is wrong: the server hung for 11\S* s$/,
    detail: /The event loop stood still, .* the process ran for 1\d\S* s .*: a callback took long/,
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
    headline: /^Have a look: the event on orders-0 (takes|took) long$/,
    detail: /of 100,000 tried in .* A try with its answer takes 2\d ms\. What helps: fewer watchers/,
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
    headline: /: (the server hung for 2\S* s|the condition on page is slow)$/, // a turn, or a turn a try
    detail: /In sessions a try of an order page for page took 2\d\d ms\./,
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
    headline: /^Have a look: operations throw$/,
    detail: /The last error: TypeError: no such offset \(Op on bad in fetch\)/,
  },
  bus: {
    what: 'a bus is cut off',
    begin({ hub, bus }) {
      hub.cut(bus);
      return () => hub.mend(bus);
    },
    afterS: 1,
    rules: ['cut off'],
    headline: /^Have a look: the bus sessions is cut off$/,
    detail: /It has been in a gap for .*: hints of other processes do not arrive/,
  },
  split: {
    what: 'the engine of a bus is split, and the other processes are on the other side',
    begin({ hub, bus }) {
      hub.split([bus]);
      return () => hub.mend();
    },
    afterS: 10,
    rules: ['in doubt'],
    headline: /^Have a look: the bus sessions may hear only a part of the others$/,
    detail: /3 other processes have fallen silent at once, without a goodbye; 0 still heard/,
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
    headline: /^Have a look: loads of shared state do not end$/,
    detail:
      /In orders the load of order-0 and 99 other keys has been under way for \S+ s\. 100 waits stand behind it\. Is the store up\?/,
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
    headline: /^Have a look: loads of shared state fail$/,
    detail: /loads? of orders failed, and 100 waits are parked there.* Error: connect ECONNREFUSED/,
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
    headline: /^Have a look: waits without a deadline pile up$/,
    detail:
      /In sessions [\d,]+ were parked without one, [\d,]+ more than 20 s before\. One of them is an order page\./,
    watching: /^Watching: 3,\d{3} waits without a deadline in sessions, [\d,]+ more than \d+ s before\.$/,
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
    headline: /^Have a look: conditions do not settle$/,
    detail: /In sessions 200 tries are open: .* The oldest, of an order page, has been open for/,
  },
  permit: {
    what: 'a permit is not given back, while others wait',
    begin: lock(3, { label: 'the report of July' }),
    afterS: 60,
    rules: ['held'],
    headline: /^Have a look: a permit is held for long while others wait$/,
    detail:
      /For locks in locks, 3 waits are parked, the oldest since \S+ \(1 min\)\. the report of July has held 1 unit for 1\S* min/,
  },
  lock: {
    what: 'fifty wait for a lock, whose permit has no label',
    begin: lock(50),
    afterS: 10,
    rules: ['held'],
    headline: /^Have a look: a permit is held for long while others wait$/,
    detail:
      /For locks in locks, 50 waits are parked, the oldest since \S+ \(1\d s\)\. Who holds it, a label of the permit would say/,
    watching: /^Watching: 50 waits for locks in locks, the oldest for \d s\.$/,
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
    headline: /^Have a look: items pile up, and too few are taken$/,
    detail: /In jobs 2,\d00 items were kept, [\d,]+ more than 10 s before; none was taken meanwhile/,
    watching: /^Watching: [\d,]+ items in jobs, [\d,]+ more than \d+ s before\.$/,
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
    headline: /^Have a look: leases end before their items are acknowledged$/,
    detail: /leases of jobs ended by their time, and the items are given again/,
  },
  late: {
    what: 'items expire before anybody takes them',
    begin: () => nobody,
    each: ({ jobs }) => jobs.put('mail', 1, { timeoutMs: 2_000 }),
    afterS: 2,
    rules: ['items expire'],
    headline: /^Have a look: items expire before anybody takes them$/,
    detail: /\d items? of jobs did; 50 takes wait for other keys\./,
  },
  stuck: {
    what: 'three items stay, as nobody takes their key',
    begin({ jobs }) {
      for (let n = 0; n < 3; n++) jobs.put('mail', n);
      return () => jobs.clear('mail');
    },
    afterS: 60,
    rules: ['items old'],
    headline: /^Have a look: items wait long for a taker$/,
    detail:
      /In jobs the first item of mail has been kept for 1\S* min or longer, of 3 items in all; 50 takes wait/,
  },
  full: {
    what: 'queues are nearly full',
    begin({ mails }) {
      for (let n = 0; n < 99; n++) mails.put('mail', n);
      return () => mails.clear('mail');
    },
    afterS: 0,
    rules: ['items full'],
    headline: /^Have a look: queues are nearly full$/,
    detail: /mails keeps 99 of 100 items, 99 %\./,
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
