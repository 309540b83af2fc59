import { expect } from 'chai';
import { ManualClock } from '../../src/index.ts';

describe('ManualClock', () => {
  function logged(clock: ManualClock): {
    log: string[];
    at: (label: string, ms: number, then?: () => void) => () => void;
  } {
    const log: string[] = [];
    return {
      log,
      at(label, ms, then) {
        const wakeUp = clock.wakeAt(ms, () => {
          log.push(`${label}@${clock.now()}`);
          then?.();
        });
        return () => wakeUp.cancel();
      },
    };
  }

  it('stands at 0, or where it is told to start', () => {
    expect(new ManualClock().now()).to.equal(0);
    expect(new ManualClock(1234.5).now()).to.equal(1234.5);
    expect(new ManualClock(-5).now()).to.equal(-5);
  });

  it('moves by advance alone, by fractions too', () => {
    const clock = new ManualClock(10);
    clock.advance(5);
    expect(clock.now()).to.equal(15);
    clock.advance(0.25);
    expect(clock.now()).to.equal(15.25);
    clock.advance(0);
    expect(clock.now()).to.equal(15.25);
  });

  it('steps to each wake-up in turn, so that callbacks see its time', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('c', 30);
    at('a', 10);
    at('b', 20.5);
    clock.advance(100);
    expect(log).to.deep.equal(['a@10', 'b@20.5', 'c@30']);
    expect(clock.now()).to.equal(100);
  });

  it('runs wake-ups of the same time in the order they were set', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    for (const label of ['a', 'b', 'c']) at(label, 5);
    clock.advance(5);
    expect(log).to.deep.equal(['a@5', 'b@5', 'c@5']);
  });

  it('runs a wake-up exactly at its time and not before', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10);
    clock.advance(9.999);
    expect(log).to.deep.equal([]);
    clock.advance(10 - clock.now());
    expect(log).to.deep.equal(['a@10']);
  });

  it('runs each wake-up once', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10);
    clock.advance(10);
    clock.advance(10);
    expect(log).to.deep.equal(['a@10']);
  });

  it('never calls wake from inside wakeAt, not even for a time long past', () => {
    const clock = new ManualClock(100);
    const { log, at } = logged(clock);
    at('past', 1);
    at('now', 100);
    expect(log).to.deep.equal([]);
  });

  it('runs what is due already on advance(0), at the present time', () => {
    const clock = new ManualClock(100);
    const { log, at } = logged(clock);
    at('now', 100);
    at('past', 1);
    clock.advance(0);
    expect(log).to.deep.equal(['past@100', 'now@100']);
    expect(clock.now()).to.equal(100);
  });

  it('forgets a wake-up that is cancelled, and only that one', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    const cancel = at('a', 10);
    at('b', 10);
    cancel();
    cancel();
    clock.advance(10);
    expect(log).to.deep.equal(['b@10']);
    cancel();
  });

  it('lets one wake-up cancel another that is due at the same time', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10, () => cancelB());
    const cancelB = at('b', 10);
    clock.advance(50);
    expect(log).to.deep.equal(['a@10']);
  });

  it('runs a wake-up that is set by another one for a time within the same advance', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10, () => at('b', 25));
    at('c', 30);
    clock.advance(30);
    expect(log).to.deep.equal(['a@10', 'b@25', 'c@30']);
  });

  it('runs a wake-up set from inside one for a time already reached a millisecond later', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10, () => at('b', 10));
    clock.advance(20);
    expect(log).to.deep.equal(['a@10', 'b@11']);
  });

  it('leaves such a wake-up to the next advance when the target is reached', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10, () => at('b', 3));
    clock.advance(10);
    expect(log).to.deep.equal(['a@10']);
    clock.advance(0);
    expect(log).to.deep.equal(['a@10', 'b@10']);
  });

  it('ends although a wake-up sets itself again without delay', () => {
    const clock = new ManualClock();
    let runs = 0;
    const again = (): void => {
      runs++;
      clock.wakeAt(clock.now(), again);
    };
    clock.wakeAt(0, again);
    clock.advance(0);
    expect(runs).to.equal(1);
    clock.advance(0);
    expect(runs).to.equal(2);
  });

  it('can be advanced from inside a wake-up, and never goes back after it', () => {
    const clock = new ManualClock();
    const { log, at } = logged(clock);
    at('a', 10, () => clock.advance(100));
    at('b', 20);
    clock.advance(15);
    expect(log).to.deep.equal(['a@10', 'b@20']);
    expect(clock.now()).to.equal(110);
  });

  it('refuses a time that is no finite number', () => {
    expect(() => new ManualClock(Number.NaN))
      .to.throw(RangeError, 'NaN')
      .with.property('code', 'ERR_OUT_OF_RANGE');
    expect(() => new ManualClock('7' as unknown as number))
      .to.throw(TypeError, "'7'")
      .with.property('code', 'ERR_INVALID_ARG_TYPE');
  });

  it('refuses to go back, or by what is no finite number, and stays where it is', () => {
    const clock = new ManualClock(5);
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => clock.advance(ms))
        .to.throw(RangeError, String(ms))
        .with.property('code', 'ERR_OUT_OF_RANGE');
    }
    expect(() => clock.advance('1' as unknown as number))
      .to.throw(TypeError, "'1'")
      .with.property('code', 'ERR_INVALID_ARG_TYPE');
    expect(clock.now()).to.equal(5);
  });
});
