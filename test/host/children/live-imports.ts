// Run by live-imports.test.ts where the imports of built-ins are live properties: a fake comes, an
// event under it, and the fake goes again. Prints what was answered, and what was due, afterwards.
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import sinon from 'sinon';
import { Purgatory } from '../../../src/index.ts';
import { setTimeout as dropIn } from '../../../src/waits/timers/index.ts';

const installs: Record<string, () => () => void> = {
  sinon() {
    const fake = sinon.useFakeTimers();
    return () => fake.restore();
  },
  'node:test'() {
    mock.timers.enable();
    return () => mock.timers.reset();
  },
};

const polls = new Purgatory<string>('polls');
let value: string | undefined;

async function answered(next: string): Promise<unknown> {
  value = undefined;
  const poll = polls.waitFor(['feed'], () => value, { timeoutMs: 60_000 });
  value = next;
  polls.notify('feed');
  return (await poll).value;
}

async function run(): Promise<unknown[]> {
  const remove = installs[process.argv[2]]();
  syncBuiltinESMExports();
  const seen = [await answered('under the fake')];
  dropIn(() => {}, 1);
  remove();
  syncBuiltinESMExports();
  seen.push(await answered('after it'));
  await new Promise((resolve) => setTimeout(resolve, 10)); // more than a slice
  seen.push(await answered('later'));
  const { expired } = await polls.waitFor(['feed'], () => undefined, { timeoutMs: 1 });
  await new Promise<void>((resolve) => void dropIn(resolve, 1));
  return [...seen, expired];
}

void run().then((seen) => process.stdout.write(JSON.stringify(seen)));
