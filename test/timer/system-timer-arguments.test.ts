import { expect } from 'chai';
import { DelayedOperation, SystemTimer, TimerTask } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { Op } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';
import { bench, Task, type TimerOptions } from '../support/task.ts';

describe('behaviour 7: a bad delay throws with the codes of Node and names the value', () => {
  const wrongTypes: [unknown, string][] = [
    ['15', "'15'"],
    [undefined, 'undefined'],
    [null, 'null'],
    [5n, '5n'],
    [true, 'true'],
    [{ ms: 1 }, 'Object'],
  ];

  for (const [delayMs, shown] of wrongTypes) {
    it(`a TypeError for ${shown}`, () => {
      const { timer } = bench();
      refuses(() => timer.add(new Task(delayMs as number)), 'ERR_INVALID_ARG_TYPE', shown);
      expect(timer.size).to.equal(0);
    });
  }

  for (const delayMs of [
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    Number.MAX_SAFE_INTEGER + 1,
    Number.MAX_VALUE,
    Infinity,
  ]) {
    it(`a RangeError for ${delayMs}`, () => {
      const { timer } = bench();
      refuses(() => timer.add(new Task(delayMs)), 'ERR_OUT_OF_RANGE', String(delayMs));
      expect(timer.size).to.equal(0);
    });
  }

  it('lets an operation have Infinity, but takes it into no timer', () => {
    const { timer } = bench();
    const op = new Op('forever', { delayMs: Number.POSITIVE_INFINITY });
    expect(op).to.be.instanceOf(DelayedOperation).and.instanceOf(TimerTask);
    refuses(() => timer.add(op), 'ERR_OUT_OF_RANGE', 'Infinity');
    expect(timer.size).to.equal(0);
  });

  it('refuses what is no task', () => {
    const { timer } = bench();
    for (const value of [undefined, null, 5, {}, () => {}]) {
      refuses(() => timer.add(value as unknown as TimerTask), 'ERR_INVALID_ARG_TYPE');
    }
    expect(timer.size).to.equal(0);
  });

  it('tells of a bad argument before it tells that it is closed', () => {
    const { timer } = bench();
    timer.close();
    refuses(() => timer.schedule(() => {}, Number.NaN), 'ERR_OUT_OF_RANGE');
  });
});

describe('SystemTimer options', () => {
  it('may be left out, all or each', () => {
    for (const options of [
      undefined,
      {},
      { tickMs: undefined, wheelSize: undefined, clock: undefined },
    ] as const) {
      const timer = new SystemTimer(options);
      expect(timer.size).to.equal(0);
      expect(timer.nextExpirationMs).to.equal(undefined);
      timer.close();
    }
  });

  it('take every value within their bounds', () => {
    for (const options of [
      { tickMs: 1, wheelSize: 2, sliceMs: 0.1, maxPending: 1 },
      {
        tickMs: 3_600_000,
        wheelSize: 65_536,
        sliceMs: Number.POSITIVE_INFINITY,
        maxPending: Number.POSITIVE_INFINITY,
      },
      { wheelSize: 100, reaper: true, onError: () => {} },
    ]) {
      const { clock, timer } = bench(options);
      let runs = 0;
      timer.schedule(() => runs++, 5);
      clock.advance(3_600_000);
      expect(runs).to.equal(1);
    }
  });

  const outOfRange: TimerOptions[] = [
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((tickMs) => ({ tickMs })),
    ...[1, 0, -8, 2.5, 65_537, Number.NaN, Number.POSITIVE_INFINITY].map((wheelSize) => ({ wheelSize })),
    ...[0, -1, Number.NaN].map((sliceMs) => ({ sliceMs })),
    ...[0, -1, 1.5, Number.NaN].map((maxPending) => ({ maxPending })),
  ];

  for (const options of outOfRange) {
    const [[name, value]] = Object.entries(options);
    it(`refuse ${name} ${value} at construction`, () => {
      refuses(() => new SystemTimer(options), 'ERR_OUT_OF_RANGE', String(value));
      expect(() => new SystemTimer(options)).to.throw(name);
    });
  }

  for (const [name, value] of Object.entries({
    tickMs: '1',
    wheelSize: null,
    sliceMs: '10',
    maxPending: 5n,
    reaper: 'no',
    onError: 'console',
    clock: 5,
  })) {
    it(`refuse ${name} of type ${value === null ? 'null' : typeof value} at construction`, () => {
      refuses(
        () => new SystemTimer({ [name]: value } as unknown as TimerOptions),
        'ERR_INVALID_ARG_TYPE',
        name,
      );
    });
  }

  it('refuse a clock that lacks now or wakeAt', () => {
    for (const clock of [{}, { now: () => 0 }, { wakeAt: () => ({ cancel() {} }) }]) {
      expect(() => new SystemTimer({ clock } as unknown as TimerOptions))
        .to.throw(TypeError, 'clock')
        .with.property('code')
        .that.matches(/^ERR_INVALID_ARG_(TYPE|VALUE)$/);
    }
  });

  it('refuse to be anything but an object', () => {
    for (const options of [null, 5, 'tickMs']) {
      refuses(() => new SystemTimer(options as unknown as TimerOptions), 'ERR_INVALID_ARG_TYPE');
    }
  });

  it('a task that is frozen is refused by the language, and nothing of it is left', () => {
    const { timer } = bench();
    expect(() => timer.add(Object.freeze(new Task(5)))).to.throw(TypeError, /read.?only/);
    expect([timer.size, timer.nextExpirationMs]).to.deep.equal([0, undefined]);
    checkTimerInvariants(timer);
  });
});
