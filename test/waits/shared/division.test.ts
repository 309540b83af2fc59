import { expect } from 'chai';
import { Division, partsOf } from '../../../src/waits/shared/division.ts';
import { rejection } from '../../support/rejection.ts';
import { turn } from '../../support/turns.ts';
import { expectEmpty, type LoadCall, type Loading, loading } from './loading.ts';

/** A store that a test breaks: `load` throws for bad keys, as one query for all of them does. */
class Store {
  readonly bad: ReadonlySet<string>;
  isDown = false;
  /** The keys of each load. */
  readonly loads: (readonly string[])[] = [];

  constructor(...bad: readonly string[]) {
    this.bad = new Set(bad);
  }

  readonly load = async (keys: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    this.loads.push([...keys]);
    if (this.isDown) throw new Error('ECONNREFUSED');
    const bad = keys.filter((key) => this.bad.has(key));
    if (bad.length > 0) throw new Error(`no uuid: ${bad}`);
    return new Map(keys.map((key) => [key, 1]));
  };
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key ${i}`);
}

/** Lets loads and their divisions go on, until none is under way or due. */
async function quiet({ waits }: Loading): Promise<void> {
  do await turn();
  while (waits.snapshot({ top: 0 }).loads.underWay + waits.snapshot({ top: 0 }).loads.keysDue > 0);
}

const ANSWERED = { expired: false, value: 1 };

describe('A load of several keys that fails', () => {
  /** The first key is the one that is loaded alone. */
  const bus = { join: () => ({ publish: () => {}, leave: () => {} }), random: () => 0 };
  for (const [what, count, bad] of [
    ['one bad key', 401, ['key 200']],
    ['two bad keys, one in each half', 401, ['key 3', 'key 390']],
    ['three bad keys, one in each part of a half', 9, ['key 5', 'key 6', 'key 7']],
  ] as const) {
    for (const retry of [true, false]) {
      it(`is divided at once, so the neighbours of ${what} are answered, ${retry ? 'with' : 'without'} retry`, async () => {
        const store = new Store(...bad);
        const all = loading({ load: store.load, retry, bus });
        const waits = new Map(names(count).map((key) => [key, all.wait(key)]));
        const refused = bad.map((key) => rejection(waits.get(key) as Promise<unknown>));
        await quiet(all);
        for (const key of bad) waits.delete(key);
        for (const wait of waits.values()) expect(await wait).to.deep.equal(ANSWERED);
        expect(all.errors.map(({ keys }) => `${keys}`).sort()).to.deep.equal([...bad]);
        expect(all.waits.numDelayed).to.equal(retry ? bad.length : 0);
        if (retry) all.waits.close();
        const code = retry ? /is closed/ : /no uuid: key \d+$/;
        for (const error of await Promise.all(refused)) expect(String(error)).to.match(code);
        expect(store.loads.length).to.be.below(30 * bad.length);
      });
    }
  }

  it('is divided no further when all its parts fail, and is tried again as one load while the store is down', async () => {
    const store = new Store();
    store.isDown = true;
    const all = loading({ load: store.load });
    const waits = names(400).map((key) => all.wait(key));
    await quiet(all);
    const sorted = (lengths: number[]): number[] => lengths.sort((x, y) => x - y);
    expect(sorted(store.loads.map(({ length }) => length))).to.deep.equal([1, 199, 200, 400]);
    expect(sorted(all.errors.map(({ keys }) => keys.length))).to.deep.equal([1, 199, 200]);
    for (let ms = 0; ms < 800; ms += 10) {
      all.clock.advance(10);
      await quiet(all);
    }
    const tries = store.loads.filter(({ length }) => length === 400).length;
    expect(tries, 'at once, and after 50, 100, 200 and 400 ms or a quarter more').to.be.within(4, 5);
    expect(store.loads).to.have.length(4 * tries);
    store.isDown = false;
    all.clock.advance(1_000);
    for (const wait of waits) expect(await wait).to.deep.equal(ANSWERED);
    await expectEmpty(all);
  });

  it('leaves a key that nobody waits for any more out of its parts', async () => {
    const all = loading();
    const controller = new AbortController();
    const gone = rejection(all.wait('gone', 1, { signal: controller.signal }));
    const waits = ['a', 'b'].map((key) => all.wait(key));
    await all.loaded();
    controller.abort();
    await all.calls[0].fail('down');
    expect(await all.loaded()).to.deep.equal(['a', 'b']);
    for (const call of all.calls.slice(1)) await call.answer({ a: 1, b: 1 });
    await Promise.all([gone, ...waits]);
    await expectEmpty(all);
  });

  it('by its timeout is not divided: its waits are rejected after one loadTimeoutMs', async () => {
    const all = loading({ loadTimeoutMs: 300, retry: false });
    const waits = names(400).map((key) => rejection(all.wait(key)));
    await all.loaded();
    all.clock.advance(300);
    const errors = new Set(await Promise.all(waits));
    expect([...errors].map(String)).to.deep.equal([
      'PurgatoryError [ERR_PURGATORY_TIMEOUT]: A load of 400 keys of SharedWaits "test" has not ended within 300 ms',
    ]);
    expect(all.waits.snapshot().loads.totals).to.include({ begun: 1, failed: 1, aborted: 0 });
    await expectEmpty(all);
  });

  it('by its timeout has the good keys wait no longer for many that hang than for one', async () => {
    const hanging = names(20);
    const good = ['good 1', 'good 2'];
    const all = loading({ loadTimeoutMs: 10_000, pollMs: 60_000 });
    for (const key of hanging) void rejection(all.wait(key));
    const waits = good.map((key) => all.wait(key));
    for (const key of good) all.store.set(key, 1);
    await all.loaded();
    let answered = 0;
    const told = new Set<string>();
    for (const wait of waits) void wait.then(() => answered++);
    const isGood = ({ keys }: LoadCall): boolean => keys.length === 1 && good.includes(keys[0]);
    let ms = 0;
    for (; answered < 2 && ms < 200_000; ms += 20) {
      all.clock.advance(20);
      await turn();
      const open = all.calls.filter(isGood).filter(({ keys }) => !told.has(keys[0]));
      for (const call of open) {
        told.add(call.keys[0]);
        await call.answer();
      }
    }
    expect(ms).to.be.at.most(10_000 + 20 * 200 + 1_000);
    all.waits.close();
  });

  it('by its timeout is tried again key by key, with retry', async () => {
    const all = loading({ loadTimeoutMs: 300 });
    const waits = names(40).map((key) => all.wait(key));
    await all.loaded();
    all.clock.advance(300);
    await turn();
    expect(all.errors.map(({ keys }) => keys.length)).to.deep.equal([40]);
    all.clock.advance(63);
    await turn();
    for (let call = 1; call <= 40; call++) {
      expect(all.calls.map(({ keys }) => keys.length).slice(1)).to.deep.equal(
        Array(Math.min(call + 1, 40)).fill(1), // two of four places
      );
      await all.calls[call].answer({ [all.calls[call].keys[0]]: 1 });
    }
    for (const wait of waits) expect(await wait).to.deep.equal(ANSWERED);
    await expectEmpty(all);
  });
});

describe('An Error in the Map of a load', () => {
  for (const retry of [true, false]) {
    it(`rejects the waits of its key alone, at once, ${retry ? 'with' : 'without'} retry`, async () => {
      const all = loading({
        retry,
        load: async (keys) =>
          new Map(keys.map((key) => [key, key === 'bad' ? new Error('no uuid') : 1] as const)),
      });
      const bad = [rejection(all.wait('bad')), rejection(all.wait('bad', 1, { timeoutMs: 0 }))];
      expect(await all.wait('good')).to.deep.equal(ANSWERED);
      expect((await Promise.all(bad)).map(String)).to.deep.equal(['Error: no uuid', 'Error: no uuid']);
      const { loads, totals } = all.waits.snapshot();
      expect(totals).to.include({ completed: 1, rejected: 2 });
      expect(loads.totals).to.deep.equal({ begun: 1, keys: 2, failed: 0, inVain: 0, aborted: 0 });
      expect(loads.durations.histogram.counts.reduce((sum, count) => sum + count, 0)).to.equal(1);
      await expectEmpty(all);
    });
  }

  it('may be of another realm, as the errors of code in jest are', async () => {
    const { runInNewContext } = await import('node:vm');
    const foreign: Error = runInNewContext("new Error('of another realm')");
    expect(foreign).not.to.be.instanceof(Error);
    const all = loading({ load: async () => new Map([['job', foreign]]) });
    expect(await rejection(all.wait('job'))).to.equal(foreign);
    await expectEmpty(all);
  });
});

describe('The parts of some keys', () => {
  it('are one alone, chosen at random, and two halves of the others; single keys where there are three or fewer', () => {
    expect(partsOf(['a', 'b', 'c', 'd', 'e', 'f'], 0.5)).to.deep.equal([['d'], ['a', 'b'], ['c', 'e', 'f']]);
    expect(partsOf(['a', 'b', 'c', 'd'], 0)).to.deep.equal([['a'], ['b'], ['c', 'd']]);
    expect(partsOf(['a', 'b', 'c'], 0)).to.deep.equal([['a'], ['b'], ['c']]);
    expect(partsOf([], 0)).to.deep.equal([]);
  });

  it('wait for each other until one is answered, or all have ended', () => {
    const decided: unknown[] = [];
    const division = new Division<string>(4, (failed, isUp) => {
      decided.push(...failed.map(({ load, error }) => [load, error, isUp]));
    });
    division.failed('first', 1);
    division.failed('second', 2);
    expect(decided).to.deep.equal([]);
    division.answered();
    division.failed('last', 3);
    expect(decided).to.eql([
      ['first', 1, true],
      ['second', 2, true],
      ['last', 3, true],
    ]);
  });
});
