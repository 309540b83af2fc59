// One process of a fault run. It keeps waits parked, changes keys at a rate, and reports what
// happened.
//
// Ground rules. Each process watches keys of its own. So each wait is answered by a change that
// another process made, or by its own change. An answered wait is parked again for the next change.
// The process obeys orders that come as messages, and answers each of them once.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { Purgatory } from '../../../src/index.ts';
import { listen } from '../../../src/observe/events/index.ts';
import { LoopProbe } from './loop-probe.ts';
import { openBus } from './open-bus.ts';
import { commonNow, SharedState } from './shared-state.ts';
import { SharedWaiters } from './shared-waiters.ts';

/** An order to a member. */
export type Order =
  | { readonly do: 'park'; readonly from: number; readonly to: number; readonly timeoutMs: number }
  /**
   * Changes keys in [from, to) at `rate` a second, those of `everyMs` (2) in one turn. `atMost` so
   * many, and none while more wait to be sent: then the rate is what the machine can do. With
   * `hot`, notifies `hot` keys only, without a write.
   */
  | {
      readonly do: 'load';
      readonly from: number;
      readonly to: number;
      readonly rate: number;
      readonly hot?: number;
      readonly everyMs?: number;
      readonly atMost?: number;
    }
  | { readonly do: 'rest' }
  /** Parks so many waiters of one key of shared state, until it has reached `version`. */
  | { readonly do: 'share'; readonly waiters: number; readonly version: number }
  /** Changes that key, and gives one hint. */
  | { readonly do: 'change' }
  /**
   * Starts counting again. `quiet`: without the probe of the loop, which costs more than an idle
   * process.
   */
  | { readonly do: 'begin'; readonly quiet?: boolean }
  /** `latencies`: include them. They are many. */
  | { readonly do: 'report'; readonly latencies?: boolean }
  | { readonly do: 'end' };

/** What a member answers to each order. */
export interface Report {
  readonly state: string;
  readonly parked: number;
  /** Waits that are parked though their condition holds. */
  readonly overdue: number;
  readonly answered: number;
  readonly expiredThoughTrue: number;
  readonly thrown: number;
  readonly unhandled: number;
  /** From the write to the answer, in ms, sorted, since `begin`. */
  readonly latencies: number[];
  readonly maxBlockMs: number;
  /** Share of a core since `begin`. */
  readonly cpu: number;
  /** Since `begin`, in ms. */
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly framesSent: number;
  readonly routed: number;
  readonly broadcast: number;
  readonly acknowledgementsPending: number;
  /** When it fell into its last gap, in the common time. */
  readonly gapMs: number | null;
  /** Of the waiters of one key. */
  readonly shared: { readonly loads: number; readonly tries: number; readonly answered: number };
}

const [engine, port, path, keys, options] = process.argv.slice(2);
const HELD_MS = 15_000;

// Gaps are what the rows make, so nobody is warned of them.
const busOptions = { ...JSON.parse(options), onError: () => {} };
const { bus, close } = await openBus(engine, Number(port), busOptions);
const purgatory = new Purgatory<string>('faults', { bus });
const state = new SharedState(path, Number(keys));
let shared: SharedWaiters | undefined;
/** The version that the wait of each key has seen. */
const seen = new Map<number, number>();
let answered = 0;
let expiredThoughTrue = 0;
let thrown = 0;
let unhandled = 0;
let latencies: number[] = [];
let load: NodeJS.Timeout | undefined;
let cpu = process.cpuUsage();
let cpuSinceMs = commonNow();
let gapMs: number | null = null;
const probe = new LoopProbe();

process.on('unhandledRejection', () => unhandled++);
process.on('uncaughtException', () => thrown++);
listen('purgatory:bus:state', ({ state: now }) => {
  if (now === 'gap') gapMs = commonNow();
});

async function wait(key: number, timeoutMs: number): Promise<void> {
  for (;;) {
    const version = state.version(key);
    seen.set(key, version);
    const attempt = (): true | undefined => (state.version(key) > version ? true : undefined);
    const result = await purgatory.waitFor([`${key}`], attempt, { timeoutMs });
    if (result.expired) {
      if (state.version(key) > version && commonNow() - state.writtenMs > HELD_MS) expiredThoughTrue++;
    } else {
      answered++;
      state.version(key);
      latencies.push(commonNow() - state.writtenMs);
    }
  }
}

function startLoad({ from, to, rate, hot, everyMs = 2, atMost }: Extract<Order, { do: 'load' }>): void {
  let owed = 0;
  let lastMs = performance.now();
  load = setInterval(() => {
    const nowMs = performance.now();
    owed += ((nowMs - lastMs) * rate) / 1_000;
    lastMs = nowMs;
    if (atMost !== undefined) owed = bus.snapshot().pendingKeys > atMost ? 0 : Math.min(owed, atMost);
    for (; owed >= 1; owed--) {
      try {
        if (hot !== undefined) purgatory.notify(`hot ${Math.floor(Math.random() * hot)}`);
        else {
          const key = from + Math.floor(Math.random() * (to - from));
          state.bump(key);
          purgatory.notify(`${key}`);
        }
      } catch {
        thrown++;
      }
    }
  }, everyMs);
}

function report(withLatencies: boolean): Report {
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1_000;
  const { totals, acknowledgementsPending } = bus.snapshot();
  return {
    state: bus.state,
    parked: purgatory.numDelayed,
    overdue: state.changed(seen),
    answered,
    expiredThoughTrue,
    thrown,
    unhandled,
    latencies: withLatencies ? latencies.sort((x, y) => x - y) : [],
    maxBlockMs: probe.maxBlockMs,
    cpu: cpuMs / (commonNow() - cpuSinceMs),
    cpuMs,
    heapBytes: process.memoryUsage().heapUsed,
    framesSent: totals.framesSent,
    routed: totals.routed,
    broadcast: totals.broadcast,
    acknowledgementsPending,
    gapMs,
    shared: { loads: shared?.loads ?? 0, tries: shared?.tries ?? 0, answered: shared?.answered ?? 0 },
  };
}

function tell(answer: Report | 'ready', sent = (): void => {}): void {
  if (parentPort === null) {
    process.send?.(answer, undefined, undefined, sent);
    return;
  }
  parentPort.postMessage(answer);
  sent();
}

(parentPort ?? process).on('message', async (order: Order) => {
  if (!('do' in order)) return; // the relay's
  if (order.do === 'park') {
    for (let key = order.from; key < order.to; key++) void wait(key, order.timeoutMs).catch(() => {});
  } else if (order.do === 'load') startLoad(order);
  else if (order.do === 'rest') clearInterval(load);
  else if (order.do === 'share') {
    shared = new SharedWaiters(bus, state);
    shared.park(order.waiters, order.version);
  } else if (order.do === 'change') shared?.change();
  else if (order.do === 'begin') {
    (globalThis as { gc?(): void }).gc?.();
    await sleep(50); // the probe has seen the collection
    latencies = [];
    if (order.quiet) probe.stop();
    else probe.start();
    cpu = process.cpuUsage();
    cpuSinceMs = commonNow();
  } else if (order.do === 'end') {
    purgatory.close();
    shared?.close();
    await bus.close();
    await close();
  }
  const answer = report(order.do === 'report' && order.latencies === true);
  tell(answer, () => {
    if (order.do === 'end') process.exit();
  });
});
tell('ready');
