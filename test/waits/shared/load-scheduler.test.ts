import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import sinon from 'sinon';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { rejection } from '../../support/rejection.ts';
import { turn, until } from '../../support/turns.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';
import { expectEmpty, type LoadCall, type Loading, loading } from './loading.ts';

/**
 * Advances the clock by steps of a millisecond until a load begins; how many ms that took, up to
 * `most`.
 */
async function msUntilLoad({ clock, calls }: Loading, most: number): Promise<number> {
  const before = calls.length;
  let ms = 0;
  while (calls.length === before && ms < most) {
    clock.advance(1);
    ms++;
    await turn();
  }
  return ms;
}

describe('Loads of shared waits', () => {
  it('take at most loadBatch keys, and are at most as many at once as concurrency says', async () => {
    const { wait, waits, calls, loaded } = loading({ loadBatch: 2, concurrency: 2 });
    const waiters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => wait(key));
    expect(await loaded()).to.deep.equal(['a b', 'c d']);
    expect(waits.snapshot().loads).to.include({ underWay: 2, keysDue: 3 });
    await calls[1].answer({ c: 1, d: 1 });
    expect(await loaded()).to.deep.equal(['e f']);
    await calls[0].fail(new Error('a failure makes room too'));
    expect(await loaded()).to.deep.equal(['g']);
    waits.close();
    await Promise.allSettled(waiters);
  });

  it('leave half of the time of the only place to others where a key hangs', async () => {
    const all = loading({ concurrency: 1, loadTimeoutMs: 10_000 });
    void rejection(all.wait('hangs'));
    void rejection(all.wait('good', 1_000));
    await all.loaded();
    await all.calls[0].fail('of another kind');
    let [hung, asked, answered] = [0, 0, 0];
    for (let ms = 0; ms < 200_000; ms += 100) {
      all.clock.advance(100);
      await turn();
      const call = all.calls.at(-1) as LoadCall;
      if (all.waits.snapshot().loads.underWay === 0) continue;
      if (call.keys[0] === 'hangs') {
        if (ms > 20_000) hung++; // before, nobody knew
        continue;
      }
      await call.answer({ good: ++answered });
      all.waits.changed('good');
      asked++;
    }
    expect(hung / 1_800).to.be.within(0.4, 0.5);
    expect(answered).to.be.greaterThan(900);
    expect(asked).to.equal(answered);
    all.waits.close();
    const alone = loading({ concurrency: 1, loadTimeoutMs: 1_000 });
    void rejection(alone.wait('hangs'));
    await alone.loaded();
    for (const ms of [1_000, 63, 1_000, 999, 2]) {
      alone.clock.advance(ms);
      await turn();
    }
    expect(alone.calls, 'at once, again, and after a rest').to.have.length(3);
    alone.waits.close();
  });

  it('see the change of a hint that came in the call of load itself', async () => {
    const { wait, waits, calls, loaded } = loading({
      load: async () => {
        begun++;
        if (begun === 1) waits.changed('job');
        return new Map([['job', begun]]);
      },
    });
    let begun = 0;
    expect(await wait('job', 2)).to.deep.equal({ expired: false, value: 2 });
    await loaded();
    expect([begun, calls.length]).to.deep.equal([2, 0]);
  });

  it('run outside of the async context of who happened to come first', async () => {
    const storage = new AsyncLocalStorage<string>();
    const stores: unknown[] = [];
    const { wait } = loading({
      load: async () => {
        stores.push(storage.getStore());
        return new Map([['job', 1]]);
      },
    });
    const inRequest = await storage.run('request', () => wait('job').then(() => storage.getStore()));
    expect([inRequest, stores]).to.deep.equal(['request', [undefined]]);
  });

  it('may change the array of keys that they are given', async () => {
    const { wait, waits } = loading({
      load: async (keys) => {
        const states = new Map(keys.map((key) => [key, 1]));
        (keys as string[]).length = 0;
        return states;
      },
    });
    await Promise.all([wait('a'), wait('b')]);
    expect(waits.numDelayed).to.equal(0);
  });

  it('are called as a method of the options', async () => {
    class Store {
      readonly states = new Map([['job', 7]]);
      async load(): Promise<ReadonlyMap<string, number>> {
        return this.states;
      }
    }
    const own = new SharedWaits<number>('own', new Store());
    const wait = own.waitUntil('job', (value) => value, { timeoutMs: 1_000 });
    expect(await wait).to.deep.equal({ expired: false, value: 7 });
  });
});

