// Run by memory.test.ts with --expose-gc: what the engine keeps, measured after the collector ran.
import assert from 'node:assert/strict';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { DelayedOperation, ManualClock, Purgatory, SystemTimer, TimerTask } from '../../../src/index.ts';
import { Semaphore } from '../../../src/waits/semaphore/index.ts';

const BURST = 60_000;
const TASKS = 200_000;
const { gc } = globalThis as unknown as { gc: () => void };

class Poll extends DelayedOperation {
  ready = false;
  override tryComplete(): boolean {
    return this.ready && this.forceComplete();
  }
  override onComplete(): void {}
}

class Nothing extends TimerTask {
  override run(): void {}
}

/** Bytes in use, typed arrays included, once all garbage is gone. */
async function used(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let inVain = 0; inVain < 4; inVain++) {
    // V8 frees array buffers in a thread of its own, which may be late on a busy machine.
    await sleep(5);
    gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const bytes = heapUsed + arrayBuffers;
    if (bytes < least - 100_000) inVain = 0;
    least = Math.min(least, bytes);
  }
  return least;
}

/** Collects until `isEnough` of what is in use then, but not for ever. Returns that. */
async function collect(isEnough: (bytes: number) => boolean): Promise<number> {
  let bytes = await used();
  for (let more = 0; more < 50 && !isEnough(bytes); more++) bytes = await used();
  return bytes;
}

async function assertCollected(refs: Map<string, WeakRef<object>>): Promise<void> {
  const kept = (): string[] => [...refs].filter(([, ref]) => ref.deref() !== undefined).map(([name]) => name);
  await collect(() => kept().length === 0);
  assert.deepEqual(kept(), []);
}

/**
 * One object of each kind that ended in each way. They are made in a function of their own, so that
 * no local variable holds them.
 */
async function leave(clock: ManualClock, timer: SystemTimer, purgatory: Purgatory<object, Poll>) {
  const refs = new Map<string, WeakRef<object>>();
  const ways: Record<string, (poll: Poll, key: object) => void> = {
    'completed by a check': (poll, key) => {
      poll.ready = true;
      purgatory.checkAndComplete(key);
    },
    forced: (poll) => void poll.forceComplete(),
    cancelled: (poll) => void poll.cancel(),
    'cancelled for a key': (_, key) => void purgatory.cancelForKey(key),
    expired: () => clock.advance(50),
    notified: (poll, key) => {
      poll.ready = true;
      purgatory.notify(key);
    },
  };
  for (const [way, end] of Object.entries(ways)) {
    for (const delayMs of way === 'expired' ? [50] : [50, Number.POSITIVE_INFINITY]) {
      const poll = new Poll(delayMs);
      const key = { way };
      const otherKey = { way };
      purgatory.tryCompleteElseWatch(poll, [key, otherKey]);
      end(poll, key);
      await turn();
      refs.set(`operation ${way}, ${delayMs}`, new WeakRef(poll));
      refs.set(`key ${way}, ${delayMs}`, new WeakRef(key));
      refs.set(`other key ${way}, ${delayMs}`, new WeakRef(otherKey));
    }
  }
  const waiterKey = {};
  const value = {};
  let open = false;
  const attempt = (): object | undefined => (open ? value : undefined);
  const waiting = purgatory.waitFor([waiterKey], attempt, { timeoutMs: 50, signal: lasting.signal });
  open = true;
  purgatory.checkAndComplete(waiterKey);
  await waiting;
  refs.set('the attempt of a waiter', new WeakRef(attempt));
  refs.set('the value of a waiter', new WeakRef(value));
  refs.set('the key of a waiter', new WeakRef(waiterKey));
  const ran = new Nothing(5);
  timer.add(ran);
  clock.advance(5);
  const cancelled = new Nothing(5);
  timer.add(cancelled);
  cancelled.cancel();
  const far = new Nothing(2 ** 40);
  timer.add(far);
  timer.remove(far);
  refs.set('a task that ran', new WeakRef(ran));
  refs.set('a task that was cancelled', new WeakRef(cancelled));
  refs.set('a task far away that was removed', new WeakRef(far));
  return refs;
}

function closeThree(purgatory: Purgatory<object, Poll>): Map<string, WeakRef<object>> {
  const refs = new Map<string, WeakRef<object>>();
  for (let i = 0; i < 3; i++) {
    const poll = new Poll(50);
    purgatory.tryCompleteElseWatch(poll, [{}]);
    refs.set(`operation ${i}`, new WeakRef(poll));
  }
  assert.equal(purgatory.close().length, 3);
  return refs;
}

/** Outlives its waiters, as a server's shutdown signal does. */
const lasting = new AbortController();

