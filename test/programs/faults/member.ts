// One process of a fault run. It keeps waits parked, changes keys at a rate, and reports what
// happened.
//
// Ground rules. Each process watches keys of its own. So each wait is answered by a change that
// another process made, or by its own change. An answered wait is parked again for the next change.
// The process obeys orders that come as messages, and answers each of them once.
import { parentPort } from 'node:worker_threads';
import { Purgatory } from '../../../src/index.ts';
import { openBus } from './open-bus.ts';
import { commonNow, SharedState } from './shared-state.ts';

/** An order to a member. */
export type Order =
  | { readonly do: 'park'; readonly from: number; readonly to: number; readonly timeoutMs: number }
  /**
   * Changes keys in [from, to) at `rate` a second. With `hot`, notifies `hot` keys only, without a
   * write.
   */
  | {
      readonly do: 'load';
      readonly from: number;
      readonly to: number;
      readonly rate: number;
      readonly hot?: number;
    }
  | { readonly do: 'rest' }
  /** Starts counting again. */
  | { readonly do: 'begin' }
  /** `latencies`: include them. They are many. */
  | { readonly do: 'report'; readonly latencies?: boolean }
  | { readonly do: 'end' };

/** What a member answers to each order. */
export interface Report {
  readonly state: string;
  /** Waits that are parked though their condition holds. */
  readonly overdue: number;
  readonly expiredThoughTrue: number;
  readonly thrown: number;
  readonly unhandled: number;
  /** From the write to the answer, in ms, since `begin`. */
  readonly latencies: readonly number[];
  /** Share of a core since `begin`. */
  readonly cpu: number;
}

const [engine, port, path, keys] = process.argv.slice(2);
/** A wait that was true for so long must not expire. */
const HELD_MS = 15_000;
const state = new SharedState(path, Number(keys));
const bus = openBus(engine, Number(port));
const purgatory = new Purgatory<string>('faults', { bus });
/** The version that each wait here has seen. */
const seen = new Map<number, number>();
let expiredThoughTrue = 0;
let thrown = 0;
let unhandled = 0;
let latencies: number[] = [];
let load: NodeJS.Timeout | undefined;
let cpu = process.cpuUsage();
let cpuSinceMs = commonNow();

process.on('unhandledRejection', () => unhandled++);
process.on('uncaughtException', () => thrown++);

async function wait(key: number, timeoutMs: number): Promise<void> {
  for (;;) {
    const version = state.version(key);
    seen.set(key, version);
    const attempt = (): true | undefined => (state.version(key) > version ? true : undefined);
    const result = await purgatory.waitFor([`${key}`], attempt, { timeoutMs });
    const isTrue = state.version(key) > version;
    const sinceMs = commonNow() - state.writtenMs;
    if (!result.expired) latencies.push(sinceMs);
    else if (isTrue && sinceMs > HELD_MS) expiredThoughTrue++;
  }
}

function startLoad({ from, to, rate, hot }: Extract<Order, { do: 'load' }>): void {
  let owed = 0;
  let lastMs = performance.now();
  const draw = (below: number): number => Math.floor(Math.random() * below);
  load = setInterval(() => {
    const nowMs = performance.now();
    owed += ((nowMs - lastMs) * rate) / 1_000;
    lastMs = nowMs;
    for (; owed >= 1; owed--) {
      try {
        const key = hot === undefined ? from + draw(to - from) : `hot ${draw(hot)}`;
        if (typeof key === 'number') state.bump(key);
        purgatory.notify(`${key}`);
      } catch {
        thrown++;
      }
    }
  }, 2);
}

function report(withLatencies: boolean): Report {
  const { user, system } = process.cpuUsage(cpu);
  return {
    state: bus.state,
    overdue: state.changed(seen),
    expiredThoughTrue,
    thrown,
    unhandled,
    latencies: withLatencies ? latencies : [],
    cpu: (user + system) / 1_000 / (commonNow() - cpuSinceMs),
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
  else if (order.do === 'begin') {
    latencies = [];
    cpu = process.cpuUsage();
    cpuSinceMs = commonNow();
  } else if (order.do === 'end') {
    purgatory.close();
    await bus.close();
  }
  tell(report(order.do === 'report' && order.latencies === true), () => {
    if (order.do === 'end') process.exit();
  });
});
tell('ready');
