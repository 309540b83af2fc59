import { expect } from 'chai';
import { SharedWaits, type SharedWaitsOptions } from '../../../src/waits/shared/index.ts';
import { refuses, rejects } from '../../support/refusals.ts';
import { rejection } from '../../support/rejection.ts';
import { manual } from '../../support/task.ts';
import { turn } from '../../support/turns.ts';
import { unhandledDuring } from '../../support/unhandled.ts';
import { expectEmpty, loading } from './loading.ts';

describe('A wait on shared state', () => {
  it('has its deadline in a timer that is shared, and its loads in none that may be full', async () => {
    const { clock, timer } = manual({ maxPending: 1 });
    const loads: { keys: readonly string[]; signal: AbortSignal }[] = [];
    const errors: unknown[] = [];
    const waits = new SharedWaits<number>('jobs', {
      timer,
      load: (keys, { signal }) => {
        loads.push({ keys, signal });
        return new Promise(() => {}); // hangs
      },
      loadTimeoutMs: 1_000,
      pollMs: 500,
      onError: (error) => errors.push(error),
    });
    expect(waits.timer).to.equal(timer);
    const first = waits.waitUntil('a', () => undefined, { timeoutMs: 5_000 });
    const refused = rejection(waits.waitUntil('b', () => undefined, { timeoutMs: 5_000 }));
    expect(await refused).to.have.property('code', 'ERR_PURGATORY_FULL');
    expect(timer.size).to.equal(1);
    await turn();
    clock.advance(1_000);
    expect([loads.length, loads[0].signal.aborted, errors.length]).to.deep.equal([1, true, 1]);
    clock.advance(4_000);
    expect(await first).to.deep.equal({ expired: true, state: undefined });
    waits.close();
    expect([timer.isClosed, timer.size]).to.deep.equal([false, 0]);
  });

  it('offers undefined for a key that the load has nothing for', async () => {
    const { waits, calls, loaded } = loading();
    const offered: unknown[] = [];
    const result = waits.waitUntil('job', (value) => (offered.push(value) > 0 ? 'gone' : undefined), {
      timeoutMs: 5,
    });
    await loaded();
    await calls[0].answer({});
    expect([await result, offered]).to.deep.equal([{ expired: false, value: 'gone' }, [undefined]]);
  });

  it('takes undefined, null and false from the condition for "not yet"', async () => {
    for (const value of [undefined, null, false]) {
      const all = loading({ pollMs: 500 });
      const result = all.waits.waitUntil('job', () => value, { timeoutMs: 5 });
      await all.loaded();
      await all.calls[0].answer({});
      expect(all.waits.numDelayed, String(value)).to.equal(1);
      all.clock.advance(5);
      expect((await result).expired).to.equal(true);
      await expectEmpty(all);
    }
  });

  it('says at its deadline which state was read last, shows its label, and counts the waiters of a key', async () => {
    const { clock, waits, store, calls, loaded } = loading();
    const wait = (): Promise<unknown> =>
      waits.waitUntil('job', (value = 0) => value > 9, { timeoutMs: 5, label: 'GET /job' });
    const result = wait();
    expect(waits.watchersOf('job')).to.equal(1);
    expect(waits.watchersOf('other')).to.equal(0);
    expect(waits.snapshot().oldest[0].label).to.equal('GET /job');
    await loaded();
    store.set('job', 7);
    await calls[0].answer();
    const late = wait();
    expect(waits.watchersOf('job')).to.equal(2);
    clock.advance(5);
    expect(await result).to.deep.equal({ expired: true, state: 7 });
    expect(await late, 'no load has ended since').to.deep.equal({ expired: true, state: undefined });
  });

  for (const [read, least, result] of [
    [{ job: 7 }, 7, { expired: false, value: 7 }],
    [{ job: 7 }, 8, { expired: true, state: 7 }],
    [{}, 8, { expired: true, state: undefined }],
    [undefined, 8, { expired: true, state: undefined }], // it fails, and is tried again
  ] as const) {
    it(`with a timeout of 0 loads once, and ends with what that read: ${JSON.stringify(read)}`, async () => {
      const all = loading({ recheckMs: [1], pollMs: 1 });
      const { clock, wait, calls, loaded } = all;
      const ended = wait('job', least, { timeoutMs: 0 });
      expect(await loaded()).to.deep.equal(['job']);
      clock.advance(500); // the load takes its time
      await (read === undefined ? calls[0].fail('down') : calls[0].answer(read));
      expect(await ended).to.deep.equal(result);
      await expectEmpty(all);
    });
  }

  it('with a timeout of 0 may be aborted, and end in its own condition', async () => {
    const { waits, wait, calls, loaded } = loading();
    const controller = new AbortController();
    const aborted = rejection(wait('job', 1, { timeoutMs: 0, signal: controller.signal }));
    const closed = rejection(waits.waitUntil('job', () => waits.close(), { timeoutMs: 0 }));
    await loaded();
    controller.abort('gone');
    expect(await aborted).to.equal('gone');
    await calls[0].answer({ job: 1 });
    expect(await closed).to.have.property('code', 'ERR_PURGATORY_CLOSED');
  });

  it('is rejected by what its own condition throws; the others of the key are answered', async () => {
    const all = loading();
    const { waits, wait, calls, loaded } = all;
    const before = wait('job');
    const thrown = rejection(
      waits.waitUntil(
        'job',
        () => {
          throw new Error('no such state');
        },
        { timeoutMs: 5 },
      ),
    );
    const after = wait('job');
    await loaded();
    await calls[0].answer({ job: 1 });
    expect(await thrown).to.have.property('message', 'no such state');
    expect([await before, await after]).to.eql([
      { expired: false, value: 1 },
      { expired: false, value: 1 },
    ]);
    expect(waits.snapshot().totals).to.include({ completed: 2, rejected: 1, cancelled: 0, failed: 0 });
    await expectEmpty(all);
  });

  it('is rejected when its condition returns a promise, which would never be "not yet", by that error alone', async () => {
    const { waits, calls, loaded } = loading();
    const condition = async (): Promise<undefined> => {
      throw new Error('from condition');
    };
    const rejected = rejection(waits.waitUntil('job', condition, { timeoutMs: 5 }));
    await loaded();
    const unhandled = await unhandledDuring(() => calls[0].answer());
    expect(await rejected).to.have.property('code', 'ERR_INVALID_RETURN_VALUE');
    expect(String(await rejected)).to.contain('"condition"');
    expect(unhandled).to.deep.equal([]);
  });

  it('may end itself from its condition, or close all', async () => {
    const all = loading();
    const { waits, wait, calls, loaded } = all;
    const stop = new AbortController();
    const ended = [
      waits.waitUntil('job', () => stop.abort('from inside'), { timeoutMs: 5, signal: stop.signal }),
      waits.waitUntil('job', () => waits.close(), { timeoutMs: 5 }),
      wait('job'),
    ].map(rejection);
    await loaded();
    await calls[0].answer({ job: 1 });
    const codes = (await Promise.all(ended)).map((error) => (error as { code?: string }).code ?? error);
    expect(codes).to.deep.equal(['from inside', 'ERR_PURGATORY_CLOSED', 'ERR_PURGATORY_CLOSED']);
    await expectEmpty(all);
  });
});

