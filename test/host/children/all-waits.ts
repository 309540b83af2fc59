// Run by realms.test.ts, in the realm and with the flags of the test: each kind of wait with a signal,
// answered and expired, as the example of what a program does. Prints what became of them.
import { Purgatory, SystemTimer } from '../../../src/index.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { Replies } from '../../../src/waits/replies/index.ts';
import { Semaphore } from '../../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { timeoutSignal } from '../../../src/waits/timers/index.ts';
import { setTimeout as sleep } from '../../../src/waits/timers/promises.ts';

/** Where the realm has none, what compilers of `using` look for. */
const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
const options = { timeoutMs: 60_000 };
const soon = { timeoutMs: 1 };

/** Each kind ends without an abort. Returns what it ended with. */
function kindsOfWaits(signal: AbortSignal): Record<string, () => Promise<unknown>> {
  const polls = new Purgatory('polls');
  const permits = new Semaphore('permits', { units: 1 });
  const items = new Queues<number>('items');
  const replies = new Replies<number, string>('replies');
  const levels = new ThresholdPurgatory('levels');
  let state = 'open';
  const shared = new SharedWaits<string>('shared', {
    load: async (keys) => new Map(keys.map((key) => [key, state])),
  });
  const name = (error: Error): string => `${error.name} ${(error as { code?: string }).code}`;
  return {
    async waitFor() {
      let value: number | undefined;
      const poll = polls.waitFor(['feed'], () => value, { ...options, signal });
      value = 1;
      polls.notify('feed');
      return (await poll).value;
    },
    'waitFor that expires': async () =>
      (await polls.waitFor(['feed'], () => undefined, { ...soon, signal })).expired,
    async acquire() {
      const first = await permits.acquire({ ...options, signal });
      const second = permits.acquire({ ...options, signal });
      const third = permits.acquire({ ...soon, signal }).catch(name);
      (first as unknown as Record<symbol, () => void>)[dispose]();
      await second;
      return third;
    },
    async take() {
      const taken = items.take(['key'], { ...options, signal });
      items.put('key', 1);
      return [(await taken).value, (await items.take(['key'], { ...soon, signal })).expired];
    },
    async follow() {
      items.put('key', 2);
      for await (const { value } of items.follow(['key'], { ...options, signal })) return value;
    },
    async call() {
      const answered = replies.call(1, { ...options, signal }, () => void replies.resolve(1, 'reply'));
      return [await answered, await replies.call(2, { ...soon, signal }, () => {}).catch(name)];
    },
    async awaitAtLeast() {
      const reached = levels.awaitAtLeast('level', 1, { ...options, signal });
      levels.advance('level', 1);
      return [(await reached).expired, (await levels.awaitAtLeast('level', 2, { ...soon, signal })).expired];
    },
    async waitUntil() {
      const done = shared.waitUntil('job', (each) => each === 'done', { ...options, signal });
      state = 'done';
      shared.changed('job');
      return (await done).value;
    },
    sleep: () => sleep(1, 'slept', { signal }),
    async timeoutSignal() {
      const ended = timeoutSignal(1, { signal });
      const left = timeoutSignal(2, { signal });
      (ended as unknown as Record<symbol, () => void>)[dispose]();
      await new Promise((resolve) => left.addEventListener('abort', resolve));
      return [ended.aborted, left.aborted];
    },
    async 'a sleep that is aborted'() {
      return sleep(60_000, undefined, { signal: AbortSignal.abort() }).catch(name);
    },
    async 'a timer that is disposed'() {
      const timer = new SystemTimer();
      (timer as unknown as Record<symbol, () => void>)[dispose]();
      return [timer.isClosed, 'undefined' in timer];
    },
  };
}

async function run(): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  const alive = setInterval(() => {}, 1_000); // a timeoutSignal keeps none alive
  const kinds = kindsOfWaits(new AbortController().signal);
  for (const [kind, end] of Object.entries(kinds)) results[kind] = await end();
  clearInterval(alive);
  return results;
}

/** As JSON. */
export const ended: Promise<string> = run().then(JSON.stringify);
void ended.then((text) => process.stdout.write(text));
