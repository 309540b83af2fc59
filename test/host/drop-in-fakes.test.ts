// The drop-in timers under the fakes of users: as Node's own, which these scenarios are run against
// too.
import * as nodeTimers from 'node:timers';
import { expect } from 'chai';
import { SystemTimer } from '../../src/index.ts';
import * as dropIn from '../../src/waits/timers/index.ts';
import { ok, runChild, summary } from '../support/child.ts';
import { block, turn, until } from '../support/turns.ts';
import { scenes } from './children/drop-in-global.ts';
import { FAKE_CLOCKS, type FakeClock, TIMELESS_FAKE_CLOCKS } from './fake-clocks.ts';

type Timers = typeof dropIn;

/** What a fake has put in place of Node's own, by the global names. */
const faked: Timers = {
  setTimeout: (...args: Parameters<typeof setTimeout>) => globalThis.setTimeout(...args),
  setInterval: (...args: Parameters<typeof setInterval>) => globalThis.setInterval(...args),
  clearTimeout: (timer: NodeJS.Timeout) => globalThis.clearTimeout(timer),
  clearInterval: (timer: NodeJS.Timeout) => globalThis.clearInterval(timer),
} as never;

describe('The drop-in timers under fake clocks, like node:timers', () => {
  for (const [name, install] of Object.entries({ ...FAKE_CLOCKS, ...TIMELESS_FAKE_CLOCKS })) {
    describe(name, () => {
      let fake: FakeClock | undefined;

      afterEach(() => {
        fake?.restore();
        fake = undefined;
      });

      function same(title: string, scenario: (timers: Timers, fake: FakeClock) => void): void {
        it(title, () => {
          for (const timers of [faked, dropIn]) {
            fake = install();
            scenario(timers, fake);
            fake.restore();
          }
        });
      }

      same('run a timer at each step, never nothing', ({ setTimeout, clearTimeout }, { next }) => {
        const ran: number[] = [];
        const cleared = setTimeout(() => ran.push(0), 50);
        for (const delayMs of [100_000, 700, 6, 5]) setTimeout(() => ran.push(delayMs), delayMs);
        clearTimeout(cleared);
        next();
        expect(ran).to.deep.equal([5]);
        next();
        next();
        expect(ran).to.deep.equal([5, 6, 700]);
        next();
        expect(ran).to.deep.equal([5, 6, 700, 100_000]);
      });

      same('repeat an interval, and start over by refresh', (timers, { tick }) => {
        const { setTimeout, setInterval, clearInterval } = timers;
        let runs = 0;
        const interval = setInterval(() => runs++, 10);
        let timeouts = 0;
        const timeout = setTimeout(() => timeouts++, 60);
        tick(50);
        expect(runs).to.equal(5);
        timeout.refresh();
        tick(50);
        expect([runs, timeouts]).to.deep.equal([10, 0]);
        tick(10);
        expect(timeouts).to.equal(1);
        timeout.refresh();
        tick(60);
        expect(timeouts).to.equal(2);
        clearInterval(interval);
        tick(100);
        expect(runs).to.equal(17);
      });

      same('throw what a callback throws out of the tick', ({ setTimeout }, { tick }) => {
        setTimeout(() => {
          throw new Error('boom');
        }, 10);
        expect(() => tick(10)).to.throw('boom');
      });

      it('that comes in the middle of a burst: what is due with it waits for the tick', async () => {
        const ran: number[] = [];
        for (let i = 0; i < 4; i++) {
          dropIn.setTimeout(() => {
            ran.push(i);
            if (i === 1) fake = install();
          }, 1);
        }
        block(5);
        await until(() => ran.length >= 2);
        for (let turns = 0; turns < 3; turns++) await turn();
        expect(ran).to.deep.equal([0, 1]);
        fake?.tick(1);
        expect(ran).to.deep.equal([0, 1, 2, 3]);
      });

      it('go by the host again when it is over, where what was left behind holds nothing', async () => {
        const ran: string[] = [];
        fake = install();
        dropIn.setTimeout(() => ran.push('left behind'), 5);
        const refreshed = dropIn.setTimeout(() => ran.push('refreshed'), 5);
        fake.restore();
        fake = undefined;
        dropIn.setTimeout(() => ran.push('after'), 2);
        refreshed.refresh();
        await until(() => ran.length >= 2);
        expect(ran).to.deep.equal(['after', 'refreshed']);
      });
    });
  }

  it('also under the mock timers of node:test, with Date and without', async () => {
    const child = await runChild('drop-in-node-test', [], ['--no-warnings']); // node:test calls them experimental
    expect(summary(child)).to.deep.equal(ok('all well'));
  });
});

describe('A timer under fake clocks', () => {
  for (const [name, install] of Object.entries(FAKE_CLOCKS)) {
    it(`${name}: is stepped from task to task, whatever cascades or is cancelled between`, () => {
      const { next, restore } = install();
      try {
        const ran: number[] = [];
        const timer = new SystemTimer({ tickMs: 1, wheelSize: 4 });
        const cancelled = [40, 50].map((delayMs) => timer.schedule(() => ran.push(0), delayMs));
        for (const delayMs of [5_000, 61, 60, 60]) timer.schedule(() => ran.push(delayMs), delayMs);
        for (const task of cancelled) task.cancel();
        next();
        expect(ran).to.deep.equal([60, 60]);
        timer.schedule(() => ran.push(7), 7);
        next();
        next();
        expect(ran).to.deep.equal([60, 60, 61, 7]);
        next();
        expect(ran).to.deep.equal([60, 60, 61, 7, 5_000]);
      } finally {
        restore();
      }
    });
  }
});

describe('The drop-in timers as the globals', () => {
  for (const scene of Object.keys(scenes)) {
    it(scene, async () => {
      // Node 20 warns of the mock of node:test, which is experimental there.
      const child = await runChild('drop-in-global', [scene], ['--no-warnings']);
      expect(summary(child)).to.deep.equal(ok('all well'));
    });
  }

  it('clear a timer of Node too', () => {
    const timeout = nodeTimers.setTimeout(() => {}, 60_000);
    dropIn.clearTimeout(timeout);
    expect((timeout as unknown as { _destroyed: boolean })._destroyed).to.equal(true);
  });
});
