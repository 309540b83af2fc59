import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import sinon from 'sinon';
import { ManualClock, systemClock } from '../../src/index.ts';
import { TurnSlice } from '../../src/turns/turn-slice.ts';
import type { Work } from '../../src/turns/work-queue.ts';
import { turn, until } from '../support/turns.ts';

/**
 * Works of one slice: `log` has their names, a letter for each batch, and `took` the times that
 * they were told. A batch takes `ms`, and the microtasks after it `afterMs`.
 */
function works(ms: number, { afterMs = 0, sliceMs = 5, isHosts = false } = {}) {
  const clock = new ManualClock();
  if (isHosts) sinon.stub(systemClock, 'now').callsFake(() => clock.now());
  const slice = new TurnSlice(isHosts ? systemClock : clock);
  const log: string[] = [];
  const took: string[] = [];
  const work = (name: string, batches: number, of: Partial<Work> = {}): Work => {
    let left = batches;
    const after = (): void => {
      log.push(',');
      clock.advance(afterMs);
    };
    const doBatch = (): boolean => {
      log.push(name);
      clock.advance(ms);
      if (afterMs > 0) void Promise.resolve().then(after);
      return --left > 0;
    };
    return {
      sliceMs,
      steps: 1,
      mostAnswers: 64,
      hasAnswered: afterMs > 0,
      mustYield: false,
      doBatch,
      didYield: () => void log.push('|'),
      took: (time) => void took.push(name + time),
      ...of,
    };
  };
  return { clock, slice, work, took, letters: () => log.join('') };
}

