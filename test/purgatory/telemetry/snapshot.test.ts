import { expect } from 'chai';
import { SystemTimer } from '../../../src/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { hall, Op } from '../../support/op.ts';

describe('purgatory.snapshot()', () => {
  it('tells what is parked, on how many keys, and the limit', () => {
    const { purgatory, park } = hall({ maxParked: 5 });
    park('a', ['k', 'l']);
    park('b', ['k']);
    expect(purgatory.snapshot()).to.deep.include({
      name: 'test',
      parked: 2,
      watched: 3,
      watchedKeys: 2,
      maxParked: 5,
    });
    expect(hall().purgatory.snapshot().maxParked).to.equal(null);
  });

  it('counts each operation in one of the ways in which it left', async () => {
    const { clock, purgatory, park } = hall();
    const fail = (): never => expect.fail('on purpose');
    park('completed, and failed besides', ['k'], { onCompleted: fail }).ready = true;
    purgatory.checkAndComplete('k');
    park('forced', ['k']).forceComplete();
    park('expired', ['k'], { delayMs: 10 });
    park('cancelled', ['k']).cancel();
    park('for key', ['m']);
    purgatory.cancelForKey('m');
    const abort = new AbortController();
    const wait = purgatory.waitFor(['k'], () => undefined, { timeoutMs: 50, signal: abort.signal });
    abort.abort();
    await wait.catch(() => {});
    const down = async (): Promise<never> => {
      throw new Error('down');
    };
    await purgatory.waitFor(['k'], down, { timeoutMs: 50 }).catch(() => {});
    clock.advance(10);
    park('parked', ['k']);
    expect(purgatory.snapshot().totals).to.deep.equal({
      parked: 8,
      completed: 2,
      expired: 1,
      cancelled: 3,
      rejected: 1,
      failed: 1,
    });
  });

  it('tells the oldest first, with age, deadline, keys in the order given, and class', () => {
    const { clock, purgatory, park } = hall();
    clock.advance(1_000);
    park('a', ['k', 'l', 'm'], { delayMs: 5_000 });
    clock.advance(100);
    park('b', ['m', 'k']);
    clock.advance(50);
    park('c', ['k'], { delayMs: 10 });
    expect(purgatory.snapshot({ top: 2 }).oldest).to.deep.equal([
      { ageMs: 150, deadlineMs: 6_000, keys: ['k', 'l', 'm'], type: 'Op' },
      { ageMs: 50, deadlineMs: null, keys: ['m', 'k'], type: 'Op' },
    ]);
  });

  it('knows the keys of an operation in the middle of long lists', () => {
    const { purgatory, park } = hall();
    for (let i = 0; i < 100; i++) park(`${i}`, [`own ${i}`, 'all', `mod ${i % 3}`]);
    const { oldest } = purgatory.snapshot({ top: 100 });
    expect(oldest.map(({ keys }) => keys)).to.deep.equal(
      Array.from({ length: 100 }, (_, i) => [`own ${i}`, 'all', `mod ${i % 3}`]),
    );
  });

  it('tells the hottest keys, whose watchers it counts to the end', () => {
    const { purgatory, park } = hall();
    for (let i = 0; i < 30_000; i++) park('', [`cold ${i}`, i % 3 === 0 ? 'hot' : 'hotter']);
    expect(purgatory.snapshot({ top: 3 }).hottestKeys).to.deep.equal([
      { key: 'hotter', watchers: 20_000 },
      { key: 'hot', watchers: 10_000 },
      { key: 'cold 0', watchers: 1 },
    ]);
  });

  it('finds a hot key among more keys than it looks at in one snapshot', () => {
    const { purgatory, park } = hall();
    for (let i = 0; i < 9_000; i++) park('', [`${i}`]);
    for (let i = 0; i < 5; i++) park('', ['8500']);
    const seen = Array.from({ length: 3 }, () => purgatory.snapshot({ top: 1 }).hottestKeys[0]);
    expect(seen).to.deep.include({ key: '8500', watchers: 6 });
  });

  it('shows keys of any type as one short line, without running their code', () => {
    const { purgatory, park } = hall();
    const keys: unknown[] = [
      { topic: 'orders', partition: 3 },
      undefined,
      7n,
      Symbol('s'),
      'x'.repeat(200),
      {
        toString: () => expect.fail('ran'),
        get field() {
          return expect.fail('ran');
        },
      },
    ];
    for (const key of keys) park('', [key]);
    const shown = purgatory.snapshot().hottestKeys.map(({ key }) => key);
    expect(shown.slice(0, 4)).to.deep.equal(['[Object]', 'undefined', '7n', 'Symbol(s)']);
    expect(shown[4]).to.equal(`${'x'.repeat(99)}…`);
    expect(shown[5]).to.have.length.at.most(100);
  });

  it('is plain JSON of bounded size and changes nothing', () => {
    const { purgatory, timer, park } = hall();
    for (let i = 0; i < 10_000; i++) park('', [`a long name for a key ${i}`, 'k'], { delayMs: i });
    const before = [purgatory.numDelayed, purgatory.watched, timer.size];
    const snapshot = purgatory.snapshot({ top: 100 });
    expect(JSON.parse(JSON.stringify(snapshot))).to.deep.equal(snapshot);
    expect(JSON.stringify(snapshot)).to.have.length.below(30_000);
    expect([purgatory.numDelayed, purgatory.watched, timer.size]).to.deep.equal(before);
  });

  it('tells the same of a threshold purgatory, by what is still waited for', () => {
    const { clock } = hall();
    const timer = new SystemTimer({ clock });
    const offsets = new ThresholdPurgatory<string, number, Op>('offsets', { timer });
    offsets.tryCompleteElseWatch(new Op('a', { delayMs: 100 }), [
      ['k', 1],
      ['l', 2],
    ]);
    offsets.tryCompleteElseWatch(new Op('b'), [['k', 9]]);
    clock.advance(40);
    const snapshot = offsets.snapshot({ top: 1 });
    expect(snapshot).to.include({ name: 'offsets', parked: 2, watched: 3, watchedKeys: 2 });
    expect(snapshot.hottestKeys).to.deep.equal([{ key: 'k', watchers: 2 }]);
    expect(snapshot.oldest).to.deep.equal([{ ageMs: 40, deadlineMs: 100, keys: ['k', 'l'], type: 'Op' }]);
    offsets.advance('k', 1);
    expect(offsets.snapshot({ top: 1 }).oldest[0].keys).to.deep.equal(['l']);
    expect(offsets.snapshot({ top: 0 }).oldest).to.deep.equal([]);
  });
});