describe('cancelForKey of shared waits', () => {
  it('rejects the waits of the key, and aborts a load that is for no other', async () => {
    const all = loading();
    const { waits, wait, calls, loaded } = all;
    const cancelled = [rejection(wait('job')), rejection(wait('job', 5))];
    const stays = wait('other');
    await loaded();
    expect(waits.cancelForKey('job')).to.deep.equal([]);
    for (const error of await Promise.all(cancelled)) {
      expect(error).to.have.property('code', 'ERR_PURGATORY_CANCELLED');
    }
    expect([waits.watchersOf('job'), waits.numDelayed, waits.isClosed]).to.deep.equal([0, 1, false]);
    expect(calls[0].signal.aborted).to.equal(false);
    expect(waits.cancelForKey('other')).to.deep.equal([]);
    await rejects(stays, 'ERR_PURGATORY_CANCELLED');
    expect(calls[0].signal.aborted).to.equal(true);
    waits.close();
    await expectEmpty(all);
  });
});

describe('The close of shared waits', () => {
  it('rejects the waiters, aborts the load, refuses what comes later, and is idempotent', async () => {
    const all = loading();
    const { waits, wait, calls, loaded } = all;
    const rejected = [rejection(wait('job')), rejection(wait('other'))];
    await loaded();
    waits.close();
    waits.close();
    expect([waits.numDelayed, waits.isClosed]).to.deep.equal([0, true]);
    for (const error of await Promise.all(rejected)) {
      expect(error).to.include({ code: 'ERR_PURGATORY_CLOSED', message: 'SharedWaits "test" is closed' });
      const { cause } = error as Error;
      expect(cause).to.equal('Parked when it was closed: 2, such as the wait on "job"');
    }
    expect(calls[0].signal.aborted).to.equal(true);
    await rejects(wait('job'), 'ERR_PURGATORY_CLOSED');
    waits.changed('job');
    await expectEmpty(all);
  });

  it('stops a load that has not begun', async () => {
    const { waits, wait, loaded } = loading();
    const rejected = rejection(wait('job'));
    waits.close();
    expect(await loaded()).to.deep.equal([]);
    await rejected;
  });
});