export const scenes: Readonly<Record<string, () => Promise<void>>> = {
  'to an operation, key, waiter or task that left, in whatever way': async () => {
    for (const others of [0, 3]) {
      const clock = new ManualClock();
      const timer = new SystemTimer({ clock });
      const purgatory = new Purgatory<object, Poll>('p', { timer });
      const stay = Array.from({ length: others }, () => new Poll(1e9));
      for (const poll of stay) purgatory.tryCompleteElseWatch(poll, [stay[0]]);
      await assertCollected(await leave(clock, timer, purgatory));
      assert.equal(purgatory.numDelayed, others);
    }
  },

  'to what was parked in a purgatory that is closed': async () => {
    const purgatory = new Purgatory<object, Poll>('p', { clock: new ManualClock() });
    await assertCollected(closeThree(purgatory));
    assert.equal(purgatory.numDelayed, 0);
  },

  'of a burst of operations that were parked and completed': () => burst(() => false, forceAll),
  'of a burst of which one in a thousand is still parked': () => burst(oneInAThousand, forceAll),
  'of a burst with a key each of which one in a thousand is still parked': () =>
    burst(oneInAThousand, forceAll, (index) => [1_000 + index]),
  'of a burst of which one event completes all but one in a thousand': () =>
    burst(oneInAThousand, completeByOneEvent),
  'of a burst on a hot key of which one in a thousand is still parked': () =>
    burst(oneInAThousand, afterEventsInVain(forceAll)),
  'of a burst on a hot key of which one event completes all but one in a thousand': () =>
    burst(oneInAThousand, afterEventsInVain(completeByOneEvent)),

  'of a burst of tasks that ran or were cancelled': () =>
    burstOfTasks((index) => 1 + ((index * 7_919) % 60_000)),
  'of a burst of tasks that were due together': () => burstOfTasks(() => 10),

  'of a steady flow of operations, however long it lasts': async () => {
    const clock = new ManualClock();
    const purgatory = new Purgatory<string, Poll>('p', { clock });
    const parked: Poll[] = [];
    const flow = (): void => {
      for (let i = 0; i < 100_000; i++) {
        const poll = new Poll(60_000);
        purgatory.tryCompleteElseWatch(poll, [`${i % 100}`, `${i % 77}`, `${i}`]);
        parked.push(poll);
        if (parked.length > 100) parked.splice(0, 100)[i % 100].forceComplete();
        if (i % 1_000 === 0) for (let key = 0; key < 100; key++) purgatory.cancelForKey(`${key}`);
      }
    };
    flow();
    const before = await used();
    flow();
    const growth = (await collect((bytes) => bytes - before < 2e6)) - before;
    assert.ok(growth < 2e6, `the steady flow grew by ${growth} bytes`);
    purgatory.close();
  },

  'of waits that end in the continuations of others, however long that lasts': async () => {
    const semaphore = new Semaphore('permits', { units: 200 });
    const options = { timeoutMs: Number.POSITIVE_INFINITY };
    await goesRound(() => semaphore.run(options, () => Promise.resolve()));
    semaphore.close();
  },
};

/**
 * A thousand actors do `work` over and over. So more than a batch of promises are always to settle:
 * what settles them never becomes empty.
 */
async function goesRound(work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  let done = 0;
  const actors = Array.from({ length: 1_000 }, async () => {
    for (; !isOver; done++) await work();
  });
  const doneBy = async (count: number): Promise<void> => {
    while (done < count) await turn();
  };
  await doneBy(20_000);
  const before = await used();
  await doneBy(done + 200_000);
  const growth = (await collect((bytes) => bytes - before < 2e6)) - before;
  isOver = true;
  await Promise.all(actors);
  assert.ok(growth < 2e6, `${done} hand-overs grew by ${growth} bytes`);
}

async function burstOfTasks(delayMs: (index: number) => number): Promise<void> {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock });
  const tasks = Array.from({ length: TASKS }, (_, index) => new Nothing(delayMs(index)));
  const before = await used();
  for (const task of tasks) timer.add(task);
  const peak = (await used()) - before;
  for (const task of tasks.slice(0, TASKS / 2)) task.cancel();
  clock.advance(60_000);
  assert.equal(timer.size, 0);
  await assertFalls(before, peak, 0);
  assert.ok(tasks.length === TASKS && timer.size === 0);
}

/**
 * Of `peak` bytes there may stay what the survivors need within a factor of four, and a small
 * constant.
 */
async function assertFalls(before: number, peak: number, survivorShare: number): Promise<void> {
  assert.ok(peak > 4e6, `the burst took only ${peak} bytes`);
  const limit = 4 * survivorShare * peak + 1e6;
  const left = (await collect((bytes) => bytes - before <= limit)) - before;
  assert.ok(left <= limit, `${left} of ${peak} bytes were left, more than ${limit}`);
}

const oneInAThousand = (index: number): boolean => index % 1_000 === 500;

const forceAll: Complete = (_, polls) => {
  for (const poll of polls) poll.forceComplete();
};

/** A key that all operations of a burst watch. */
const EVERYBODY = -1;

type Complete = (purgatory: Purgatory<number, Poll>, polls: Poll[]) => void;

const completeByOneEvent: Complete = (purgatory, polls) => {
  for (const poll of polls) poll.ready = true;
  assert.equal(purgatory.checkAndComplete(EVERYBODY), polls.length);
};

/** The key of all is a hot one then. */
const afterEventsInVain =
  (complete: Complete): Complete =>
  (purgatory, polls) => {
    for (let pass = 0; pass < 3; pass++) assert.equal(purgatory.checkAndComplete(EVERYBODY), 0);
    complete(purgatory, polls);
  };

async function burst(
  stays: (index: number) => boolean,
  complete: Complete,
  keysOf = (index: number): number[] => [EVERYBODY, index % 100, 1_000 + index],
): Promise<void> {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock });
  const purgatory = new Purgatory<number, Poll>('p', { timer });
  const polls = Array.from({ length: BURST }, () => new Poll(60_000));
  const before = await used();
  for (const [i, poll] of polls.entries()) purgatory.tryCompleteElseWatch(poll, keysOf(i));
  const peak = (await used()) - before;
  complete(
    purgatory,
    polls.filter((_, i) => !stays(i)),
  );
  const survivors = polls.filter((_, i) => stays(i)).length;
  assert.equal(purgatory.numDelayed, survivors);
  await assertFalls(before, peak, survivors / BURST);
  assert.equal(polls.length, BURST);
  assert.equal(timer.size, survivors);
}

// The test imports this file, too: then nothing is played.
if (process.argv[2] in scenes) {
  await scenes[process.argv[2]]();
  process.stdout.write('all well\n');
}