describe('The slice of a turn', () => {
  afterEach(() => sinon.restore());

  it('does the batches of all work in turn, and no more of them in a turn than of one', async () => {
    const { slice, work, letters } = works(1);
    for (const name of ['a', 'b', 'c']) slice.add(work(name, 4));
    await turn();
    expect(letters()).to.match(/^abcab\|+$/);
    await turn();
    expect(letters().replaceAll('|', '')).to.equal('abcabcabca');
    await turn();
    expect(letters().replaceAll('|', '')).to.equal('abcabcabcabc');
  });

  it('lets deadlines and all other work take turns, however much there is of one kind', async () => {
    const { slice, work, letters } = works(1);
    for (const name of ['a', 'b', 'c', 'd']) slice.add(work(name, 2));
    slice.add(work('T', 3, { isOfTimer: true }));
    await turn();
    expect(letters()).to.match(/^TaTbT\|+$/);
    slice.add(work('U', 2, { isOfTimer: true }));
    await turn();
    expect(letters().replaceAll('|', '')).to.equal('TaTbTcUdUa');
    await turn();
    expect(letters().replaceAll('|', '')).to.equal('TaTbTcUdUabcd');
  });

  it('starves neither kind, where each batch takes longer than a slice', async () => {
    const { slice, work, letters } = works(6);
    for (const name of ['a', 'b', 'c']) slice.add(work(name, 2));
    slice.add(work('T', 4, { isOfTimer: true }));
    for (let i = 0; i < 8; i++) await turn();
    expect(letters().replaceAll('|', '')).to.equal('TaTbTcTa');
  });

  it('gives the new slice of a turn to who has waited longest, whatever its kind and its slice', async () => {
    const { clock, slice, work, letters } = works(3);
    slice.add(work('X', 1, { isOfTimer: true }));
    await turn(); // now the other kind is next
    clock.advance(2);
    slice.add(work('E', 9));
    slice.add(work('B', 2, { isOfTimer: true, sliceMs: 1 }));
    slice.add(work('A', 9, { isOfTimer: true }));
    for (let i = 0; i < 6; i++) await turn();
    expect(letters().match(/B/g)).to.have.length(2);
  });

  it('lets the microtasks run after a batch that answered somebody, and times them with it', async () => {
    const { slice, work, letters, took } = works(1, { afterMs: 2, sliceMs: 50 });
    slice.add(work('a', 2));
    slice.add(work('b', 2));
    await turn();
    expect(letters()).to.equal('a,b,a,b,');
    expect(took, 'nobody is told of a last batch').to.deep.equal(['a3', 'b3']);
  });

  it('reads no clock for the first few steps of a turn, and one clock for all that begins unread', async () => {
    let readings = 0;
    const slice = new TurnSlice({ now: () => ++readings / 1e6 });
    const { work, letters } = works(0);
    for (let i = 0; i < 16; i++) slice.startUnread(work('a', 1));
    expect([letters(), readings]).to.deep.equal(['a'.repeat(16), 0]);
    slice.startUnread(work('b', 1));
    slice.startUnread(work('c', 1));
    expect([letters(), readings], 'they wait for the microtasks').to.deep.equal(['a'.repeat(16), 1]);
    await turn();
    expect(letters()).to.equal(`${'a'.repeat(16)}bc`);
    slice.startUnread(work('d', 1));
    expect(letters().at(-1), 'another turn').to.equal('d');
  });

  it('does a few steps of other work at once, while work waits for the next turn', async () => {
    const { slice, work, letters } = works(6);
    slice.start(work('a', 2));
    slice.startUnread(work('b', 1));
    expect(letters()).to.equal('a|b');
    slice.startUnread(work('c', 2));
    expect(letters()).to.equal('a|bc');
    await turn();
    expect(letters()).to.equal('a|bca|');
    await turn();
    expect(letters()).to.equal('a|bca|c');
  });

  it('times each batch for the work that did it, and none for work that has ended', async () => {
    const { clock, slice, work, took } = works(1, { sliceMs: 50 });
    slice.add(work('a', 2));
    slice.add(work('b', 2));
    await turn();
    expect(took).to.deep.equal(['a1', 'b1']);
    slice.start(work('c', 1));
    slice.add(work('d', 1));
    await turn();
    expect(took.slice(2)).to.deep.equal([]);
    slice.startUnread(work('e', 2));
    clock.advance(4); // what runs before the microtasks
    await turn();
    expect(took.slice(2)).to.deep.equal(['e4']);
  });

  it('lasts until the next turn of the host, also while nothing is left to do', async () => {
    const { slice, work, letters } = works(1, { isHosts: true });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      slice.start(work(name, 1)); // what an answer of the last one causes
      await undefined;
    }
    expect(letters()).to.equal('abcde|');
    await turn();
    expect(letters()).to.equal('abcde|f');
  });

  it('counts the last batch of a work, with what ran after it, for the work that begins next', async () => {
    const { slice, work, letters } = works(3, { afterMs: 3 });
    slice.start(work('a', 1));
    for (let i = 0; i < 5; i++) await undefined; // as many microtasks as it waits
    slice.start(work('b', 1)); // what the host calls next in the same turn
    expect(letters()).to.equal('a,|');
    await turn();
    expect(letters()).to.equal('a,|b,');
  });

  it('begins no other slice while work goes on after the microtasks', async () => {
    const { slice, work, letters } = works(0, { afterMs: 6 });
    slice.start(work('a', 2));
    await undefined; // 6 ms have passed
    slice.begin(); // as an event does that is served at once
    for (let i = 0; i < 5; i++) await undefined;
    expect(letters()).to.equal('a,|');
  });

  it('goes on outside of the async context that began it', async () => {
    const { slice, work } = works(0);
    const requests = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const doBatch = (): boolean => seen.push(requests.getStore()) < 3;
    requests.run('request', () => slice.start(work('a', 1, { doBatch, mustYield: true })));
    await until(() => seen.length === 3);
    expect(seen).to.deep.equal(['request', undefined, undefined]);
  });

  it('goes on with work without an end of its slice, while the rest waits', async () => {
    const { slice, work, letters } = works(3);
    slice.add(work('a', 3));
    slice.add(work('b', 4, { sliceMs: Number.POSITIVE_INFINITY }));
    await turn();
    expect(letters()).to.equal('ab|bbb');
    await turn();
    expect(letters()).to.equal('ab|bbbaa');
  });

  it('has work that must yield wait for the next turn, though the slice is not spent', async () => {
    const { slice, work, letters } = works(0);
    slice.add(work('a', 3, { mustYield: true }));
    slice.add(work('b', 3));
    await turn();
    expect(letters()).to.equal('a|bbb');
    await turn();
    expect(letters()).to.equal('a|bbba|');
    await turn();
    expect(letters()).to.equal('a|bbba|a');
  });

  it('goes on in the next turn with what has thrown, and with all other work', async () => {
    const { slice, work, letters } = works(0);
    const good = work('a', 2);
    let calls = 0;
    const doBatch = (isTimed: boolean): boolean => {
      if (++calls === 1) throw new Error('boom');
      return good.doBatch(isTimed);
    };
    slice.startUnread(work('c', 1));
    expect(() => slice.start(work('b', 1, { doBatch }))).to.throw('boom');
    slice.add(work('d', 1));
    await turn();
    expect([letters(), calls]).to.deep.equal(['c|ada', 3]);
  });

  it('goes on in the next turn when the clock throws', async () => {
    for (const failing of [1, 2]) {
      let readings = 0;
      const now = (): number => {
        if (++readings === failing) throw new Error('no time');
        return 0;
      };
      const slice = new TurnSlice({ now });
      const { work, letters } = works(0);
      expect(() => slice.start(work('a', 3))).to.throw('no time');
      slice.add(work('b', 2));
      await turn();
      expect(letters().replaceAll('|', '')).to.have.length(5);
    }
  });

  it('lets the first promises of a turn settle in the calls that end them, and those of a batch', async () => {
    const { slice, work } = works(0);
    const settled = (): number => {
      let count = 0;
      while (slice.takeAtOnce()) count++;
      return count;
    };
    expect([settled(), settled()]).to.deep.equal([16, 0]);
    await turn();
    let inBatch = 0;
    const doBatch = (): boolean => {
      inBatch = settled();
      return false;
    };
    slice.startUnread(work('a', 1, { doBatch }));
    expect(inBatch).to.equal(64);
    await turn();
    expect(settled(), 'the step of the batch was one of the few').to.equal(15);
  });
});
