import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { PendingTasks } from '../../src/timer/pending-tasks.ts';
import type { TimerTask } from '../../src/timer/timer-task.ts';
import { WheelScheme } from '../../src/timer/wheels/wheel-scheme.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { checkLists } from '../support/checks/lists.ts';
import { checkTasks, checkTimerInvariants } from '../support/checks/timer.ts';
import { Op } from '../support/op.ts';
import { Task } from '../support/task.ts';
import { LoggingOperation } from '../support/threshold-op.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

const refusal = new RangeError('Array buffer allocation failed');

/** Runs `action`, in which allocation number `nth` of a typed array is refused. True iff one was. */
function isRefused(nth: number, action: () => void): boolean {
  const originals = { Int32Array, Float64Array };
  let before = nth;
  const construct = (array: new (...args: never[]) => object, args: unknown[]): object => {
    if (before-- === 0) throw refusal;
    return Reflect.construct(array, args);
  };
  Object.assign(globalThis, {
    Int32Array: new Proxy(Int32Array, { construct }),
    Float64Array: new Proxy(Float64Array, { construct }),
  });
  try {
    action();
  } catch (error) {
    if (error !== refusal) throw error;
  } finally {
    Object.assign(globalThis, originals);
  }
  return before < 0;
}

/** What parks on keys. */
interface Room {
  park(i: number): void;
  /** What wakes all that wait on `key`. */
  wake(key: string): void;
  readonly parked: { readonly numDelayed: number; readonly $parked: Purgatory['$parked'] };
}

const MANY = 400;
/** A key alone, or three that others have, too. */
const keysOf = (i: number): string[] =>
  i % 3 === 0 ? [`alone ${i}`] : [0, 1, 2].map((k) => `${(i * 7 + k * 31) % 100}`);
const all = Array.from({ length: MANY }, (_, i) => i);

const rooms: Record<string, () => Room> = {
  'a Purgatory': () => {
    const parked = new Purgatory<string, Op>('p', { clock: new ManualClock() });
    let isReady = false;
    const onTry = (op: Op): void => {
      op.ready = isReady;
    };
    return {
      parked,
      park: (i) => void parked.tryCompleteElseWatch(new Op(`${i}`, { delayMs: 1_000 + i, onTry }), keysOf(i)),
      wake(key) {
        isReady = true;
        parked.checkAndComplete(key);
      },
    };
  },
  'a ThresholdPurgatory': () => {
    const parked = new ThresholdPurgatory<string>('p', { clock: new ManualClock() });
    return {
      parked,
      park(i) {
        const op = new LoggingOperation(`${i}`, 1_000 + i, []);
        parked.tryCompleteElseWatch(
          op,
          keysOf(i).map((key) => [key, 1] as const),
        );
      },
      wake: (key) => void parked.advance(key, 1),
    };
  },
  Queues: () => {
    const parked = new Queues<number>('p', { clock: new ManualClock() });
    return {
      parked,
      park: (i) => void parked.take(keysOf(i), { timeoutMs: 1_000 + i }).catch(() => {}),
      wake(key) {
        while (parked.watchersOf(key) > 0) parked.put(key, 1);
      },
    };
  },
};

describe('Memory that is refused', () => {
  for (const [name, make] of Object.entries(rooms)) {
    for (const nth of [0, 1, 2, 3]) {
      it(`to allocation ${nth} of a park changes nothing in ${name}, and later waits are woken`, () => {
        const { parked, park, wake } = make();
        const { lists } = parked.$parked;
        let refused = 0;
        for (const i of all) {
          if (isRefused(nth, () => park(i))) {
            refused++;
            park(i);
          }
          checkLists(lists);
          expect(parked.numDelayed).to.equal(i + 1);
        }
        if (nth < 2) expect(refused).to.be.at.least(1);
        for (const key of new Set(all.flatMap(keysOf))) wake(key);
        expect(parked.numDelayed).to.equal(0);
        expect(lists.pairs).to.equal(0);
        expect(lists.keys).to.equal(0);
        checkLists(lists);
      });

      it(`to allocation ${nth} of what gives memory back leaves ${name} as it was`, () => {
        const { parked, park, wake } = make();
        const { lists } = parked.$parked;
        for (const i of all) park(i);
        for (const i of all.slice(0, 300)) for (const key of keysOf(i)) wake(key);
        for (const i of all.slice(0, 20)) park(i);
        const before = parked.numDelayed;
        const refused = isRefused(nth, () => lists.compact());
        if (nth === 0) expect(refused).to.equal(true);
        checkLists(lists);
        expect(parked.numDelayed).to.equal(before);
        for (const i of all) for (const key of keysOf(i)) wake(key);
        expect(parked.numDelayed).to.equal(0);
      });
    }
  }

  for (const nth of [0, 1, 2, 3]) {
    it(`to allocation ${nth} of an add changes nothing in a timer`, () => {
      const clock = new ManualClock();
      const timer = new SystemTimer({ clock, wheelSize: 8 });
      let runs = 0;
      for (const i of all) {
        const task = new Task(1 + (i % 50) * 20, () => runs++);
        if (isRefused(nth, () => timer.add(task))) expect(task.isPending).to.equal(false);
        checkTimerInvariants(timer);
        timer.add(task);
      }
      expect(timer.size).to.equal(MANY);
      clock.advance(1_000);
      expect(runs).to.equal(MANY);
    });

    it(`to allocation ${nth} of what gives memory back leaves the tasks of a timer`, () => {
      const pending = new PendingTasks((slab, cursor) => new WheelScheme(slab, cursor, 3), 0);
      const tasks = all.map((i) => new Task(i) as TimerTask);
      for (const [i, task] of tasks.entries()) task.$slot = pending.add(task, 1 + 13 * i);
      const refused = isRefused(nth, () => pending.compact());
      if (nth === 0) expect(refused).to.equal(true);
      checkTasks(pending);
      expect(pending.takeAll()).to.deep.equal(tasks);
    });
  }

  it('to what gives memory back is asked for once, and again at the next removal', async () => {
    const purgatory = new Purgatory<string, Op>('p', { clock: new ManualClock() });
    const ops = all.map((i) => {
      const op = new Op('op', { delayMs: 1_000 });
      purgatory.tryCompleteElseWatch(op, keysOf(i));
      return op;
    });
    const { lists } = purgatory.$parked;
    const original = Int32Array;
    let refusals = 0;
    const refusing = new Proxy(Int32Array, {
      construct() {
        refusals++;
        throw refusal;
      },
    });
    const uncaught = await uncaughtDuring(0, async () => {
      Object.assign(globalThis, { Int32Array: refusing });
      try {
        for (const op of ops.splice(2)) op.cancel();
        for (let i = 0; i < 5; i++) await turn();
      } finally {
        Object.assign(globalThis, { Int32Array: original });
      }
    });
    expect([uncaught, refusals]).to.deep.equal([[], 2]); // the lists, and the timer
    expect(lists.isSparse).to.equal(true);
    ops[0].cancel();
    await turn();
    expect(lists.isSparse).to.equal(false);
    checkLists(lists);
    checkTimerInvariants(purgatory.timer);
  });
});
