import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import { HierarchicalWheelTimer, SimpleWheelTimer } from '../../../src/waits/schemes/index.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { refuses } from '../../support/refusals.ts';

describe('SimpleWheelTimer', () => {
  it('states its bound, and takes a delay of exactly that wherever in a tick it starts', () => {
    for (const startMs of [0, 0.25, 19.75, 123_456.5, -7.5]) {
      const clock = new ManualClock(startMs);
      const timer = new SimpleWheelTimer({ clock, tickMs: 20, wheelSize: 5 });
      expect(timer.maxDelayMs).to.equal(80);
      let ranAtMs = 0;
      timer.schedule(() => {
        ranAtMs = clock.now();
      }, 80);
      checkTimerInvariants(timer);
      clock.advance(200);
      expect(ranAtMs).to.equal(Math.ceil((startMs + 80) / 20) * 20);
    }
  });

  it('counts the bound from now, however long nothing has moved it', () => {
    const clock = new ManualClock();
    const timer = new SimpleWheelTimer({ clock, wheelSize: 8, reaper: false });
    const log: string[] = [];
    timer.schedule(() => log.push('overdue'), 3);
    clock.advance(1_000);
    timer.schedule(() => log.push('new'), 7);
    checkTimerInvariants(timer);
    expect(timer.advanceClock()).to.equal(1);
    clock.advance(7);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['overdue', 'new']);
  });

  it('keeps its size as it is given, one bucket a tick', () => {
    const clock = new ManualClock();
    expect(new SimpleWheelTimer({ clock }).maxDelayMs).to.equal(65_535);
    expect(new SimpleWheelTimer({ clock, wheelSize: 2 ** 20, tickMs: 3 }).maxDelayMs).to.equal(
      3 * (2 ** 20 - 1),
    );
    for (const wheelSize of [1, 2.5, 2 ** 20 + 1, Number.NaN]) {
      refuses(() => new SimpleWheelTimer({ clock, wheelSize }), 'ERR_OUT_OF_RANGE');
    }
  });
});

describe('HierarchicalWheelTimer', () => {
  it('ends where a tick is beyond 2^53, as the longest delay is once the clock has left zero', () => {
    // 2^53 + 998 is in the turn that begins at the odd 2^53 + 973, which no double can hold. Wheels
    // that computed with doubles moved the task from the list beyond to the end of that same list,
    // for ever.
    for (const startMs of [999, 17.125, 2 ** 31 - 3]) {
      const timer = new HierarchicalWheelTimer({ clock: new ManualClock(startMs), levels: [3, 3, 5] });
      const task = timer.schedule(() => {}, Number.MAX_SAFE_INTEGER);
      checkTimerInvariants(timer);
      expect(timer.close()).to.deep.equal([task]);
    }
  });

  it('takes levels of integers from 2 to 65,536 and keeps its own copy', () => {
    const clock = new ManualClock();
    const make = (levels: unknown) => () => new HierarchicalWheelTimer({ clock, levels: levels as number[] });
    refuses(make('60/60'), 'ERR_INVALID_ARG_TYPE');
    refuses(make([60, '60']), 'ERR_INVALID_ARG_TYPE');
    refuses(make([]), 'ERR_INVALID_ARG_VALUE');
    for (const levels of [[1], [60, 2.5], [65_537], [65_536, 65_536, 65_536, 65_536]]) {
      refuses(make(levels), 'ERR_OUT_OF_RANGE');
    }
    const levels = [4, 4];
    const timer = new HierarchicalWheelTimer({ clock, levels });
    levels[0] = 0;
    let runs = 0;
    timer.schedule(() => runs++, 100);
    clock.advance(100);
    expect(runs).to.equal(1);
  });
});