describe('A load that fails', () => {
  it('goes to onError, is tried again after 50 ms, doubling to 5 s, and the waiters stay', async () => {
    const all = loading();
    const { wait, waits, calls, errors, loaded } = all;
    const waiter = wait('job');
    await loaded();
    const delays: number[] = [];
    for (let failure = 0; failure < 9; failure++) {
      await calls[failure].fail(new Error(`failure ${failure}`));
      expect(errors[failure]).to.deep.equal({ error: errors[failure].error, keys: ['job'] });
      expect(errors[failure].error).to.have.property('message', `failure ${failure}`);
      waits.changed('job'); // shortens no pause
      await turn();
      delays.push(await msUntilLoad(all, 10_000));
    }
    for (const [failure, delay] of delays.entries()) {
      const least = Math.min(50 * 2 ** failure, 4_000);
      expect(delay).to.be.within(least, least * 1.25 + 1);
    }
    expect(waits.numDelayed).to.equal(1);
    await calls[9].answer({ job: 1 });
    expect(await waiter).to.deep.equal({ expired: false, value: 1 });
    await expectEmpty(all);
  });

  const fail = (message: string): never => {
    throw new Error(message);
  };
  const wrong: Record<string, [load: () => unknown, says: string]> = {
    'a load that throws at once': [() => fail('at once'), 'Error: at once'],
    'a load that returns nothing': [() => undefined, 'ERR_INVALID_RETURN_VALUE'],
    'a load that resolves with a Map of numbers': [async () => new Map([[1, 1]]), 'ERR_INVALID_RETURN_VALUE'],
    'a load that resolves with an object': [async () => ({ job: 1 }), 'ERR_INVALID_RETURN_VALUE'],
    'a load whose Map throws': [async () => ({ get: () => fail('no such key') }), 'Error: no such key'],
  };
  for (const [what, [load, says]] of Object.entries(wrong)) {
    it(`is what ${what} counts as`, async () => {
      const all = loading({ load: load as () => Promise<Map<string, number>> });
      const rejected = rejection(all.wait('job'));
      await turn();
      expect(all.errors.map(({ error }) => String((error as { code?: string }).code ?? error))).to.eql([
        says,
      ]);
      all.waits.close();
      await rejected;
      const alone = loading({ load: load as () => Promise<Map<string, number>>, retry: false });
      const error = (await rejection(alone.wait('job'))) as { code?: string };
      expect(String(error.code ?? error)).to.equal(says);
      expect(alone.errors, 'onError only hears').to.deep.equal([{ error, keys: ['job'] }]);
      await expectEmpty(alone);
    });
  }

  it('takes a Map that was returned without a promise', async () => {
    const load = (() => new Map([['job', 1]])) as unknown as () => Promise<Map<string, number>>;
    expect(await loading({ load }).wait('job')).to.deep.equal({ expired: false, value: 1 });
  });

  it('with an onError that throws itself is an uncaught exception, and is tried again all the same', async () => {
    const all = loading({
      onError: (error) => {
        throw error;
      },
    });
    const waiter = all.wait('job');
    await all.loaded();
    expect(await uncaughtDuring(1, () => all.calls[0].fail('down'))).to.deep.equal(['down']);
    await msUntilLoad(all, 100);
    await all.calls[1].answer({ job: 1 });
    expect(await waiter).to.deep.equal({ expired: false, value: 1 });
  });
});

