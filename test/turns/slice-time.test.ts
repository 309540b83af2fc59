import { nextTick } from 'node:process';
import { expect } from 'chai';
import sinon from 'sinon';
import { systemClock } from '../../src/index.ts';
import { SliceTime } from '../../src/turns/slice-time.ts';
import { microtasks, turn } from '../support/turns.ts';

/** The time of a slice, by a clock that the test moves. */
function sliceTime({ isHosts }: { isHosts: boolean }) {
  const clock = { nowMs: 1_000, now: () => clock.nowMs };
  if (isHosts) sinon.stub(systemClock, 'now').callsFake(clock.now);
  const time = new SliceTime(isHosts ? systemClock : clock, () => true);
  const begin = (): number => {
    time.begin(false);
    return time.usedMs;
  };
  const pass = (ms: number): void => {
    clock.nowMs += ms;
  };
  return { time, begin, pass };
}

/** Resolves when the slice has noted the end of the callback. */
async function callbackEnd(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => nextTick(resolve));
}

describe('The time of a slice, on the host’s own time', () => {
  afterEach(() => sinon.restore());

  it('counts all that a callback of the host and its microtasks take', async () => {
    const { begin, pass } = sliceTime({ isHosts: true });
    expect(begin()).to.equal(0);
    for (let i = 1; i <= 5; i++) {
      pass(3);
      await microtasks();
      expect(begin()).to.equal(3 * i);
    }
  });

  it('counts nothing of what other callbacks of the turn take', async () => {
    const { begin, pass } = sliceTime({ isHosts: true });
    begin();
    pass(3);
    await callbackEnd();
    pass(20); // a callback in which nothing begins
    expect(begin()).to.equal(3);
    pass(2);
    expect(begin()).to.equal(5);
  });

  it('ends with the turn of the host', async () => {
    const { begin, pass } = sliceTime({ isHosts: true });
    begin();
    pass(6);
    expect(begin()).to.equal(6);
    await turn();
    expect(begin()).to.equal(0);
  });

  it('begins anew when it is asked to', () => {
    const { time, begin, pass } = sliceTime({ isHosts: true });
    begin();
    pass(6);
    time.beginAnew();
    expect(time.usedMs).to.equal(0);
  });

  it('goes on after less than a millisecond, and awaits a turn once a millisecond is used', async () => {
    const { begin, pass } = sliceTime({ isHosts: true });
    begin();
    await turn(); // the callback is over, and next to nothing was used
    pass(0.75);
    expect(begin()).to.equal(0.75);
    await turn();
    pass(0.75);
    expect(begin()).to.equal(1.5);
    await turn();
    pass(0.75);
    expect(begin()).to.equal(0.75);
  });

  it('has a few free steps in each callback, and no more of them in what follows in microtasks', async () => {
    const { time, pass } = sliceTime({ isHosts: true });
    let steps = 0;
    for (; time.isFree && steps < 100; steps++) {
      time.count(1);
      pass(2);
      await microtasks();
    }
    expect(steps).to.equal(16);
    await callbackEnd();
    expect(time.isFree).to.equal(true);
  });

  it('has free steps without end where they take next to no time', async () => {
    const { time } = sliceTime({ isHosts: true });
    time.begin(false);
    await turn();
    for (let i = 0; i < 100; i++) {
      expect(time.isFree, `after ${i}`).to.equal(true);
      time.count(1);
      await microtasks();
    }
  });
});

describe('The time of a slice, on a clock that may be moved in a turn', () => {
  it('goes on with work under way, and after less than a millisecond', () => {
    const { time, begin, pass } = sliceTime({ isHosts: false });
    begin();
    pass(0.75);
    expect(begin()).to.equal(0.75);
    pass(3);
    time.begin(true);
    expect(time.usedMs).to.equal(3.75);
    pass(1);
    expect(begin()).to.equal(0);
  });

  it('keeps what is used when the clock goes back', () => {
    const { time, begin, pass } = sliceTime({ isHosts: false });
    begin();
    pass(3);
    time.read();
    pass(-500);
    expect(time.read()).to.equal(0);
    expect(begin()).to.equal(3);
    pass(0.5);
    expect([time.read(), time.usedMs]).to.deep.equal([0.5, 3.5]);
  });
});
