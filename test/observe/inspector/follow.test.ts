import { expect } from 'chai';
import type { Timeline } from '../../../src/observe/inspector/frame.ts';
import { type Followed, follow } from '../../../src/observe/inspector/page/data/follow.ts';

function life(id: number, end?: 'completed' | 'expired'): Timeline {
  const events = [{ afterMs: 0, what: 'parked' as const }, ...(end ? [{ afterMs: 5, what: end }] : [])];
  return { id, purgatory: 'fetch', type: 'Op', keys: ['a'], ageMs: 5, events, untold: 0 };
}

const shown = (followed: Followed | undefined): number | undefined => followed?.timeline.id;

describe('the life that the inspector shows', () => {
  it('is the last that ended, or else the oldest under way', () => {
    expect(follow(undefined, [], 0)).to.equal(undefined);
    expect(shown(follow(undefined, [life(1), life(2)], 0))).to.equal(1);
    expect(shown(follow(undefined, [life(1, 'expired'), life(2, 'completed'), life(3)], 0))).to.equal(2);
  });

  it('is seen to its end, and stays a while', () => {
    let followed = follow(undefined, [life(1), life(2)], 0);
    followed = follow(followed, [life(1, 'completed'), life(2, 'expired')], 10_000);
    expect(followed?.timeline.events).to.have.lengthOf(2);
    followed = follow(followed, [life(2, 'expired')], 15_000);
    expect(shown(followed)).to.equal(1);
    expect(shown(follow(followed, [life(2, 'expired')], 16_000))).to.equal(2);
  });

  it('gives way when it is followed no more, or does not end for half a minute', () => {
    const followed = follow(undefined, [life(1)], 0);
    expect(shown(follow(followed, [life(2)], 100))).to.equal(2);
    expect(shown(follow(followed, [life(1), life(2, 'completed')], 29_999))).to.equal(1);
    expect(shown(follow(followed, [life(1), life(2, 'completed')], 30_000))).to.equal(2);
  });

  it('is what the reader chose for as long as the page lives', () => {
    const chosen = { timeline: life(1), isChosen: true, untilMs: 0 };
    expect(shown(follow(chosen, [life(2, 'completed')], 1e9))).to.equal(1);
    const ended = follow(chosen, [life(1, 'expired')], 1e9);
    expect(ended?.timeline.events).to.have.lengthOf(2);
  });
});
