/**
 * One event, a hundred thousand answers: N wait, and something ends them all, where each answer
 * costs 10 us of the user's own work. Measures the longest time for which the event loop gets to
 * nothing else, as in `burst`, from the event until the last answer has run. Each path runs for a
 * twentieth of them first: a server has answered before. Beside it, what users write by hand: a list
 * of waiters, and a loop over it.
 */
import { DelayedOperation, Purgatory } from 'purgatory';
import { LocalHub } from 'purgatory/bus';
import { Replies } from 'purgatory/replies';
import { ThresholdPurgatory } from 'purgatory/threshold';
import { BlockWatch, cpuNs, nsPerStep, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import { httpPolls } from './herd-http.ts';

const ANSWER_NS = 10_000;
const SLOW_NS = 1_000_000;
const FOREVER = { timeoutMs: 600_000 } as const;

let answered = 0;

/** The work of a user's answer. */
function answer(ns = ANSWER_NS): void {
  const end = process.hrtime.bigint() + BigInt(ns);
  while (process.hrtime.bigint() < end);
  answered++;
}

class Poll extends DelayedOperation {
  isReady = false;
  override tryComplete(): boolean {
    return this.isReady && this.forceComplete();
  }
  override onComplete(): void {
    answer();
  }
}

/** What is to be measured: `park` lets `size` wait, `end` ends them. */
interface Scene {
  park(index: number): void;
  end(): unknown;
  /** Called when all have been answered. */
  close?(): void;
}

interface Blocks {
  /** The call that ends them, in ms. */
  readonly call: number;
  /** The longest block of the loop, the call apart, in ms. */
  readonly block: number;
}

/** Lets the scene before give its memory back, and the collector's threads end. */
async function rest(): Promise<void> {
  for (let turns = 0; turns < 500; turns++) await turn();
  await new Promise((resolve) => setTimeout(resolve, 100));
}

async function measure(size: number, scene: Scene): Promise<Blocks> {
  answered = 0;
  await nsPerStep(size, (index) => scene.park(index));
  if (answered > 0) throw new Error(`${answered} were answered while they were parked: too slow a machine`);
  globalThis.gc?.();
  await rest();
  const startNs = cpuNs();
  const pending = scene.end();
  const call = cpuNs() - startNs;
  const watch = new BlockWatch();
  while (answered < size) await watch.turn();
  await pending;
  scene.close?.();
  return { call: call / 1e6, block: watch.longestMs };
}

function waits(
  purgatory: Purgatory<string>,
  isReady: () => boolean,
  after: () => unknown,
): (i: number) => void {
  return () => {
    purgatory.waitFor(['key'], () => (isReady() ? 1 : undefined), FOREVER).then(after, after);
  };
}

async function sixAwaits(): Promise<void> {
  for (let i = 0; i < 6; i++) await undefined;
  answer();
}

/** Each path that ends waits, by name. */
const paths: Record<string, (size: number) => Scene> = {
  operations: () => {
    const purgatory = new Purgatory<string, Poll>('herd');
    const polls: Poll[] = [];
    return {
      park() {
        const poll = new Poll(FOREVER.timeoutMs);
        polls.push(poll);
        purgatory.tryCompleteElseWatch(poll, ['key']);
      },
      end() {
        for (const poll of polls) poll.isReady = true;
        purgatory.notify('key');
      },
      close: () => purgatory.close(),
    };
  },
  waitFor: () => waiting(() => answer()),
  'six awaits': () => waiting(sixAwaits),
  keys: (size) => {
    const purgatory = new Purgatory<number>('herd');
    let isReady = false;
    return {
      park(index) {
        purgatory.waitFor([index], () => isReady || undefined, FOREVER).then(() => answer());
      },
      end() {
        isReady = true;
        for (let i = 0; i < size; i++) purgatory.notify(i);
      },
      close: () => purgatory.close(),
    };
  },
  purgatories: (size) => {
    const purgatories = Array.from({ length: size / 100 }, (_, i) => new Purgatory<string>(`herd ${i}`));
    let isReady = false;
    return {
      park(index) {
        const purgatory = purgatories[index % purgatories.length];
        purgatory.waitFor(['key'], () => isReady || undefined, FOREVER).then(() => answer());
      },
      end() {
        isReady = true;
        for (const purgatory of purgatories) purgatory.notify('key');
      },
      close() {
        for (const purgatory of purgatories) purgatory.close();
      },
    };
  },
  deadlines: (size) => deadlines(size, 1),
  'deadlines of purgatories': (size) => deadlines(size, size / 100),
  advance: () => {
    const purgatory = new ThresholdPurgatory<string>('herd');
    return {
      park() {
        purgatory.awaitAtLeast('key', 1, FOREVER).then(() => answer());
      },
      end: () => purgatory.advance('key', 1),
      close: () => purgatory.close(),
    };
  },
  cancelForKey: () => ending((purgatory) => purgatory.cancelForKey('key')),
  close: () => ending((purgatory) => purgatory.close()),
  rejectAll: () => {
    const replies = new Replies<number, number>('replies');
    return {
      park(index) {
        replies.expect(index, FOREVER).catch(() => answer());
      },
      end: () => replies.rejectAll(new Error('the connection is lost')),
      close: () => replies.close(),
    };
  },
};

function waiting(after: () => unknown): Scene {
  const purgatory = new Purgatory<string>('herd');
  let isReady = false;
  return {
    park: waits(purgatory, () => isReady, after),
    end() {
      isReady = true;
      purgatory.notify('key');
    },
    close: () => purgatory.close(),
  };
}

/** Waits whose deadlines come in the same millisecond, in purgatories with a timer each. */
function deadlines(size: number, count: number): Scene {
  const purgatories = Array.from({ length: count }, (_, i) => new Purgatory<string>(`herd ${i}`));
  const dueMs = performance.now() + 500 + size / 20;
  return {
    park(index) {
      const timeoutMs = Math.max(0, dueMs - performance.now());
      const purgatory = purgatories[index % count];
      purgatory.waitFor(['key'], () => undefined, { timeoutMs }).then(() => answer());
    },
    end() {},
    close() {
      for (const purgatory of purgatories) purgatory.close();
    },
  };
}

function ending(end: (purgatory: Purgatory<string>) => void): Scene {
  const purgatory = new Purgatory<string>('herd');
  return {
    park: waits(
      purgatory,
      () => false,
      () => answer(),
    ),
    end: () => end(purgatory),
    close: () => purgatory.close(),
  };
}

/** A hint of another process on a hot key: here another member of the hub. */
async function hint(size: number): Promise<number> {
  const hub = new LocalHub();
  const [here, there] = [hub.bus(), hub.bus()];
  const purgatory = new Purgatory<string>('herd', { bus: here });
  const publisher = new Purgatory<string>('herd', { bus: there });
  while (here.state !== 'live' || there.state !== 'live') await turn();
  let isReady = false;
  const park = waits(
    purgatory,
    () => isReady,
    () => answer(),
  );
  const { block } = await measure(size, {
    park,
    end() {
      isReady = true;
      publisher.notify('key');
    },
  });
  purgatory.close();
  publisher.close();
  await Promise.all([here.close(), there.close()]);
  return block;
}

/** How long a small key waits that is notified 1 ms after a hot one, in ms. */
async function smallKey(size: number): Promise<number> {
  const purgatory = new Purgatory<string>('herd');
  let waitedMs = 0;
  let notifiedMs = 0;
  let isReady = false;
  await nsPerStep(size, (index) => {
    purgatory.waitFor(['key'], () => isReady || undefined, FOREVER).then(() => answer());
    if (index === 0) {
      purgatory
        .waitFor(['small'], () => isReady || undefined, FOREVER)
        .then(() => {
          waitedMs = performance.now() - notifiedMs;
        });
    }
  });
  answered = 0;
  isReady = true;
  purgatory.notify('key');
  await new Promise((resolve) => setTimeout(resolve, 1));
  notifiedMs = performance.now();
  purgatory.notify('small');
  while (answered < size) await turn();
  purgatory.close();
  return waitedMs;
}

/** Takes an item, if there is one, and waits for the next. */
class Taker extends DelayedOperation {
  static items = 0;
  static taken = 0;
  override tryComplete(): boolean {
    return Taker.items > 0 && this.forceComplete();
  }
  override onComplete(): void {
    Taker.items--;
    Taker.taken++;
  }
}

/** An item each time for one of many that wait, in us an item; it parks anew, which is included. */
async function items(size: number): Promise<number> {
  const purgatory = new Purgatory<string, Taker>('herd');
  const park = (): boolean => purgatory.tryCompleteElseWatch(new Taker(FOREVER.timeoutMs), ['job']);
  for (let i = 0; i < size; i++) park();
  const give = async (count: number): Promise<number> => {
    const startNs = cpuNs();
    for (let i = 0; i < count; i++) {
      const { taken } = Taker;
      Taker.items = 1;
      purgatory.notify('job', { atMost: 1 });
      // In the next turn, when the slice is spent.
      for (let hops = 0; Taker.taken === taken; hops++) await (hops < 16 ? undefined : turn());
      park();
    }
    return (cpuNs() - startNs) / count / 1e3;
  };
  await give(Math.max(size, 20_000)); // the collector has moved those of the start
  const us = await give(50_000);
  purgatory.close();
  return us;
}

async function ours({ size }: Run): Promise<Measured> {
  const measured: Measured = {};
  for (const [name, scene] of Object.entries(paths)) {
    await measure(size / 20, scene(size / 20));
    const { call, block } = await measure(size, scene(size));
    measured[name] = block;
    measured[`${name}, the call`] = call;
  }
  measured.hint = await hint(size);
  measured['small key'] = await smallKey(size);
  const slow = waiting(() => answer(SLOW_NS));
  measured['answers of 1 ms'] = (await measure(size / 20, slow)).block;
  measured['an item'] = await items(size);
  measured['an item for few'] = await items(10);
  return measured;
}

/** A list of waiters, and a loop over it. */
async function byHand({ size }: Run): Promise<Measured> {
  const scene = (after: () => unknown): Scene => {
    let waiters: (() => void)[] = [];
    return {
      park() {
        new Promise<void>((resolve) => waiters.push(resolve)).then(after);
      },
      end() {
        for (const resolve of waiters) resolve();
        waiters = [];
      },
    };
  };
  return {
    waitFor: (
      await measure(
        size,
        scene(() => answer()),
      )
    ).block,
    'six awaits': (await measure(size, scene(sixAwaits))).block,
  };
}

const systems: Record<string, System> = {
  purgatory: ours,
  'a list and a loop': byHand,
  'long-poll-http': ({ size }) => httpPolls(size / 10),
};

const row = (title: string, metric: string, bar: number, peer?: string): Workload['rows'][number] => ({
  title: `100k answers of 10 us, longest block: ${title}`,
  size: 100_000,
  metric,
  ...(peer !== undefined && { peer }),
  bar: { value: bar },
});

export const herd: Workload = {
  name: 'herd',
  title: 'One event, a hundred thousand answers of 10 us',
  unit: 'ms',
  sizeLabel: 'waiters',
  sizes: { full: [100_000], quick: [100_000] },
  nodeFlags: ['--expose-gc'],
  isQuick: false,
  // Imported when it draws: the children that measure have no charts in their heap.
  systems,
  rows: [
    row('notify, operations', 'operations', 20),
    row('notify, waitFor', 'waitFor', 20, 'a list and a loop'),
    row('notify, waitFor and six awaits', 'six awaits', 20, 'a list and a loop'),
    row('notify of 100,000 keys in a turn', 'keys', 25),
    row('notify in 1,000 purgatories in a turn', 'purgatories', 25),
    row('all deadlines at once', 'deadlines', 30),
    row('deadlines of 1,000 purgatories at once', 'deadlines of purgatories', 30),
    row('after advance', 'advance', 20),
    row('advance itself', 'advance, the call', 75),
    row('after cancelForKey', 'cancelForKey', 20),
    row('cancelForKey itself', 'cancelForKey, the call', 75),
    row('after close', 'close', 20),
    row('close itself', 'close, the call', 75),
    row('after rejectAll', 'rejectAll', 20),
    row('rejectAll itself', 'rejectAll, the call', 75),
    row('a hint of the key', 'hint', 20),
    row('a small key, 1 ms later: its wait', 'small key', 20),
    row('5,000 answers of 1 ms', 'answers of 1 ms', 40),
    {
      title: '10,000 HTTP long polls, longest block of their server',
      size: 100_000,
      metric: 'http polls',
      system: 'long-poll-http',
      bar: { value: 50 },
    },
    {
      title: 'an item each time, of 100k waiters',
      size: 100_000,
      metric: 'an item',
      unit: 'us',
      bar: { value: 2 },
    },
    { title: 'an item each time, of 10', size: 100_000, metric: 'an item for few', unit: 'us' },
  ],
};
