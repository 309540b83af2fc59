// Run by time-goes-back.test.ts: the monotonic time of the host begins anew under the library, as in a
// V8 startup snapshot of a machine that had been up for longer, and under the fake timers of Bun's
// runner. Prints what ended afterwards.
import { hrtime } from 'node:process';

const { bigint } = hrtime;
let atNs = 10n ** 15n;
hrtime.bigint = () => bigint() + atNs;
const { Purgatory, SystemTimer } = await import('../../../src/index.ts');
const { setTimeout: dropIn } = await import('../../../src/waits/timers/index.ts');

const polls = new Purgatory('polls');
const timer = new SystemTimer();
const ended: string[] = [];
const wait = (name: string): Promise<unknown> =>
  Promise.all([
    polls.waitFor(['feed'], () => undefined, { timeoutMs: 20 }),
    new Promise<void>((resolve) => void timer.schedule(resolve, 20)),
    new Promise<void>((resolve) => void dropIn(resolve, 20)),
  ]).then(() => ended.push(name));
const before = wait('before');
atNs = 0n;
await wait('after');
await before;
process.stdout.write(ended.sort().join());
