import { LocalHub } from '../src/bus/index.ts';
import { Purgatory, SystemTimer } from '../src/index.ts';
import { createInspector } from '../src/observe/inspector/index.ts';
import { registerMetrics } from '../src/observe/metrics/index.ts';
import { IdleTimeouts } from '../src/waits/idle/index.ts';
import { Queues } from '../src/waits/queues/index.ts';
import { Replies } from '../src/waits/replies/index.ts';
import { HashedWheelTimer, HierarchicalWheelTimer, SimpleWheelTimer } from '../src/waits/schemes/index.ts';
import { Semaphore } from '../src/waits/semaphore/index.ts';
import { SharedWaits } from '../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../src/waits/threshold/index.ts';
import { timeoutSignal } from '../src/waits/timers/index.ts';
import { setInterval, setTimeout } from '../src/waits/timers/promises.ts';

/** An object that has each of the names, as undefined. */
function undefinedOf(...names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

const TIMER = ['tickMs', 'wheelSize', 'clock', 'reaper', 'sliceMs', 'maxPending', 'onError'];
const SCHEME = TIMER.filter((name) => name !== 'wheelSize');
const PURGATORY = [...TIMER, 'timer', 'maxParked', 'bus', 'sweepMs'];
const LINES = [...TIMER.filter((name) => name !== 'onError'), 'timer', 'maxParked'];
const BUS = ['prefix', 'flushMs', 'echoMs', 'echoTimeoutMs', 'maxPendingKeys', 'onError', 'clock', 'random'];
const SHARED = [
  'bus',
  'loadBatch',
  'concurrency',
  'loadTimeoutMs',
  'recheckMs',
  'pollMs',
  'retry',
  'maxParked',
  'clock',
  'onError',
];

/** What takes options, given undefined for each that may be left out. */
const TAKERS: Readonly<Record<string, () => unknown>> = {
  SystemTimer: () => new SystemTimer(undefinedOf(...TIMER)),
  scheduleAtFixedRate: () =>
    new SystemTimer().scheduleAtFixedRate(() => {}, 5, undefinedOf('initialDelayMs', 'missedRuns')).cancel(),
  scheduleWithFixedDelay: () =>
    new SystemTimer().scheduleWithFixedDelay(() => {}, 5, undefinedOf('initialDelayMs')).cancel(),
  Purgatory: () => new Purgatory('p', undefinedOf(...PURGATORY)),
  snapshot: () => new Purgatory('p').snapshot(undefinedOf('top')),
  waitFor: () =>
    new Purgatory('p').waitFor(['k'], () => 1, { timeoutMs: 5, ...undefinedOf('signal', 'label') }),
  ThresholdPurgatory: () =>
    new ThresholdPurgatory('p', undefinedOf(...PURGATORY, 'current', 'loadTimeoutMs', 'keep')),
  awaitAtLeast: () => {
    const purgatory = new ThresholdPurgatory('p');
    purgatory.advance('k', 1);
    return purgatory.awaitAtLeast('k', 1, { timeoutMs: 5, ...undefinedOf('signal', 'label') });
  },
  IdleTimeouts: () =>
    new IdleTimeouts('idle', undefinedOf('timeoutMs', 'timer', 'clock', 'onIdle', 'onError')).close(),
  Replies: () => new Replies('replies', undefinedOf('timer', 'maxParked', 'maxPending', 'clock')),
  expect: () => {
    const replies = new Replies<number>('replies');
    const reply = replies.expect(1, { timeoutMs: 5, ...undefinedOf('signal') });
    replies.resolve(1, 1);
    return reply;
  },
  timeoutSignal: () => timeoutSignal(5, undefinedOf('signal', 'timer'))[Symbol.dispose](),
  'setTimeout of promises': () => setTimeout(1, 1, undefinedOf('signal', 'ref')),
  'setInterval of promises': async () => {
    for await (const value of setInterval(1, 1, undefinedOf('signal', 'ref'))) return value;
    return undefined;
  },
  Semaphore: () => new Semaphore('s', { units: 1, ...undefinedOf(...LINES) }),
  acquire: () =>
    new Semaphore('s', { units: 1 }).acquire({ timeoutMs: 5, ...undefinedOf('units', 'signal', 'label') }),
  tryAcquire: () => new Semaphore('s', { units: 1 }).tryAcquire(undefinedOf('units', 'label')),
  Queues: () => new Queues('q', undefinedOf(...LINES, 'maxItems')),
  take: () => {
    const queues = new Queues<number>('q');
    queues.put('k', 1);
    return queues.take(['k'], { timeoutMs: 5, ...undefinedOf('signal', 'label') });
  },
  SharedWaits: () => new SharedWaits('s', { load: async () => new Map(), ...undefinedOf(...SHARED) }).close(),
  waitUntil: async () => {
    const waits = new SharedWaits<number>('s', { load: async () => new Map([['k', 1]]) });
    await waits.waitUntil('k', (value) => value, { timeoutMs: 5_000, ...undefinedOf('signal') });
    waits.close();
  },
  HashedWheelTimer: () =>
    new HashedWheelTimer(undefinedOf(...TIMER, 'tickDurationMs', 'ticksPerWheel', 'maxPendingTimeouts')),
  HierarchicalWheelTimer: () => new HierarchicalWheelTimer(undefinedOf(...SCHEME, 'levels')),
  SimpleWheelTimer: () => new SimpleWheelTimer(undefinedOf(...TIMER)),
  LocalHub: () => new LocalHub(undefinedOf('clock', 'seed')),
  bus: () => new LocalHub().bus(undefinedOf(...BUS)).close(),
  createInspector: () =>
    createInspector(
      undefinedOf('purgatories', 'timers', 'buses', 'path', 'hosts', 'history', 'onError'),
    ).close(),
  registerMetrics: () => {
    const registry = { registerMetric() {}, removeSingleMetric() {} };
    registerMetrics(registry, undefinedOf('purgatories', 'timers', 'buses'))();
  },
};

describe('An option that is undefined', () => {
  for (const [name, take] of Object.entries(TAKERS)) {
    it(`counts as left out: ${name}`, async () => {
      await take(); // else it throws or rejects
    });
  }
});
