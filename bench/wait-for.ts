/**
 * Waits behind promises, as users write them: `waitFor`, `awaitAtLeast`, `waitUntil` and `expect`,
 * each beside the same by hand (peers/waits-by-hand.ts). N wait. An event on a key answers all who
 * wait on it, and each waits again in the continuation of its answer. ns of CPU a wait: its start,
 * its event, its promise, its continuation and the collector's share.
 *
 *   one a key        a key for each wait, 100 keys a turn
 *   a hundred a key  one key a turn
 *   ..., 10 us       each continuation works for 10 us first
 *   bytes            live: of a wait on a key of its own, with its condition and one `then`
 */
import { Purgatory } from 'purgatory';
import { Replies } from 'purgatory/replies';
import { SharedWaits } from 'purgatory/shared';
import { ThresholdPurgatory } from 'purgatory/threshold';
import { cpuNs, liveBytes, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import { RepliesByHand, SharedWaitsByHand, ThresholdsByHand, WaitsByHand } from './peers/waits-by-hand.ts';

const TIMEOUT = { timeoutMs: 30_000 } as const;
const WORK_NS = 10_000n;
const EVENTS_A_TURN = 100;

/** Waits until the state of a key is at least a number. */
interface Waits {
  wait(key: string, state: number): Promise<unknown>;
  /** The state of the key is that number now. */
  reach(key: string, state: number): unknown;
}

type MakeWaits = () => Waits;

const ours: Record<string, MakeWaits> = {
  waitFor() {
    const purgatory = new Purgatory<string>('bench');
    const states = new Map<string, number>();
    return {
      wait: (key, state) =>
        purgatory.waitFor([key], () => ((states.get(key) ?? 0) >= state ? state : undefined), TIMEOUT),
      reach(key, state) {
        states.set(key, state);
        purgatory.notify(key);
      },
    };
  },
  awaitAtLeast() {
    const purgatory = new ThresholdPurgatory<string>('bench');
    return {
      wait: (key, state) => purgatory.awaitAtLeast(key, state, TIMEOUT),
      reach: (key, state) => purgatory.advance(key, state),
    };
  },
  waitUntil() {
    const states = new Map<string, number>();
    const load = async (keys: readonly string[]): Promise<Map<string, number>> =>
      new Map(keys.map((key) => [key, states.get(key) ?? 0]));
    const waits = new SharedWaits<number>('bench', { load });
    return {
      wait: (key, state) => waits.waitUntil(key, (now) => (now! >= state ? now : undefined), TIMEOUT),
      reach(key, state) {
        states.set(key, state);
        waits.changed(key);
      },
    };
  },
  expect() {
    const replies = new Replies<string, number>('replies');
    return {
      wait: (key) => replies.expect(key, TIMEOUT),
      reach: (key, state) => replies.resolve(key, state),
    };
  },
};

const byHand: Record<string, MakeWaits> = {
  waitFor() {
    const waits = new WaitsByHand();
    const states = new Map<string, number>();
    return {
      wait: (key, state) =>
        waits.wait(key, () => ((states.get(key) ?? 0) >= state ? state : undefined), TIMEOUT.timeoutMs),
      reach(key, state) {
        states.set(key, state);
        waits.notify(key);
      },
    };
  },
  awaitAtLeast() {
    const waits = new ThresholdsByHand();
    return {
      wait: (key, state) => waits.awaitAtLeast(key, state, TIMEOUT.timeoutMs),
      reach: (key, state) => waits.advance(key, state),
    };
  },
  waitUntil() {
    const states = new Map<string, number>();
    const waits = new SharedWaitsByHand(async (key) => states.get(key) ?? 0);
    return {
      wait: (key, state) =>
        waits.waitUntil(key, (now) => (now >= state ? now : undefined), TIMEOUT.timeoutMs),
      reach(key, state) {
        states.set(key, state);
        return waits.changed(key);
      },
    };
  },
  expect() {
    const replies = new RepliesByHand();
    return {
      wait: (key) => replies.expect(key, TIMEOUT.timeoutMs),
      reach: (key, state) => replies.resolve(key, state),
    };
  },
};

function work(): void {
  const end = process.hrtime.bigint() + WORK_NS;
  while (process.hrtime.bigint() < end);
}

/** Clients that wait, and wait again when they are answered. */
class Clients {
  readonly #waits: Waits;
  readonly #keys: readonly string[];
  readonly #perKey: number;
  #round = 0;
  #isWorking = false;
  #answered = 0;

  constructor(waits: Waits, size: number, perKey: number) {
    this.#waits = waits;
    this.#perKey = perKey;
    this.#keys = Array.from({ length: size / perKey }, (_, index) => `client ${index}`);
  }

  start(): void {
    for (const key of this.#keys) for (let i = 0; i < this.#perKey; i++) this.#wait(key);
  }

  #wait(key: string): void {
    this.#waits.wait(key, this.#round + 1).then(() => {
      if (this.#isWorking) work();
      this.#answered++;
      this.#wait(key);
    });
  }

  /** Answers each client once; ns of CPU a wait. */
  async round(isWorking = false): Promise<number> {
    this.#isWorking = isWorking;
    this.#round++;
    this.#answered = 0;
    const eventsATurn = this.#perKey === 1 ? EVENTS_A_TURN : 1;
    const startNs = cpuNs();
    for (let at = 0; at < this.#keys.length; ) {
      const end = Math.min(this.#keys.length, at + eventsATurn);
      const answered = end * this.#perKey;
      for (; at < end; at++) this.#waits.reach(this.#keys[at], this.#round);
      while (this.#answered < answered) await turn();
    }
    return (cpuNs() - startNs) / this.#answered;
  }

  async rounds(count: number, isWorking?: boolean): Promise<number> {
    let ns = 0;
    for (let i = 0; i < count; i++) ns += await this.round(isWorking);
    return ns / count;
  }
}

const HUNDRED = 100;

const done = (): void => {};

async function bytesAWait(make: MakeWaits, size: number): Promise<number> {
  const keys = Array.from({ length: 2 * size }, (_, index) => `key ${index}`);
  const few = make(); // for the code
  for (const key of keys.slice(size, size + 1_000)) few.wait(key, 1).then(done);
  const all = make();
  const before = await liveBytes();
  for (const key of keys.slice(0, size)) all.wait(key, 1).then(done);
  return ((await liveBytes()) - before) / size;
}

function waits(make: MakeWaits, hasHerds: boolean): System {
  return async ({ size, quick }: Run): Promise<Measured> => {
    const rounds = quick ? 10 : 30;
    const measured: Measured = { bytes: await bytesAWait(make, size) };
    const lone = new Clients(make(), size, 1);
    lone.start();
    await lone.rounds(rounds / 2);
    measured['one a key'] = await lone.rounds(rounds);
    if (!hasHerds) return measured;
    const herd = new Clients(make(), size, HUNDRED);
    herd.start();
    await herd.rounds(rounds / 2);
    measured['a hundred a key'] = await herd.rounds(rounds);
    measured['a hundred a key, 10 us'] = await herd.rounds(rounds / 10, true);
    return measured;
  };
}

const BY_HAND = 'by hand: ';
const SIZE = 10_000;

function row(
  api: string,
  metric: string,
  bar?: number,
  aim?: number,
  unit?: string,
): Workload['rows'][number] {
  return {
    title: `${api}, ${metric}`,
    size: SIZE,
    metric,
    system: api,
    peer: BY_HAND + api,
    ...(unit !== undefined && { unit }),
    ...(bar !== undefined && { bar: { ratio: 1 / bar } }),
    ...(aim !== undefined && { aim: { ratio: 1 / aim } }),
  };
}

const others = ['awaitAtLeast', 'waitUntil', 'expect'];

export const waitFor: Workload = {
  name: 'wait-for',
  title: 'Waits behind promises, beside a promise, a Map of Sets and a setTimeout',
  unit: 'ns',
  sizeLabel: 'waits',
  sizes: { full: [SIZE], quick: [SIZE] },
  rounds: 5,
  nodeFlags: ['--expose-gc'],
  systems: Object.fromEntries(
    Object.keys(ours).flatMap((api) => [
      [api, waits(ours[api], api !== 'expect')],
      [BY_HAND + api, waits(byHand[api], api !== 'expect')],
    ]),
  ),
  rows: [
    row('waitFor', 'one a key', 1.3, 1.5),
    row('waitFor', 'a hundred a key', 1.1, 1.3),
    row('waitFor', 'a hundred a key, 10 us'),
    row('waitFor', 'bytes', 1.5, 2, 'B'),
    ...others.flatMap((api) => [row(api, 'one a key'), row(api, 'bytes', undefined, undefined, 'B')]),
    row('awaitAtLeast', 'a hundred a key'),
    row('waitUntil', 'a hundred a key'),
  ],
};