describe('Bad arguments of shared waits', () => {
  const load = async (): Promise<Map<string, number>> => new Map();
  const badOptions: readonly [unknown, string, string][] = [
    [undefined, 'ERR_INVALID_ARG_TYPE', '"options.load"'],
    [null, 'ERR_INVALID_ARG_TYPE', '"options"'],
    [{}, 'ERR_INVALID_ARG_TYPE', '"options.load"'],
    [{ load, bus: {} }, 'ERR_INVALID_ARG_TYPE', '"options.bus"'],
    [{ load, loadBatch: 0 }, 'ERR_OUT_OF_RANGE', '"options.loadBatch"'],
    [{ load, concurrency: 1.5 }, 'ERR_OUT_OF_RANGE', '"options.concurrency"'],
    [
      { load, loadTimeoutMs: 0 },
      'ERR_OUT_OF_RANGE',
      '"options.loadTimeoutMs" is out of range. It must be a number >= 1',
    ],
    [{ load, recheckMs: 50 }, 'ERR_INVALID_ARG_TYPE', '"options.recheckMs"'],
    [{ load, recheckMs: [50, '500'] }, 'ERR_INVALID_ARG_TYPE', '"options.recheckMs[1]"'],
    [{ load, recheckMs: [undefined] }, 'ERR_INVALID_ARG_TYPE', '"options.recheckMs[0]"'],
    [{ load, recheckMs: [0] }, 'ERR_OUT_OF_RANGE', '"options.recheckMs[0]"'],
    [{ load, pollMs: 0 }, 'ERR_OUT_OF_RANGE', '"options.pollMs"'],
    [{ load, pollMs: Number.NaN }, 'ERR_OUT_OF_RANGE', '"options.pollMs"'],
    [{ load, onError: 'log' }, 'ERR_INVALID_ARG_TYPE', '"options.onError"'],
  ];
  for (const [index, [options, code, name]] of badOptions.entries()) {
    it(`are refused by the constructor: case ${index} of ${name}`, () => {
      const make = (): unknown => new SharedWaits('test', options as SharedWaitsOptions<number>);
      refuses(make, code);
      expect(make).to.throw(name);
    });
  }

  const condition = (): undefined => undefined;
  const badWaits: readonly [unknown[], string, string][] = [
    [[7, condition, { timeoutMs: 5 }], 'ERR_INVALID_ARG_TYPE', '"key"'],
    [['job', 7, { timeoutMs: 5 }], 'ERR_INVALID_ARG_TYPE', '"condition"'],
    [['job', condition], 'ERR_INVALID_ARG_TYPE', '"options"'],
  ];
  for (const [index, [args, code, name]] of badWaits.entries()) {
    it(`reject the wait, and nothing is parked: case ${index} of ${name}`, async () => {
      const all = loading();
      const { waits } = all;
      const error = await rejection(waits.waitUntil(...(args as Parameters<typeof waits.waitUntil>)));
      expect(error).to.have.property('code', code);
      expect((error as Error).message).to.contain(name);
      await turn();
      await expectEmpty(all);
    });
  }

  it('are refused by changed', () => {
    refuses(() => loading().waits.changed(7 as unknown as string), 'ERR_INVALID_ARG_TYPE');
  });
});
