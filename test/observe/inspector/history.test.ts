import { expect } from 'chai';
import type { Second } from '../../../src/observe/inspector/frame.ts';
import { endedWithin, latenessWithin, ratesOf } from '../../../src/observe/inspector/page/data/history.ts';
import { frames } from './frames.ts';

const growing = frames(41, (index) => ({
  purgatory: { totals: { completed: 25 * index, expired: index < 20 ? 0 : 100, cancelled: 0, failed: 0 } },
}));

describe('what the inspector reckons from its frames', () => {
  it('takes rates from the totals of the last two seconds', () => {
    const { atS, completed, expired } = ratesOf(growing, undefined);
    expect([atS[0], atS[40]]).to.deep.equal([-10, 0]);
    expect(completed[0]).to.equal(0);
    expect(completed.slice(1).every((each) => each === 100)).to.equal(true);
    expect([expired[19], expired[20], expired[27], expired[28]]).to.deep.equal([0, 50, 50, 0]);
  });

  it('loses nothing when frames got lost', () => {
    const { completed } = ratesOf(
      growing.filter((_, index) => index < 30 || index > 35),
      undefined,
    );
    expect(completed.at(-1)).to.equal(100);
  });

  it('counts the ends of the chosen purgatory in a span', () => {
    expect(endedWithin(growing, 'fetch', 5000)).to.include({ completed: 500, expired: 0 });
    expect(endedWithin(growing, undefined, 60_000)).to.include({ completed: 1000, expired: 100 });
    expect(endedWithin(growing, 'another', 60_000)).to.include({ completed: 0, expired: 0 });
  });

  it('counts a purgatory that comes from nothing, and one that goes no more', () => {
    const totals = (completed: number) => ({ completed, expired: 0, cancelled: 0, failed: 0 });
    const changing = frames(9, (index) => ({ purgatory: { totals: totals(10 * index) } })).map(
      (frame, index) => {
        const [fetch] = frame.purgatories;
        if (index < 4) return frame;
        const late = { ...fetch, name: 'late', totals: totals(7) };
        return { ...frame, purgatories: index < 8 ? [fetch, late] : [late] };
      },
    );
    expect(endedWithin(changing.slice(0, 8), undefined, 60_000).completed).to.equal(77);
    expect(endedWithin(changing, undefined, 60_000).completed).to.equal(7);
    expect(ratesOf(changing, undefined).completed.every((rate) => rate >= 0)).to.equal(true);
  });

  it('begins the last minute with the seconds that the server kept before the first frame', () => {
    const [first] = frames(1);
    const second = (ago: number, completed: number): Second => ({
      number: 100 - ago,
      wallMs: first.wallMs - 1000 * ago,
      overMs: 1000,
      host: first.host,
      purgatories: { fetch: [1, completed, 0, 0, 0], another: [1, 9, 0, 0, 0] },
      timers: {},
    });
    const seconds = [second(70, 1), second(2, 40), second(1, 50)];
    const opened = ratesOf(frames(1), 'fetch', seconds);
    expect(opened.atS).to.deep.equal([-2, -1]);
    expect(opened.completed).to.deep.equal([40, 50]);
    const later = ratesOf(frames(5), undefined, seconds);
    expect(later.atS).to.deep.equal([-3, -2, -0.75, -0.5, -0.25, 0]);
    expect(later.completed).to.deep.equal([49, 59, 0, 0, 0, 0]);
    expect(endedWithin(frames(5), 'fetch', 60_000, seconds).completed).to.equal(90);
  });

  it('has no lateness of a timer that is not there', () => {
    expect(latenessWithin(growing, 'gone', 1000)).to.deep.equal([]);
    expect(latenessWithin(growing, 'wheels', 1000)).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
