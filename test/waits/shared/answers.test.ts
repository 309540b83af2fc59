import { expect } from 'chai';
import { type LoadAnswered, type LoadFailed, listen } from '../../../src/observe/events/index.ts';
import { rejection } from '../../support/rejection.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { until } from '../../support/turns.ts';
import { loading } from './loading.ts';

describe('Answers to many waiters of one key', () => {
  it('are given in park order, each waiter tried once a load, with one load for all', async () => {
    const { waits, calls, loaded } = loading();
    const order: number[] = [];
    const waiters = Array.from({ length: 1_000 }, (_, i) =>
      waits.waitUntil('job', (value) => (order.push(i) > 0 && value === 2 ? i : undefined), { timeoutMs: 5 }),
    );
    const each = Array.from({ length: 1_000 }, (_, i) => i);
    await loaded();
    await calls[0].answer({ job: 1 });
    await until(() => order.length >= 1_000);
    expect(order.splice(0)).to.deep.equal(each);
    waits.changed('job');
    expect(await loaded()).to.deep.equal(['job']);
    await calls[1].answer({ job: 2 });
    const results = await Promise.all(waiters);
    expect(order).to.deep.equal(each);
    expect(results.map((result) => (result.expired ? undefined : result.value))).to.deep.equal(each);
    expect(waits.snapshot().loads.totals).to.include({ begun: 2, keys: 2, inVain: 1 });
  });

  it('let the event loop turn after a batch, and then after 5 ms, however long one try is', async () => {
    const clock = new SlowClock();
    const { waits, calls, loaded } = loading({ clock });
    let tries = 0;
    const slow = (): number => {
      clock.advance(1);
      return ++tries;
    };
    const waiters = Array.from({ length: 40 }, () => waits.waitUntil('job', slow, { timeoutMs: 1_000 }));
    await loaded();
    const triesAtTurns: number[] = [];
    const watch = (): unknown => triesAtTurns.push(tries) && tries < 40 && setImmediate(watch);
    void calls[0].answer({});
    watch();
    await Promise.all(waiters);
    triesAtTurns.push(tries);
    const inOneTurn = triesAtTurns.map((count, i) => count - (triesAtTurns[i - 1] ?? 0));
    expect(inOneTurn.filter((count) => count > 0)).to.deep.equal([16, 5, 5, 5, 5, 4]);
  });

  it('count what the answered do next as part of the slice', async () => {
    const clock = new SlowClock();
    const { waits, calls, loaded } = loading({ clock });
    let worked = 0;
    const waiters = Array.from({ length: 640 }, () =>
      waits
        .waitUntil('job', () => true, { timeoutMs: 1_000 })
        .then(() => {
          worked++;
          clock.advance(0.1);
        }),
    );
    await loaded();
    const workedAtTurns: number[] = [];
    const watch = (): unknown => workedAtTurns.push(worked) && worked < 640 && setImmediate(watch);
    void calls[0].answer({});
    watch();
    await Promise.all(waiters);
    workedAtTurns.push(worked);
    const inOneTurn = workedAtTurns.map((count, i) => count - (workedAtTurns[i - 1] ?? 0));
    expect(Math.max(...inOneTurn)).to.be.at.most(3 * 64);
  });

  it('come before a deadline of those whom they are for (behaviour 30), and of no others', async () => {
    const { clock, waits, calls, loaded } = loading();
    const tried: string[] = [];
    const wait = (name: string, isAnswer: boolean): Promise<unknown> => {
      const condition = (): boolean => {
        if (tried.push(name) === 1) clock.advance(10);
        return isAnswer;
      };
      return waits.waitUntil('job', condition, { timeoutMs: 10 });
    };
    const first = wait('first', true);
    const second = wait('second', true);
    const third = wait('third', false);
    await loaded();
    const late = wait('late', true);
    await calls[0].answer({ job: 1 });
    expect(await Promise.all([first, second, third, late])).to.deep.equal([
      { expired: true, state: 1 },
      { expired: false, value: true },
      { expired: true, state: 1 },
      { expired: true, state: undefined },
    ]);
    expect(tried).to.deep.equal(['first', 'second', 'third']);
    expect(waits.snapshot().loads.totals).to.include({ begun: 1, inVain: 0 });
  });

  it('leave a wait alone that ends itself when it is offered one at its deadline', async () => {
    const { clock, waits, calls, loaded } = loading();
    const controller = new AbortController();
    const first = waits.waitUntil('job', () => clock.advance(10) === undefined, { timeoutMs: 1_000 });
    const condition = (): void => controller.abort('gone');
    const aborted = rejection(
      waits.waitUntil('job', condition, { timeoutMs: 10, signal: controller.signal }),
    );
    await loaded();
    await calls[0].answer({ job: 1 });
    expect(await first).to.deep.equal({ expired: false, value: true });
    expect(await aborted).to.equal('gone');
    expect(waits.snapshot().totals).to.include({ completed: 1, expired: 0, cancelled: 1 });
  });

  it('go on to those who are left when some end meanwhile', async () => {
    const { waits, calls, loaded } = loading();
    const controllers = Array.from({ length: 300 }, () => new AbortController());
    const tried: number[] = [];
    const waiters = controllers.map(({ signal }, i) =>
      waits.waitUntil(
        'job',
        () => {
          tried.push(i);
          controllers[i + 1]?.abort('skipped');
          return i;
        },
        { timeoutMs: 5, signal },
      ),
    );
    const results = Promise.allSettled(waiters);
    await loaded();
    await calls[0].answer({});
    const statuses = (await results).map(
      ({ status }, i) => status === (i % 2 === 0 ? 'fulfilled' : 'rejected'),
    );
    expect(statuses).to.not.include(false);
    expect(tried).to.have.length(150);
  });

  it('cause one more load for hints and waiters that come between two slices', async () => {
    const { clock, waits, calls, loaded } = loading();
    let late: Promise<unknown> | undefined;
    const waiters = Array.from({ length: 40 }, () =>
      waits.waitUntil(
        'job',
        () => {
          clock.advance(2);
          late ??= waits.waitUntil('job', (value) => value, { timeoutMs: 1_000 });
          waits.changed('job');
          return 'early';
        },
        { timeoutMs: 1_000 },
      ),
    );
    await loaded();
    await calls[0].answer({ job: 1 });
    await Promise.all(waiters);
    expect(await loaded()).to.deep.equal(['job']);
    await calls[1].answer({ job: 2 });
    expect(await late).to.deep.equal({ expired: false, value: 2 });
    expect(await loaded()).to.deep.equal([]);
  });
});

