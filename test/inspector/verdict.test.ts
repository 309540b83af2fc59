import { expect } from 'chai';
import type { EndTotals } from '../../src/inspector/frame.ts';
import { judge } from '../../src/inspector/page/verdict.ts';
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

  it('calls a deadline that passed a second ago unanswered bad', () => {
    const left = (leftMs: number | null) => () => ({
      purgatory: { oldest: [{ type: 'Op', keys: ['a'], ageMs: 5000, leftMs }] },
    });
    expect(warned(1, left(-999))).to.deep.equal([]);
    expect(warned(1, left(null))).to.deep.equal([]);
    expect(warned(1, left(-1000))).to.deep.equal(['bad: a deadline has passed unanswered']);
  });

  it('warns of a purgatory that is nearly full', () => {
    expect(warned(1, () => ({ purgatory: { parked: 89, maxParked: 100 } }))).to.deep.equal([]);
    expect(warned(1, () => ({ purgatory: { parked: 90, maxParked: 100 } }))).to.deep.equal([
      'warn: fetch is nearly full',
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
        oldest: [{ type: 'Op', keys: [], ageMs: 1, leftMs: -index - 2000 }],
      },
    });
    const verdict = judge(frames(5, both), 'fetch');
    expect(verdict.headline).to.equal('Something is wrong: a deadline has passed unanswered');
    expect(verdict.warnings.map(({ tone }) => tone)).to.deep.equal(['bad', 'warn', 'warn']);
    expect(verdict.detail).to.match(/^An operation of fetch .* 2 more warnings below\.$/);
    expect(warned(5, both, 'another')).to.deep.equal(['warn: the event loop was blocked']);
  });
});
