// Run by liveness.test.ts: a host whose timers are numbers, as in a browser, jsdom or Electron. The
// argument says whether the host itself has them, or a replacement that came after the import.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const { setTimeout: nodeTimeout, clearTimeout: nodeClear } = createRequire(import.meta.url)('node:timers');

function numberTimers(): void {
  const timers = new Map<number, NodeJS.Timeout>();
  let last = 0;
  const start = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): number => {
    timers.set(++last, nodeTimeout(callback, ms, ...args));
    return last;
  };
  const clear = (id: number): void => nodeClear(timers.get(id));
  Object.assign(globalThis, { setTimeout: start, clearTimeout: clear });
}

if (process.argv[2] === 'first') numberTimers();
const { SystemTimer } = await import('../../../src/index.ts');
const { IdleTimeouts } = await import('../../../src/waits/idle/index.ts');
const { Replies } = await import('../../../src/waits/replies/index.ts');
const { setTimeout: dropIn, timeoutSignal } = await import('../../../src/waits/timers/index.ts');
if (process.argv[2] === 'after') numberTimers();

const ends = (start: (end: () => void) => void): Promise<void> => new Promise(start);
await ends((end) => timeoutSignal(5).addEventListener('abort', end));
await ends((end) => dropIn(end, 5));
await ends((end) => dropIn(end, 5).unref().ref());
await ends((end) => dropIn(end, 5).refresh().unref());
await ends((end) => new SystemTimer().unref().schedule(end, 5));
await ends((end) => {
  const timer = new SystemTimer();
  timer.schedule(end, 5);
  timer.unref().ref().unref();
});
await ends((end) => {
  const replies = new Replies<string, void>('replies');
  replies.unref();
  replies.expect('id', { timeoutMs: 5 }).catch(end);
});
await ends((end) => {
  const idle = new IdleTimeouts<string>('idle', { timeoutMs: 5, onIdle: end }).unref();
  idle.touch('first');
  idle.touch('second');
  idle.touch('first');
});
const cleared = new SystemTimer();
cleared.schedule(() => assert.fail('it was closed'), 5);
cleared.close();
await ends((end) => new SystemTimer().schedule(end, 20));
new SystemTimer().schedule(() => {}, 60_000).cancel();
assert(
  !process.getActiveResourcesInfo().includes('Timeout'),
  'a timer with nothing pending holds the process',
);
process.stdout.write('all well\n');
