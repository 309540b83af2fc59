import { deepStrictEqual } from 'node:assert';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { ManualClock, SystemTimer } from '../../../src/index.ts';
import { Queues, type QueuesOptions, type Taken, type TakenMany } from '../../../src/waits/queues/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { refuses, rejects } from '../../support/refusals.ts';
import { codeOfRejection } from '../../support/rejection.ts';

const SOON = { timeoutMs: 100 };
const NEVER = { timeoutMs: Number.POSITIVE_INFINITY };

interface Rig {
  readonly clock: ManualClock;
  readonly timer: SystemTimer;
  readonly jobs: Queues<number>;
}

function queues(options: QueuesOptions = {}): Rig {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock });
  return { clock, timer, jobs: new Queues<number>('jobs', { timer, ...options }) };
}

const taken = (key: string, value: number) => ({ expired: false, key, value });

describe('Queues', () => {
  it('hand over in the call of put, first come, first served (behaviours 31 and 32)', async () => {
    const { timer, jobs } = queues();
    const waits = [jobs.take(['a'], SOON), jobs.take(['b', 'a'], SOON), jobs.take(['a'], SOON)];
    expect([jobs.watchersOf('a'), jobs.watched, timer.size]).to.deep.equal([3, 4, 3]);
    expect([jobs.put('a', 1), jobs.put('a', 2)]).to.deep.equal([true, true]);
    expect([jobs.watchersOf('a'), jobs.watchersOf('b'), timer.size, jobs.size]).to.deep.equal([1, 0, 1, 0]);
    expect([jobs.put('b', 3), jobs.put('a', 4)]).to.deep.equal([false, true]);
    expect(await Promise.all(waits)).to.deep.equal([taken('a', 1), taken('a', 2), taken('a', 4)]);
    jobs.put('c', 5);
    expect(await jobs.take(['d', 'c', 'b'], SOON), 'of the first key that has one').to.deep.equal(
      taken('c', 5),
    );
  });

  it('resolve with expired at the deadline, and destructure', async () => {
    const { clock, jobs } = queues();
    const wait = jobs.take(['a', 'b'], SOON);
    const many = jobs.takeMany(['a'], { ...SOON, max: 2 });
    const lease = jobs.lease(['a'], { ...SOON, leaseMs: 5 });
    clock.advance(100);
    const { expired, key, value } = await wait;
    expect([expired, key, value]).to.deep.equal([true, undefined, undefined]);
    expect([await many, await lease]).to.deep.equal([{ expired: true }, { expired: true }]);
    expect([jobs.numDelayed, jobs.put('a', 1)]).to.deep.equal([0, false]);
  });

  it('restore the order in which items were put, whoever gives back first (behaviour 37)', async () => {
    const { jobs } = queues();
    jobs.putAll('a', [1, 2, 3, 4, 5, 6, 7]);
    const one = await jobs.take(['a'], SOON);
    const two = jobs.tryTake(['a']);
    const some = await jobs.takeMany(['a'], { ...SOON, max: 2 });
    const five = jobs.tryTake(['a']);
    for (const taken of [one, some, two])
      expect(jobs.putBack(taken as Taken<number, string>)).to.equal(false);
    expect(jobs.sizeOf('a')).to.equal(6);
    const again = await jobs.takeMany(['a'], { ...SOON, max: 3 });
    expect(again.values).to.deep.equal([1, 2, 3]);
    jobs.putBack(five as Taken<number, string>);
    jobs.putBack('a', 0); // before all others
    expect(jobs.putBack(again as TakenMany<number, string>)).to.equal(false);
    expect(jobs.clear('a')).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([jobs.size, jobs.snapshot().items.taken]).to.deep.equal([0, 8]);
  });

  it('refuse to put back what they did not give, or what was put back (behaviour 37)', async () => {
    const { jobs } = queues();
    const others = queues().jobs;
    for (const each of [jobs, others]) each.putAll('a', [1, 2, 3]);
    const own = jobs.tryTake(['a']) as Taken<number, string>;
    const some = (await jobs.takeMany(['a'], { ...SOON, max: 2 })) as TakenMany<number, string>;
    some.values.pop();
    const refused = [others.tryTake(['a']), { ...own }, { expired: true }, some, undefined, null, 'a', 7];
    for (const each of refused) {
      refuses(() => jobs.putBack(each as Taken<number, string>), 'ERR_INVALID_ARG_VALUE');
    }
    jobs.putBack(own);
    expect(() => jobs.putBack(own)).to.throw('must be what take, takeMany or tryTake of these Queues gave');
    expect([jobs.size, others.size]).to.deep.equal([1, 2]);
    checkPurgatoryInvariants(jobs);
  });

  it('put back only to the key that an item was taken of, and all that was taken (behaviour 37)', async () => {
    const { jobs } = queues();
    jobs.putAll('a', [1, 2]);
    const one = jobs.tryTake(['a']) as Taken<number, string>;
    const some = (await jobs.takeMany(['a'], { ...SOON, max: 1 })) as TakenMany<number, string>;
    const refused: [change: () => unknown, text: string][] = [
      [() => Object.assign(one, { key: 'b' }), 'property must be the key it was taken of, a. Received'],
      [() => Object.assign(one, { key: undefined }), 'property must be the key it was taken of, a. Received'],
      [() => Object.assign(some, { values: [2, 3] }), 'property must be the 1 that were taken together'],
      [() => Object.assign(some, { values: 'x' }), 'property must be an instance of Array'],
    ];
    for (const [change, text] of refused) {
      const changed = change() as Taken<number, string>;
      expect(() => jobs.putBack(changed)).to.throw(TypeError, text);
      expect(jobs.size).to.equal(0);
    }
    jobs.putBack(Object.assign(some, { values: [20] })); // the item is the taker's to change
    jobs.putBack(Object.assign(one, { key: 'a', value: 10 }));
    expect(jobs.clear('a')).to.deep.equal([10, 20]);
    checkPurgatoryInvariants(jobs);
  });

  it('give what looks like a plain object, with nothing else in it', async () => {
    const { jobs } = queues();
    jobs.put('a', 1);
    const one = await jobs.take(['a'], SOON);
    deepStrictEqual(one, { expired: false, key: 'a', value: 1 });
    expect(inspect(one, { showHidden: true })).to.equal("{ expired: false, key: 'a', value: 1 }");
  });

  it('refuse items beyond maxItems, but not those that are handed over', async () => {
    const { jobs } = queues({ maxItems: 2 });
    expect([jobs.maxItems, queues().jobs.maxItems]).to.deep.equal([2, Number.POSITIVE_INFINITY]);
    expect(queues().jobs.snapshot().items).to.deep.include({ size: 0, keys: 0, max: null, taken: 0 });
    jobs.putAll('a', [1, 2]);
    refuses(() => jobs.put('b', 3), 'ERR_PURGATORY_FULL');
    const wait = jobs.take(['b'], SOON);
    const some = jobs.takeMany(['b'], { ...SOON, max: 2 });
    refuses(() => jobs.putAll('b', [3, 4, 5, 6]), 'ERR_PURGATORY_FULL');
    expect([jobs.numDelayed, jobs.size]).to.deep.equal([2, 2]);
    expect(jobs.putAll('b', [3, 4, 5])).to.equal(3);
    expect([(await wait).value, (await some).values]).to.deep.equal([3, [4, 5]]);
    expect(jobs.snapshot().items).to.deep.include({ size: 2, keys: 1, max: 2, taken: 3 });
    expect(jobs.snapshot().refused).to.deep.equal({ ERR_PURGATORY_FULL: 2 });
    jobs.putBack('a', 0); // never refused: one too many
    const last = jobs.take(['b'], SOON);
    expect([jobs.put('b', 6), (await last).value, jobs.size]).to.deep.equal([true, 6, 3]);
    checkPurgatoryInvariants(jobs);
  });

  it('tell how long the oldest item has been kept at least, since a snapshot has found it', () => {
    const { clock, jobs } = queues();
    const oldestAfter = (ms: number): unknown => {
      clock.advance(ms);
      return jobs.snapshot().items.oldest;
    };
    expect(oldestAfter(0)).to.equal(null);
    jobs.putAll('a', [1, 2]);
    expect(oldestAfter(50)).to.deep.equal({ key: 'a', ageMs: 0 });
    jobs.put('a', 3);
    jobs.put('b', 4);
    jobs.tryTake(['a']);
    expect(oldestAfter(100)).to.deep.equal({ key: 'a', ageMs: 100 });
    jobs.tryTake(['a']); // the last one that it had found
    expect(oldestAfter(10)).to.deep.equal({ key: 'b', ageMs: 10 });
    expect(oldestAfter(10)).to.deep.equal({ key: 'b', ageMs: 20 });
    jobs.clear('b');
    expect(oldestAfter(10)).to.deep.equal({ key: 'a', ageMs: 20 });
  });

  it('do not take an item back from who was given it, whatever follows (behaviour 32)', async () => {
    const { clock, jobs } = queues();
    const stop = new AbortController();
    const wait = jobs.take(['a'], { ...SOON, signal: stop.signal });
    jobs.put('a', 1);
    stop.abort();
    clock.advance(100);
    jobs.close();
    expect(await wait).to.deep.equal(taken('a', 1));
  });

  it('let nobody take what is due to others (behaviour 31)', async () => {
    const { jobs } = queues();
    const waits = Array.from({ length: 70 }, () => jobs.take(['a'], NEVER));
    expect(jobs.putAll('a', Array.from(Array(70).keys()))).to.equal(64);
    expect([jobs.sizeOf('a'), jobs.tryTake(['a'])]).to.deep.equal([6, undefined]);
    const late = jobs.take(['a'], NEVER);
    expect(jobs.put('a', 70)).to.equal(true); // the last of those that are due now
    const values = (await Promise.all([...waits, late])).map(({ value }) => value);
    expect(values).to.deep.equal(Array.from(Array(71).keys()));
    checkPurgatoryInvariants(jobs);
  });

  it('give at a deadline what is due on any of its keys (behaviours 30 and 31)', async () => {
    const { clock, jobs } = queues();
    const waits = Array.from({ length: 65 }, () => jobs.take(['a'], NEVER));
    waits.push(jobs.take(['b', 'a'], SOON));
    expect(jobs.putAll('a', Array.from(Array(66).keys()))).to.equal(64);
    clock.advance(100); // before the other two have theirs
    expect((await Promise.all(waits)).at(-1)).to.deep.equal(taken('a', 65));
    expect(jobs.size).to.equal(0);
  });

  it('drain after close by tryTake, and take back what comes late', async () => {
    const { jobs } = queues();
    const wait = codeOfRejection(jobs.take(['b'], NEVER));
    jobs.put('a', 2);
    expect(jobs.close()).to.deep.equal([]);
    expect(await wait).to.equal('ERR_PURGATORY_CLOSED');
    await rejects(jobs.take(['a'], NEVER), 'ERR_PURGATORY_CLOSED');
    await rejects(jobs.takeMany(['a'], { ...NEVER, max: 1 }), 'ERR_PURGATORY_CLOSED');
    refuses(() => jobs.put('a', 3), 'ERR_PURGATORY_CLOSED');
    expect(jobs.putBack('a', 1)).to.equal(false);
    expect([jobs.tryTake(['a'])?.value, jobs.tryTake(['a'])?.value]).to.deep.equal([1, 2]);
    expect(jobs.size).to.equal(0);
  });

  it('keep no memory of a key that is idle (behaviour 34)', async () => {
    const { jobs } = queues();
    for (let i = 0; i < 1_000; i++) {
      const wait = jobs.take([`a-${i}`, `b-${i}`], NEVER);
      jobs.put(`b-${i}`, i);
      await wait;
      jobs.put(`c-${i}`, i);
      jobs.tryTake([`c-${i}`]);
      jobs.putAll(`d-${i}`, []);
      checkPurgatoryInvariants(jobs); // that only one idle line is kept
    }
  });

  it('keep items of any value', () => {
    const jobs = new Queues<unknown>('values');
    for (const value of [undefined, null, 0, Number.NaN]) jobs.put('a', value);
    for (const value of [undefined, null, 0]) expect(jobs.tryTake(['a'])).to.deep.include({ value });
    expect([jobs.remove('a', '0'), jobs.remove('a', Number.NaN), jobs.size]).to.deep.equal([false, true, 0]);
    jobs.put('a', undefined, { afterMs: 5 });
    expect([jobs.remove('a', undefined), jobs.remove('a', undefined)]).to.deep.equal([true, false]);
    jobs.close();
  });

  it('refuse bad arguments with the codes of Node, before anything has changed', async () => {
    refuses(() => new Queues(undefined as never), 'ERR_INVALID_ARG_TYPE');
    refuses(() => new Queues('jobs', { maxItems: 0 }), 'ERR_OUT_OF_RANGE');
    refuses(() => new Queues('jobs', { maxParked: 0.5 }), 'ERR_OUT_OF_RANGE');
    const { jobs } = queues();
    const bad: [unknown, unknown, string][] = [
      ['a', SOON, 'ERR_INVALID_ARG_TYPE'],
      [[], SOON, 'ERR_INVALID_ARG_VALUE'],
      [[undefined], SOON, 'ERR_INVALID_ARG_VALUE'],
      [['a', undefined], SOON, 'ERR_INVALID_ARG_VALUE'],
    ];
    for (const [keys, options, code] of bad) {
      await rejects(jobs.take(keys as never, options as never), code);
    }
    for (const max of [undefined, 0, 1.5, '1']) {
      const code = await codeOfRejection(jobs.takeMany(['a'], { ...SOON, max: max as never }));
      expect(code).to.be.oneOf(['ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE']);
    }
    for (const put of ['put', 'putBack', 'putAll'] as const) {
      refuses(() => jobs[put](undefined as never, [] as never), 'ERR_INVALID_ARG_VALUE');
    }
    refuses(() => jobs.putAll('a', 7 as never), 'ERR_INVALID_ARG_TYPE');
    for (const refused of [
      () => jobs.tryTake([]),
      () => jobs.remove(undefined as never, 2),
      () => jobs.clear(undefined as never),
    ]) {
      refuses(refused, 'ERR_INVALID_ARG_VALUE');
    }
    expect([jobs.numDelayed, jobs.size]).to.deep.equal([0, 0]);
    checkPurgatoryInvariants(jobs);
  });
});
