import { expect } from 'chai';
import type { EndTotals } from '../../src/inspector/frame.ts';
import { judge } from '../../src/inspector/page/data/verdict.ts';
import { type Change, frames } from './frames.ts';

const totals = (more: Partial<EndTotals>): Change => ({
  purgatory: { totals: { completed: 0, expired: 0, cancelled: 0, failed: 0, ...more } },
});

/** What the verdict warns of, by name, with its tone. */
function warned(count: number, change: (index: number) => Change, chosen?: string): string[] {
  return judge(frames(count, change), chosen).warnings.map(({ tone, what }) => `${tone}: ${what}`);
}

describe('the verdict of the inspector', () => {
  it('says that all is quiet when nothing is parked, and that all is well when something is', () => {
    expect(judge(frames(1), undefined)).to.include({ tone: 'well', headline: 'All is quiet' });
    const busy = frames(1, () => ({ purgatory: { parked: 3 } }));
    expect(judge(busy, undefined)).to.include({ tone: 'well', headline: 'All is well' });
  });

  it('warns of an event loop that was blocked within the last ten seconds, and no longer after', () => {
    const blockedFor = (blockedMs: number, at: number) => (index: number) =>
      index === at ? { blockedMs } : {};
    expect(warned(50, blockedFor(99, 40))).to.deep.equal([]);
    expect(warned(50, blockedFor(100, 40))).to.deep.equal(['warn: the event loop was blocked']);
    expect(warned(50, blockedFor(1000, 40))).to.deep.equal(['bad: the event loop was blocked']);
    expect(warned(50, blockedFor(1000, 2))).to.deep.equal([]);
  });

  it('warns of a timer of which one task in a hundred ran late, by what ran in the last ten seconds', () => {
    const counts = (fast: number, late: number): Change => ({
      timer: {
        lateness: {
          leMs: [1, 2, 4, 8, 16, 32, 64, 128],
          counts: [fast, 0, 0, 0, 0, 0, 0, late, 0],
        },
      },
    });
    expect(warned(50, (index) => counts(index * 1000, index * 5))).to.deep.equal([]);
    expect(warned(50, (index) => counts(index * 1000, index * 15))).to.deep.equal([
      'warn: the timer runs late',
    ]);
    expect(warned(50, (index) => counts(index * 1000, 5000))).to.deep.equal([]);
  });

  it('names a busy machine when the process was ready to run and got no CPU, for a block and for lateness alike', () => {
    const late = (index: number) => ({
      lateness: { leMs: [1, 2, 4, 8, 16, 32, 64, 128], counts: [99 * index, 0, 0, 0, 0, 0, 0, 2 * index, 0] },
    });
    const starved = { blockedMs: 90, cpuMs: 12, waitedMs: 200 };
    const busy = judge(
      frames(30, (index) => ({ timer: late(index), ...(index === 20 ? starved : {}) })),
      undefined,
    );
    expect(busy.warnings.map(({ what }) => what)).to.deep.equal(['the machine is busy']);
    expect(busy.detail).to.match(
      /stood still for 90\sms.*one task in a hundred ran up to 128\sms.*got no CPU/,
    );
    const block = (host: Change) => warned(30, (index) => (index === 20 ? host : {}));
    expect(block({ ...starved, blockedMs: 300, waitedMs: 280 })).to.deep.equal(['warn: the machine is busy']);
    expect(block({ blockedMs: 300, waitedMs: null, cpuMs: 20, load: 4 })).to.deep.equal([
      'warn: the machine is busy',
    ]);
    expect(block({ blockedMs: 300, waitedMs: 280, cpuMs: 290 })).to.deep.equal([
      'warn: the event loop was blocked',
    ]);
    expect(block({ blockedMs: 300, waitedMs: null, cpuMs: 20, load: 0.5 })).to.deep.equal([
      'warn: the event loop was blocked',
    ]);
  });

  it('blames the timer only for more than the event loop itself was late', () => {
    const late = (blockedMs: number) => (index: number) => ({
      timer: { lateness: { leMs: [1, 2, 4, 8, 16, 32, 64, 128], counts: [0, 0, 0, 0, 0, 0, 0, index, 0] } },
      ...(index === 20 ? { blockedMs, cpuMs: 240 } : {}),
    });
    expect(warned(30, late(63))).to.deep.equal(['warn: the timer runs late']);
    expect(warned(30, late(64))).to.deep.equal(['warn: the event loop was blocked']);
  });

  it('tells for a minute how long the server hung, and not besides that the event loop was blocked', () => {
    const told = frames(60, (index) => (index === 10 ? { blockedMs: 30_000, cpuMs: 3 } : {}));
    const hang = { forMs: 30_000, atMs: told[10].atMs, wallMs: told[10].wallMs, host: told[10].host };
    const verdict = judge(told.slice(0, 12), undefined, hang);
    expect(verdict.headline).to.match(/^Something is wrong: the server hung for 30\ss$/);
    expect(verdict.detail).to.match(/^Nothing came for 30\ss, until \d\d:\d\d:\d\d: .*used no CPU/);
    expect(verdict.warnings).to.have.lengthOf(1);
    expect(judge(told.slice(-1), undefined, { ...hang, atMs: told[59].atMs - 60_001 }).tone).to.equal('well');
    expect(judge(told.slice(-1), undefined, { ...hang, host: undefined }).headline).to.equal(
      'All is well, with a remark: the connection was interrupted',
    );
  });

  it('calls a deadline that passed a second ago unanswered bad', () => {
    const left = (leftMs: number | null) => () => ({
      purgatory: { oldest: [{ id: null, type: 'Op', keys: ['a'], more: 0, ageMs: 5000, leftMs }] },
    });
    expect(warned(1, left(-999))).to.deep.equal([]);
    expect(warned(1, left(null))).to.deep.equal([]);
    expect(warned(1, left(-1000))).to.deep.equal(['bad: a deadline has passed unanswered']);
  });

  it('warns of a purgatory that is nearly full', () => {
    expect(warned(1, () => ({ purgatory: { parked: 89, maxParked: 100 } }))).to.deep.equal([]);
    expect(warned(1, () => ({ purgatory: { parked: 90, maxParked: 100 } }))).to.deep.equal([
      'warn: purgatory \u2068fetch\u2069 is nearly full',
    ]);
  });

  it('warns of operations that throw', () => {
    expect(warned(50, (index) => totals({ failed: index > 20 ? 1 : 0 }))).to.deep.equal([
      'warn: operations throw',
    ]);
    expect(warned(50, (index) => totals({ failed: index > 2 ? 1 : 0 }))).to.deep.equal([]);
  });

  it('warns of a key that only grows for ten seconds', () => {
    const watchers = (of: (index: number) => number) => (index: number) => ({
      purgatory: { hottestKeys: [{ key: 'orders-0', watchers: of(index) }] },
    });
    expect(
      warned(
        50,
        watchers((index) => 100 + index),
      ),
    ).to.deep.equal(['warn: a key grows without completion']);
    expect(
      warned(
        50,
        watchers((index) => (index === 45 ? 1 : 100 + index)),
      ),
    ).to.deep.equal([]);
    expect(
      warned(
        50,
        watchers((index) => 100 + index / 10),
      ),
    ).to.deep.equal([]);
    expect(
      warned(
        20,
        watchers((index) => 100 + index * 10),
      ),
    ).to.deep.equal([]);
  });

  it('remarks that most operations expire, once there are enough to say so', () => {
    const remark = ['note: most operations run into their deadline'];
    expect(warned(8, (index) => totals({ completed: index, expired: 2 * index }))).to.deep.equal(remark);
    expect(warned(8, (index) => totals({ completed: 2 * index, expired: index }))).to.deep.equal([]);
    expect(warned(3, (index) => totals({ expired: index }))).to.deep.equal([]);
  });

  it('tells the worst first, and of the chosen purgatory only', () => {
    const both = (index: number): Change => ({
      blockedMs: 150,
      purgatory: {
        parked: 95,
        maxParked: 100,
        oldest: [{ id: null, type: 'Op', keys: [], more: 0, ageMs: 1, leftMs: -index - 2000 }],
      },
    });
    const verdict = judge(frames(5, both), 'fetch');
    expect(verdict.headline).to.equal('Something is wrong: a deadline has passed unanswered');
    expect(verdict.warnings.map(({ tone }) => tone)).to.deep.equal(['bad', 'warn', 'warn']);
    expect(verdict.detail).to.match(/^An operation of \u2068fetch\u2069 is still parked/);
    expect(warned(5, both, 'another')).to.deep.equal(['warn: the event loop was blocked']);
  });
});