describe('A load that hangs', () => {
  it('is aborted once nobody is left of those it would answer, and what it brings is dropped', async () => {
    const all = loading();
    const { clock, wait, waits, calls, errors, loaded } = all;
    const waiters = [wait('a', 1, { timeoutMs: 100 }), wait('b', 1, { timeoutMs: 200 })];
    await loaded();
    const tooLate = wait('b', 1, { timeoutMs: 50 });
    clock.advance(100);
    expect(await tooLate).to.deep.equal({ expired: true, state: undefined });
    const late = wait('a');
    expect(calls[0].signal.aborted, 'b is waited for').to.equal(false);
    clock.advance(100);
    expect(calls[0].signal.aborted).to.equal(true);
    expect(await loaded(), 'one load of a key at a time').to.deep.equal([]);
    await calls[0].fail(calls[0].signal.reason);
    expect(errors, 'an abort is no failure').to.deep.equal([]);
    expect(await loaded()).to.deep.equal(['a']);
    await calls[1].answer({ a: 2 });
    expect([await late, ...(await Promise.all(waiters))]).to.deep.equal([
      { expired: false, value: 2 },
      { expired: true, state: undefined },
      { expired: true, state: undefined },
    ]);
    expect(waits.snapshot().loads.totals).to.eql({ begun: 2, keys: 3, failed: 0, inVain: 0, aborted: 1 });
    await expectEmpty(all);
  });
});

describe('A load that hangs on', () => {
  it('after its abort is given up 5 s later, and its keys can be loaded again', async () => {
    const all = loading();
    const gone = all.wait('job', 1, { timeoutMs: 10 });
    await all.loaded();
    all.clock.advance(10);
    expect([(await gone) as object, all.calls[0].signal.aborted]).to.eql([
      { expired: true, state: undefined },
      true,
    ]);
    const next = all.wait('job');
    all.clock.advance(4_999);
    expect(await all.loaded()).to.deep.equal([]);
    all.clock.advance(1);
    expect(await all.loaded()).to.deep.equal(['job']);
    await all.calls[1].answer({ job: 1 });
    expect(await next).to.deep.equal({ expired: false, value: 1 });
    await all.calls[0].answer({ job: 0 });
    await expectEmpty(all);
  });
});

describe('The Map of a load', () => {
  it('causes one warning where it has a key that is only spelt otherwise', async () => {
    const warned = sinon.stub(process, 'emitWarning');
    try {
      const all = loading();
      const wait = (): Promise<unknown> => all.wait('3f2504e0-4f89', 1, { timeoutMs: 0 });
      for (const states of [{ other: 1 }, { '3F2504E0-4F89': 1, other: 1 }, { '3F2504E0-4F89': 2 }]) {
        const outcome = wait();
        await turn();
        await all.calls.at(-1)?.answer(states as Record<string, number>);
        expect(await outcome).to.deep.equal({ expired: true, state: undefined });
      }
      expect(warned.args.map(([, options]) => (options as unknown as { code: string }).code)).to.deep.equal([
        'PURGATORY_OTHER_SPELLING',
      ]);
      expect(String(warned.args[0][0])).to.contain('"3f2504e0-4f89"').and.to.contain('"3F2504E0-4F89"');
    } finally {
      warned.restore();
    }
  });
});