describe('The snapshot of shared waits', () => {
  it('tells what is parked and what was loaded', async () => {
    const { clock, waits, wait, calls, loaded } = loading({ loadBatch: 2, concurrency: 1 });
    const waiters = ['a', 'b', 'c'].map((key) => wait(key));
    await loaded();
    clock.advance(3);
    const { name, parked, watchedKeys, hottestKeys, loads } = waits.snapshot();
    expect({ name, parked, watchedKeys, hottest: hottestKeys.length }).to.deep.equal({
      name: 'test',
      parked: 3,
      watchedKeys: 3,
      hottest: 3,
    });
    expect(loads).to.deep.include({
      underWay: 1,
      keysDue: 1,
      totals: { begun: 1, keys: 2, failed: 0, inVain: 0, aborted: 0 },
    });
    await calls[0].answer({ a: 1, b: 1 });
    await calls[1].fail('down');
    clock.advance(100);
    await loaded();
    await calls[2].answer({});
    const { totals, durations } = waits.snapshot().loads;
    expect(totals).to.deep.equal({ begun: 3, keys: 4, failed: 1, inVain: 1, aborted: 0 });
    expect(durations).to.include({ maxMs: 3, sumMs: 3 });
    expect(JSON.parse(JSON.stringify(waits.snapshot())).loads.totals).to.deep.equal(totals);
    waits.close();
    await Promise.allSettled(waiters);
  });
});

describe('The events of loads', () => {
  it('tell of each that was answered or has failed', async () => {
    const events: (LoadAnswered | LoadFailed)[] = [];
    const stops = [
      listen('purgatory:load:answered', (event) => events.push(event)),
      listen('purgatory:load:failed', (event) => events.push(event)),
    ];
    try {
      const { clock, waits, wait, calls, loaded } = loading();
      const waiters = [wait('a'), wait('b')];
      await loaded();
      clock.advance(2);
      await calls[0].fail('down');
      for (const part of calls.slice(1)) await part.fail('down');
      clock.advance(100);
      await loaded();
      clock.advance(7);
      await calls[3].answer({ a: 1 });
      expect(events).to.deep.equal([
        { waits, keys: 2, key: undefined, error: 'down', tookMs: 2 },
        { waits, keys: 1, key: 'a', error: 'down', tookMs: 0 },
        { waits, keys: 1, key: 'b', error: 'down', tookMs: 0 },
        { waits, keys: 2, answered: 1, tookMs: 7 },
      ]);
      waits.close();
      await waiters[0];
      await rejection(waiters[1]);
    } finally {
      for (const stop of stops) stop();
    }
  });
});
