import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type LoadAnswered, type LoadFailed, listen } from '../../../src/observe/events/index.ts';
import { registerMetrics } from '../../../src/observe/metrics/index.ts';
import { rejection } from '../../support/rejection.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { turn, until } from '../../support/turns.ts';
import { expectEmpty, type Loading, loading } from './loading.ts';

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

  /** How far `done` gets in each turn until it is `all`, from `begin` on. */
  async function perTurn(begin: () => unknown, done: () => number, all: number): Promise<number[]> {
    const steps: number[] = [];
    begin();
    for (let before = 0; before < all; before = done()) {
      await turn();
      if (done() > before) steps.push(done() - before);
    }
    return steps;
  }

  it('let the event loop turn after a batch, and then after 5 ms, however long one try is', async () => {
    const clock = new SlowClock();
    const { waits, calls, loaded } = loading({ clock });
    let tries = 0;
    const slow = (): number => {
      clock.advance(1);
      return ++tries;
    };
    for (let i = 0; i < 40; i++) void waits.waitUntil('job', slow, { timeoutMs: 1_000 });
    await loaded();
    const steps = await perTurn(
      () => calls[0].answer({}),
      () => tries,
      40,
    );
    expect(steps).to.deep.equal([16, 5, 5, 5, 5, 4]);
  });

  it('count what the answered do next as part of the slice', async () => {
    const clock = new SlowClock();
    const { waits, calls, loaded } = loading({ clock });
    let worked = 0;
    const work = (): void => {
      worked++;
      clock.advance(0.1);
    };
    for (let i = 0; i < 640; i++) void waits.waitUntil('job', () => true, { timeoutMs: 1_000 }).then(work);
    await loaded();
    const steps = await perTurn(
      () => calls[0].answer({}),
      () => worked,
      640,
    );
    expect(Math.max(...steps)).to.be.at.most(3 * 64);
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

  describe('of a load that a hint has caused (behaviours 30 and 36)', () => {
    type Hinted = Loading & { readonly result: Promise<unknown> };

    async function hinted(): Promise<Hinted> {
      const all = loading();
      const result = all.wait('job', 2, { timeoutMs: 10 });
      await all.loaded();
      await all.calls[0].answer({ job: 0 });
      all.waits.changed('job');
      await all.loaded();
      return { ...all, result };
    }

    async function held(): Promise<Hinted> {
      const all = await hinted();
      all.clock.advance(10);
      expect(all.waits.numDelayed, 'its deadline has come').to.equal(1);
      return all;
    }

    it('answer a wait whose deadline came meanwhile, or end it if they are in vain', async () => {
      const ends = [
        { state: 2, expected: { expired: false, value: 2 } },
        { state: 1, expected: { expired: true, state: 1 } },
      ];
      for (const { state, expected } of ends) {
        const all = await held();
        await all.calls[1].answer({ job: state });
        expect(await all.result).to.deep.equal(expected);
        await expectEmpty(all);
      }
    });

    it('are waited for behind a load that a hint has found under way', async () => {
      const all = await held();
      all.waits.changed('job');
      await all.calls[1].answer({ job: 1 });
      await all.loaded();
      await all.calls[2].answer({ job: 2 });
      expect(await all.result).to.deep.equal({ expired: false, value: 2 });
      await expectEmpty(all);
    });

    it('are waited for when a load of several keys was divided', async () => {
      const all = loading();
      const results = ['a', 'b'].map((key) => all.wait(key, 2, { timeoutMs: 10 }));
      await all.loaded();
      await all.calls[0].answer({});
      for (const key of ['a', 'b']) all.waits.changed(key);
      await all.loaded();
      await all.calls[1].fail('one of them is bad');
      all.clock.advance(10);
      for (const call of all.calls.slice(2)) await call.answer({ a: 2, b: 2 });
      const answer = { expired: false, value: 2 };
      expect(await Promise.all(results)).to.deep.equal([answer, answer]);
      await expectEmpty(all);
    });

    it('are waited for during 100 ms, and by no wait that began after the hint', async () => {
      const all = await held();
      const late = all.wait('job', 2, { timeoutMs: 10 });
      all.clock.advance(99);
      expect(all.waits.numDelayed).to.equal(1);
      all.clock.advance(1);
      const expired = { expired: true, state: 0 };
      expect(await Promise.all([all.result, late])).to.deep.equal([
        expired,
        { ...expired, state: undefined },
      ]);
      await all.calls[1].answer({}); // it was aborted
      await expectEmpty(all);
    });

    it('are not waited for while the key backs off', async () => {
      const all = await hinted();
      await all.calls[1].fail('it is down');
      all.clock.advance(10);
      expect(await all.result).to.deep.equal({ expired: true, state: 0 });
      await expectEmpty(all);
    });

    it('end a wait with a timeout of 0, which has no deadline to hold', async () => {
      const all = loading();
      const result = all.wait('job', 2, { timeoutMs: 0 });
      all.waits.changed('job');
      await all.loaded();
      await all.calls[0].answer({ job: 1 });
      expect(await result).to.deep.equal({ expired: true, state: 1 });
      await expectEmpty(all);
    });
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

describe('The loads of shared waits', () => {
  it('leave nothing behind where a listener of their answers ends the waits on their key', async () => {
    const world = loading({ pollMs: 100 });
    const { waits, wait, calls, loaded } = world;
    for (const isOutdated of [false, true]) {
      const controller = new AbortController();
      const gone = new Error('gone');
      const stop = listen('purgatory:load:answered', () => controller.abort(gone));
      try {
        const given = rejection(wait('a', 1, { signal: controller.signal }));
        expect(await loaded()).to.deep.equal(['a']);
        if (isOutdated) waits.changed('a');
        await calls.at(-1)?.answer({});
        expect(await given).to.equal(gone);
        await expectEmpty(world);
      } finally {
        stop();
      }
    }
  });

  it('are told by the snapshot, by events and by metrics', async () => {
    const events: (LoadAnswered | LoadFailed)[] = [];
    const stops = [
      listen('purgatory:load:answered', (event) => events.push(event)),
      listen('purgatory:load:failed', (event) => events.push(event)),
    ];
    const { clock, waits, wait, calls, loaded } = loading({ loadBatch: 2, concurrency: 1 });
    const registry = new Registry();
    stops.push(registerMetrics(registry, { purgatories: [waits] }));
    try {
      const waiters = ['a', 'b', 'c'].map((key) => wait(key, 1, { timeoutMs: 600_000 }));
      await loaded();
      clock.advance(3);
      const before = waits.snapshot();
      expect(before).to.include({ name: 'test', parked: 3, watchedKeys: 3 });
      expect(before.hottestKeys).to.have.length(3);
      expect(before.loads).to.deep.include({
        underWay: 1,
        oldest: { ageMs: 3, keys: 2, key: 'a', waits: 2 },
        keysDue: 1,
        totals: { begun: 1, keys: 2, failed: 0, inVain: 0, aborted: 0 },
      });
      await calls[0].answer({ b: 1 });
      await calls[1].fail('down');
      clock.advance(100);
      await loaded();
      clock.advance(7);
      await calls[2].answer({});
      waits.changed('a');
      waits.changed('c');
      await loaded();
      await calls[3].fail('bad');
      await calls[4].answer({ a: 1 });
      expect(await Promise.all(waiters.slice(0, 2))).to.have.length(2);
      const { totals, durations } = waits.snapshot().loads;
      expect(totals).to.deep.equal({ begun: 6, keys: 8, failed: 2, inVain: 1, aborted: 0 });
      expect(durations).to.include({ maxMs: 7, sumMs: 10 });
      expect(events).to.deep.equal([
        { waits, keys: 2, answered: 1, tookMs: 3 },
        { waits, keys: 1, key: 'c', error: 'down', tookMs: 0 },
        { waits, keys: 1, answered: 0, tookMs: 7 },
        { waits, keys: 2, key: undefined, error: 'bad', tookMs: 0 },
        { waits, keys: 1, answered: 1, tookMs: 0 },
      ]);
      expect((await registry.metrics()).split('\n')).to.include.members([
        'purgatory_parked_operations{purgatory="test"} 1',
        'purgatory_completed_early_total{purgatory="test"} 2',
        'purgatory_loads_under_way{purgatory="test"} 1',
        'purgatory_loads_total{purgatory="test"} 6',
        'purgatory_keys_loaded_total{purgatory="test"} 8',
        'purgatory_loads_failed_total{purgatory="test"} 2',
        'purgatory_loads_in_vain_total{purgatory="test"} 1',
        'purgatory_time_parked_seconds_count{purgatory="test"} 2',
      ]);
      waits.close();
      await rejection(waiters[2]);
    } finally {
      for (const stop of stops) stop();
    }
  });
});
