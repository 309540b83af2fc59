// Run by drop-in-fakes.test.ts: the drop-in timers in place of the globals, in the scene named by
// the argument.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as host from 'node:timers';
import sinon from 'sinon';
import { SystemTimer } from '../../../src/index.ts';
import * as timers from '../../../src/waits/timers/index.ts';
import * as promises from '../../../src/waits/timers/promises.ts';

const { setImmediate: hostSetImmediate } = globalThis;

function replaceAll(): void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = timers;
  Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => host.setTimeout(resolve, ms));
}

async function engineRuns(): Promise<void> {
  const timer = new SystemTimer();
  await new Promise<void>((resolve) => timer.schedule(resolve, 20));
  await promises.setTimeout(5);
  await new Promise((resolve) => globalThis.setTimeout(resolve, 5));
  assert.equal(timer.size, 0);
}

export const scenes: Readonly<Record<string, () => Promise<void>>> = {
  'all of them': async () => {
    replaceAll();
    assert.equal(globalThis.setImmediate, hostSetImmediate);
    let runs = 0;
    await new Promise<void>((resolve) => {
      const interval = setInterval(() => {
        if (++runs < 3) return;
        clearInterval(interval);
        resolve();
      }, 2);
    });
    clearTimeout(setTimeout(() => assert.fail('cleared'), 5));
    await pause(10); // longer than that
    await engineRuns();
    assert.equal(runs, 3);
  },
  'behind a wrapper': async () => {
    let calls = 0;
    globalThis.setTimeout = ((callback: () => void, ms?: number) => {
      calls++;
      return timers.setTimeout(callback, ms);
    }) as never;
    await new Promise((resolve) => setTimeout(resolve, 10));
    await engineRuns();
    assert.ok(calls > 0);
    // What is known to stand on the engine is not gone round by any more.
    const before = calls;
    await new Promise<void>((resolve) => timers.setTimeout(resolve, 5));
    assert.equal(calls, before);
  },
  'with timers of Node that were started before': async () => {
    const before = setTimeout(() => assert.fail('cleared'), 20);
    const interval = setInterval(() => assert.fail('cleared'), 20);
    const number = +setTimeout(() => assert.fail('cleared'), 20);
    replaceAll();
    clearTimeout(before);
    clearInterval(interval);
    clearTimeout(number);
    await pause(40); // longer than those
  },
  'with tasks that were pending before': async () => {
    const timer = new SystemTimer();
    const startMs = performance.now();
    const ran = new Promise<void>((resolve) => void timer.schedule(resolve, 30));
    replaceAll();
    timer.schedule(() => {}, 1);
    await ran;
    assert.ok(performance.now() - startMs >= 30, 'it was early');
    await engineRuns();
  },
  'with a fake on top of them, which takes only calls through itself': async () => {
    replaceAll();
    const pending = new Promise((resolve) => globalThis.setTimeout(resolve, 15));
    const { setTimeout: kept, setInterval: keptInterval } = globalThis;
    const fake = sinon.useFakeTimers();
    const told: string[] = [];
    const real = new Promise<void>((resolve) => kept(resolve, 20));
    let refreshed!: NodeJS.Timeout;
    const afterRefresh = new Promise<void>((resolve) => {
      refreshed = kept(resolve, 5);
    });
    let interval!: NodeJS.Timeout;
    const ofInterval = new Promise<void>((resolve) => {
      interval = keptInterval(resolve, 3);
    });
    setTimeout(() => told.push('faked'), 100);
    assert.equal(fake.countTimers(), 1);
    new SystemTimer().schedule(() => told.push('engine'), 100);
    assert.equal(fake.countTimers(), 2);
    fake.tick(101);
    assert.deepEqual(told, ['faked', 'engine']);
    refreshed.refresh();
    await Promise.all([pending, real, afterRefresh, ofInterval]);
    timers.clearInterval(interval as never);
    fake.restore();
    assert.equal(globalThis.setTimeout, timers.setTimeout as unknown);
    await engineRuns();
  },
  'with a fake that was loaded after them, and goes by itself': async () => {
    replaceAll();
    // It takes the globals of its load for the real ones, and ticks by their interval, every 20 ms.
    const { default: fakeTimers } = await import('@sinonjs/fake-timers');
    const pending = new Promise((resolve) => globalThis.setTimeout(resolve, 60));
    const fake = fakeTimers.install({ shouldAdvanceTime: true });
    const firedMs = await new Promise((resolve) => setTimeout(() => resolve(Date.now()), 29));
    assert.equal(firedMs, 29);
    await pending;
    fake.uninstall();
    await engineRuns();
  },
  'with the mock of node:test on top of them': async () => {
    replaceAll();
    clearTimeout(setTimeout(() => {}, 1));
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
    const told: string[] = [];
    setTimeout(() => told.push('faked'), 10);
    await new Promise<void>((resolve) => timers.setTimeout(resolve, 20));
    assert.deepEqual(told, []);
    mock.timers.tick(10);
    assert.deepEqual(told, ['faked']);
    mock.timers.reset();
    await engineRuns();
  },
  'under a spy, which is called as often as with those of Node': async () => {
    replaceAll();
    const spy = sinon.spy(globalThis, 'setTimeout') as sinon.SinonSpy;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise<void>((resolve) => timers.setTimeout(resolve, 5));
    assert.equal(spy.callCount, 1);
    assert.equal(spy.firstCall.args[1], 5);
    spy.restore();
    await engineRuns();
  },
};

// The test imports this file, too: then nothing is played.
if (process.argv[2] in scenes) {
  await scenes[process.argv[2]]();
  process.stdout.write('all well\n');
}
