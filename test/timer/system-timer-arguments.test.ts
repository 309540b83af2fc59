import { expect } from 'chai';
import { DelayedOperation, SystemTimer, TimerTask } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { Op } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';
import { bench, Task, type TimerOptions } from '../support/task.ts';

const { MAX_SAFE_INTEGER, MAX_VALUE, NaN: NAN, POSITIVE_INFINITY: INFINITY } = Number;

describe('behaviour 7: a bad delay throws with the codes of Node and names the value', () => {
  const wrongTypes = { "'15'": '15', undefined, null: null, '5n': 5n, true: true, Object: { ms: 1 } };
  for (const [shown, delayMs] of Object.entries(wrongTypes)) {
    it(`a TypeError for ${shown}`, () => {
      const { timer } = bench();
      refuses(() => timer.add(new Task(delayMs as never)), 'ERR_INVALID_ARG_TYPE', shown);
      expect(timer.size).to.equal(0);
    });
  }

  for (const delayMs of [NAN, -INFINITY, MAX_SAFE_INTEGER + 1, MAX_VALUE, INFINITY]) {
    it(`a RangeError for ${delayMs}`, () => {
      const { timer } = bench();
      refuses(() => timer.add(new Task(delayMs)), 'ERR_OUT_OF_RANGE', String(delayMs));
      expect(timer.size).to.equal(0);
    });
  }

  it('lets an operation have Infinity, but takes it into no timer, nor what is no task', () => {
    const { timer } = bench();
    const op = new Op('forever', { delayMs: INFINITY });
    expect(op).to.be.instanceOf(DelayedOperation).and.instanceOf(TimerTask);
    refuses(() => timer.add(op), 'ERR_OUT_OF_RANGE', 'Infinity');
    for (const no of [undefined, null, 5, {}, () => {}]) {
      refuses(() => timer.add(no as never), 'ERR_INVALID_ARG_TYPE');
    }
    expect(timer.size).to.equal(0);
  });

  it('tells of a bad argument before it tells that it is closed', () => {
    const { timer } = bench();
    timer.close();
    refuses(() => timer.schedule(() => {}, NAN), 'ERR_OUT_OF_RANGE');
  });
});

describe('SystemTimer options', () => {
  it('take every value within their bounds', () => {
    for (const options of [
      { tickMs: 1, wheelSize: 2, sliceMs: 0.1, maxPending: 1 },
      { tickMs: 3_600_000, wheelSize: 65_536, sliceMs: INFINITY, maxPending: INFINITY },
      { wheelSize: 100, reaper: true, onError: () => {} },
    ]) {
      const { clock, timer } = bench(options);
      let runs = 0;
      timer.schedule(() => runs++, 5);
      clock.advance(3_600_000);
      expect(runs).to.equal(1);
    }
  });

  const bad: { readonly [Option in keyof TimerOptions]: [wrongType: unknown, ...outOfRange: number[]] } = {
    tickMs: ['1', 0, -1, 1.5, NAN, INFINITY],
    wheelSize: [null, 1, 0, -8, 2.5, 65_537, NAN, INFINITY],
    sliceMs: ['10', 0, -1, NAN],
    maxPending: [5n, 0, -1, 1.5, NAN],
    reaper: ['no'],
    onError: ['console'],
    clock: [5],
  };
  for (const [name, [wrongType, ...outOfRange]] of Object.entries(bad)) {
    it(`refuse ${name} of a wrong type, or out of its bounds, at construction`, () => {
      refuses(() => new SystemTimer({ [name]: wrongType }), 'ERR_INVALID_ARG_TYPE', name);
      for (const value of outOfRange) {
        const make = (): unknown => new SystemTimer({ [name]: value });
        refuses(make, 'ERR_OUT_OF_RANGE', String(value));
        refuses(make, 'ERR_OUT_OF_RANGE', name);
      }
    });
  }

  it('refuse to be anything but an object, and a clock that lacks now or wakeAt', () => {
    for (const options of [null, 5, 'tickMs']) {
      refuses(() => new SystemTimer(options as never), 'ERR_INVALID_ARG_TYPE');
    }
    for (const clock of [{}, { now: () => 0 }, { wakeAt: () => ({ cancel() {} }) }]) {
      refuses(() => new SystemTimer({ clock: clock as never }), 'ERR_INVALID_ARG_TYPE', 'clock');
    }
  });

  it('a task that is frozen is refused by the language, and nothing of it is left', () => {
    const { timer } = bench();
    expect(() => timer.add(Object.freeze(new Task(5)))).to.throw(TypeError, /read.?only/);
    expect([timer.size, timer.nextExpirationMs]).to.deep.equal([0, undefined]);
    checkTimerInvariants(timer);
  });
});
