import { expect } from 'chai';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { counts, EMPTY, hall, Op, type PurgatoryOptions } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';
import { manual, Task } from '../support/task.ts';

describe('Arguments of tryCompleteElseWatch', () => {
  const good = new Op('a', { ready: true });
  for (const [what, op, keys, code] of [
    ['at least one key', good, [[]], 'ERR_INVALID_ARG_VALUE'],
    ['an array of keys', good, [undefined, null, 'key', 5, new Set(['k'])], 'ERR_INVALID_ARG_TYPE'],
    ['a DelayedOperation', undefined, [['k']], 'ERR_INVALID_ARG_TYPE'],
    ['a DelayedOperation, not null', null, [['k']], 'ERR_INVALID_ARG_TYPE'],
    ['a DelayedOperation, not any object', {}, [['k']], 'ERR_INVALID_ARG_TYPE'],
    ['a DelayedOperation, not any task', new Task(5), [['k']], 'ERR_INVALID_ARG_TYPE'],
  ] as const) {
    it(`must have ${what}`, () => {
      const { purgatory } = hall();
      for (const each of keys) refuses(() => purgatory.tryCompleteElseWatch(op as Op, each as []), code);
      expect([good.tries, purgatory.numDelayed]).to.deep.equal([0, 0]);
    });
  }
});

describe('The order of checks in tryCompleteElseWatch', () => {
  it('arguments come before closed', () => {
    const { purgatory } = hall();
    purgatory.close();
    refuses(() => purgatory.tryCompleteElseWatch(new Op('a'), []), 'ERR_INVALID_ARG_VALUE');
  });

  it('closed comes before already parked or completed, and before the first try', () => {
    const { park } = hall();
    const { purgatory: closed } = hall();
    closed.close();
    const completed = new Op('completed');
    completed.forceComplete();
    const ready = new Op('ready', { ready: true });
    for (const op of [park('parked', ['k']), completed, ready]) {
      refuses(() => closed.tryCompleteElseWatch(op, ['k']), 'ERR_PURGATORY_CLOSED');
    }
    expect(ready.tries).to.equal(0);
  });

  it('the first try comes before maxParked: a full purgatory completes what is ready', () => {
    const { purgatory, park } = hall({ maxParked: 1 });
    park('a', ['k']);
    const ready = new Op('b', { ready: true });
    expect(purgatory.tryCompleteElseWatch(ready, ['k'])).to.equal(true);
    const waiting = new Op('c');
    refuses(() => purgatory.tryCompleteElseWatch(waiting, ['k', 'l']), 'ERR_PURGATORY_FULL');
    expect(waiting.tries).to.equal(1);
    expect(waiting.isPending).to.equal(false);
    expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
  });

  it('maxPending of the timer comes before watching: nothing is parked then', () => {
    const { timer } = manual({ maxPending: 1 });
    const purgatory = new Purgatory<string, Op>('p', { timer });
    timer.add(new Task(1_000));
    const op = new Op('a', { delayMs: 5 });
    refuses(() => purgatory.tryCompleteElseWatch(op, ['k']), 'ERR_PURGATORY_FULL');
    expect(op.tries).to.equal(1);
    expect(op.isPending).to.equal(false);
    expect(counts(purgatory as Purgatory<unknown, Op>)).to.deep.equal(EMPTY);
    expect(timer.size).to.equal(1);
    expect(purgatory.tryCompleteElseWatch(new Op('b'), ['k'])).to.equal(false);
    expect(purgatory.numDelayed).to.equal(1);
  });
});

describe('maxParked', () => {
  it('refuses a waitFor before its attempt is called', async () => {
    const { purgatory, park } = hall({ maxParked: 1 });
    park('a', ['k']);
    let reads = 0;
    const attempt = async (): Promise<number> => ++reads;
    const waits = Array.from({ length: 1_000 }, () => purgatory.waitFor(['k'], attempt, { timeoutMs: 5 }));
    const codes = (await Promise.allSettled(waits)).map(
      (wait) => wait.status === 'rejected' && wait.reason.code,
    );
    expect(new Set(codes)).to.deep.equal(new Set(['ERR_PURGATORY_FULL']));
    expect(reads).to.equal(0);
    expect(purgatory.snapshot()).to.deep.include({ maxParked: 1, refused: { ERR_PURGATORY_FULL: 1_000 } });
    purgatory.cancelForKey('k');
    expect(await purgatory.waitFor(['k'], attempt, { timeoutMs: 5 })).to.eql({ expired: false, value: 1 });
  });
});

describe('Purgatory options', () => {
  for (const [name, value] of Object.entries({
    maxParked: '5',
    onError: {},
    tickMs: '1',
  })) {
    it(`refuse ${name} of a wrong type at construction`, () => {
      refuses(
        () => new Purgatory('p', { [name]: value } as unknown as PurgatoryOptions),
        'ERR_INVALID_ARG_TYPE',
        name,
      );
    });
  }

  it('refuse bad limits, and bad options of its own timer', () => {
    for (const bad of [
      { tickMs: 0 },
      { wheelSize: 1 },
      { sliceMs: -1 },
      { maxPending: 0.5 },
      { maxParked: Number.NaN },
    ]) {
      refuses(() => new Purgatory('p', bad), 'ERR_OUT_OF_RANGE');
    }
  });

  it('set up its own timer', () => {
    const clock = new ManualClock();
    const purgatory = new Purgatory<string, Op>('p', { clock, tickMs: 10, reaper: false, maxPending: 1 });
    const op = new Op('a', { delayMs: 11 });
    purgatory.tryCompleteElseWatch(op, ['k']);
    refuses(() => purgatory.tryCompleteElseWatch(new Op('b', { delayMs: 5 }), ['k']), 'ERR_PURGATORY_FULL');
    clock.advance(19);
    expect(purgatory.advanceClock()).to.equal(0);
    clock.advance(1);
    expect(purgatory.advanceClock()).to.equal(1);
    expect(op.expirations).to.equal(1);
  });
});