describe('loadTimeoutMs', () => {
  it('makes a load fail that takes longer: its signal aborts, and its result is dropped', async () => {
    const all = loading({ loadTimeoutMs: 300 });
    const { clock, wait, waits, calls, errors, loaded } = all;
    const waiter = wait('job');
    await loaded();
    clock.advance(299);
    expect(calls[0].signal.aborted).to.equal(false);
    clock.advance(1);
    const error = errors[0].error as Error & { code: string };
    expect([error.code, error.message, errors[0].keys]).to.deep.equal([
      'ERR_PURGATORY_TIMEOUT',
      'A load of 1 key of SharedWaits "test" has not ended within 300 ms',
      ['job'],
    ]);
    expect(calls[0].signal.reason).to.equal(error);
    await calls[0].answer({ job: 1 });
    expect(waits.numDelayed).to.equal(1);
    await msUntilLoad(all, 63);
    await calls[1].answer({ job: 2 });
    expect(await waiter).to.deep.equal({ expired: false, value: 2 });
    expect(waits.snapshot().loads.totals).to.include({ begun: 2, failed: 1, aborted: 0 });
    await expectEmpty(all);
  });

  for (const [what, retry] of [
    ['with retry', true],
    ['without retry, though all that waited come back', false],
  ] as const) {
    it(`takes no other key along for longer than itself (${what})`, async () => {
      const hangs = Array.from({ length: 8 }, (_, key) => `hangs ${key}`);
      const all = loading({ loadTimeoutMs: 300, retry });
      const outcomes: unknown[] = [];
      const waitAgain = (key: string): void => {
        const again = (error: unknown): void => {
          if ((error as { code?: string }).code === 'ERR_PURGATORY_TIMEOUT') waitAgain(key);
        };
        void all.wait(key).then((outcome) => outcomes.push(outcome), again);
      };
      for (const key of [...hangs, 'good']) waitAgain(key);
      const serve = async (): Promise<void> => {
        await turn();
        for (const call of all.calls.splice(0)) {
          if (!call.keys.some((key) => key.startsWith('hangs'))) {
            await call.answer(Object.fromEntries(call.keys.map((key) => [key, 1])));
          }
        }
        await turn();
      };
      await serve();
      for (let ms = 0; ms < 300 + 63 + 4 * 300 && outcomes.length === 0; ms++) {
        all.clock.advance(1);
        await serve();
      }
      expect(outcomes, 'the neighbour').to.have.length(1);
      waitAgain('another');
      await serve();
      expect(outcomes, 'a key that was in no load that timed out: at once').to.have.length(2);
      all.waits.close();
      await turn();
    });
  }

  it('is 10 s if it is left out, and may be Infinity', async () => {
    for (const [loadTimeoutMs, failed] of [
      [undefined, 1],
      [Number.POSITIVE_INFINITY, 0],
    ] as const) {
      const all = loading({ loadTimeoutMs });
      const waiter = rejection(all.wait('job'));
      await all.loaded();
      all.clock.advance(9_999);
      expect(all.errors).to.have.length(0);
      all.clock.advance(1);
      expect(all.errors).to.have.length(failed);
      all.waits.close();
      await waiter;
    }
  });
});

describe('recheckMs', () => {
  it('finds what a replica shows late; a load that begins after the time of a recheck serves it', async () => {
    const all = loading({ recheckMs: [40, 5, 60] });
    const waiter = all.wait('job');
    await all.loaded();
    await all.calls[0].answer({});
    expect(await msUntilLoad(all, 100)).to.equal(5);
    all.clock.advance(36);
    await all.calls[1].answer({}); // began before the second recheck, and ended after it
    await turn();
    expect(all.calls).to.have.length(3);
    await all.calls[2].answer({});
    expect(await msUntilLoad(all, 100)).to.equal(60 - 41);
    await all.calls[3].answer({});
    expect(await msUntilLoad(all, 100), 'no more').to.equal(100);
    all.waits.changed('job');
    await all.loaded();
    await all.calls[4].answer({});
    expect(await msUntilLoad(all, 100), 'they count from the last load by an event').to.equal(5);
    await all.calls[5].answer({ job: 1 });
    expect(await waiter).to.deep.equal({ expired: false, value: 1 });
    await expectEmpty(all);
  });
});

describe('pollMs', () => {
  it('loads keys together again that were loaded together', async () => {
    const loads: number[] = [];
    const load = async (keys: readonly string[]): Promise<Map<string, number>> => {
      loads.push(keys.length);
      await turn();
      return new Map();
    };
    const polled = new SharedWaits<number>('polled', { load, pollMs: 300 });
    const keys = Array.from({ length: 500 }, (_, i) => `key ${i}`);
    const ended = keys.map((key) => rejection(polled.waitUntil(key, () => false, { timeoutMs: 10_000 })));
    await until(() => loads.length >= 3);
    polled.close();
    await Promise.all(ended);
    expect(new Set(loads)).to.deep.equal(new Set([500]));
  });
});
