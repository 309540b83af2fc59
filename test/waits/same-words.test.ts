// All classes that hold waits or elements answer the same questions in the same words.
import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { stub } from 'sinon';
import {
  ManualClock,
  Purgatory,
  SystemTimer,
  type SystemTimerOptions,
  type Timer,
  type WaitOptions,
} from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { refuses, rejects } from '../support/refusals.ts';
import { rejection } from '../support/rejection.ts';

interface Options extends Pick<SystemTimerOptions, 'clock'> {
  timer?: Timer;
  maxParked?: number;
}

const load = async (): Promise<Map<string, number>> => new Map();

const MAKERS = {
  Purgatory: (options: Options, name = 'x') => new Purgatory(name, options),
  ThresholdPurgatory: (options: Options, name = 'x') => new ThresholdPurgatory(name, options),
  SharedWaits: (options: Options, name = 'x') => new SharedWaits(name, { ...options, load }),
  Semaphore: (options: Options, name = 'x') => new Semaphore(name, { ...options, units: 1 }),
  Queues: (options: Options, name = 'x') => new Queues(name, options),
  Replies: (options: Options, name = 'x') => new Replies(name, options),
  IdleTimeouts: (options: Options, name = 'x') => new IdleTimeouts(name, options),
};

const soon = { timeoutMs: 5 };

type Kind = keyof typeof MAKERS;

/** A wait that is not answered at once, on any of `keys`; an element of IdleTimeouts. */
const WAITS: Readonly<Record<Kind, (subject: never, key: string, options: WaitOptions) => unknown>> = {
  Purgatory: (polls: Purgatory, key, options) => polls.waitFor([key], () => undefined, options),
  ThresholdPurgatory: (marks: ThresholdPurgatory, key, options) => marks.awaitAtLeast(key, 1, options),
  SharedWaits: (jobs: SharedWaits<number>, key, options) => jobs.waitUntil(key, () => undefined, options),
  Semaphore: (locks: Semaphore, key, options) => {
    locks.tryAcquire({ key });
    return locks.acquire({ key, ...options });
  },
  Queues: (items: Queues<number>, key, options) => items.take([key], options),
  Replies: (replies: Replies, key, options) => replies.expect(key, options),
  IdleTimeouts: (idle: IdleTimeouts<string>, key, { timeoutMs }) => idle.touch(key, timeoutMs),
};

describe('Each class that waits', () => {
  for (const [kind, make] of Object.entries(MAKERS)) {
    it(`says its name, and has it in its snapshot, which is plain JSON: ${kind}`, () => {
      using subject = make({ clock: new ManualClock(7) });
      const snapshot = subject.snapshot({ top: 3 });
      expect([subject.name, snapshot.name, snapshot.nowMs]).to.deep.equal(['x', 'x', 7]);
      expect(JSON.parse(JSON.stringify(snapshot))).to.deep.equal(snapshot);
      expect(snapshot).to.have.property('totals');
      expect(snapshot.refused).to.deep.equal({ ERR_PURGATORY_FULL: 0 });
      expect(() => subject.snapshot({ top: 101 })).to.throw(RangeError);
      expect(subject.numDelayed).to.equal(0);
    });

    const wait = async (subject: object, key: string, options: WaitOptions = soon): Promise<unknown> =>
      WAITS[kind as Kind](subject as never, key, options);

    it(`says its class and its name in the error of what comes after its close, or waits then: ${kind}`, async () => {
      const subject = make({ clock: new ManualClock() });
      const waits = kind === 'IdleTimeouts' ? [] : [rejection(wait(subject, 'k'))];
      subject.close();
      waits.push(rejection(wait(subject, 'k')));
      for (const error of await Promise.all(waits)) {
        expect(error).to.include({ code: 'ERR_PURGATORY_CLOSED', message: `${kind} "x" is closed` });
      }
      expect(subject.numDelayed).to.equal(0);
    });

    it(`refuses a name that is no string: ${kind}`, () => {
      refuses(() => make({}, 7 as never), 'ERR_INVALID_ARG_TYPE', 'name');
    });

    it(`closes its own timer, and leaves one that is shared open: ${kind}`, () => {
      const timer = new SystemTimer({ clock: new ManualClock() });
      for (const [options, isOwn] of [
        [{ clock: timer.clock }, true],
        [{ timer }, false],
        [{ timer, clock: timer.clock }, false],
      ] as const) {
        const subject = make(options);
        expect([subject.isClosed, subject.timer === timer]).to.deep.equal([false, !isOwn]);
        subject[Symbol.dispose]();
        subject.close();
        expect([subject.isClosed, subject.timer.isClosed]).to.deep.equal([true, isOwn]);
      }
    });

    it(`refuses a shared timer that reads another clock: ${kind}`, () => {
      const timer = new SystemTimer({ clock: new ManualClock() });
      expect(() => make({ timer, clock: new ManualClock() })).to.throw('"options.clock"');
      expect(() => make({ timer: {} as Timer })).to.throw('"options.timer"');
    });

    it(`keeps the process alive, or not, by ref and unref of its timer: ${kind}`, () => {
      using subject = make({ clock: new ManualClock() });
      expect(subject.unref()).to.equal(subject);
      expect(subject.timer.hasRef()).to.equal(false);
      expect(subject.ref()).to.equal(subject);
      expect(subject.timer.hasRef()).to.equal(true);
    });

    if (kind === 'IdleTimeouts') continue;

    it(`refuses one wait too many, which parks nothing, until one has left: ${kind}`, async () => {
      refuses(() => make({ maxParked: 0 }), 'ERR_OUT_OF_RANGE', 'options.maxParked');
      const clock = new ManualClock();
      const subject = make({ clock, maxParked: 2 });
      const waits = ['a', 'b'].map((key) => Promise.allSettled([wait(subject, key)]));
      await rejects(wait(subject, 'c'), 'ERR_PURGATORY_FULL', `${kind} "x" is full: maxParked is 2`);
      expect([subject.numDelayed, subject.timer.size]).to.deep.equal([2, 2]);
      expect(subject.snapshot().refused).to.deep.equal({ ERR_PURGATORY_FULL: 1 });
      clock.advance(5);
      await Promise.all(waits);
      const next = rejection(wait(subject, 'c'));
      expect(subject.numDelayed).to.equal(1);
      subject.close();
      await next;
    });

    for (const timeoutMs of [5, Number.POSITIVE_INFINITY]) {
      it(`refuses a wait of ${timeoutMs} ms where the timer that it shares is closed (behaviour 11): ${kind}`, async () => {
        const timer = new SystemTimer({ clock: new ManualClock() });
        const subject = make({ timer });
        timer.close();
        await rejects(wait(subject, 'k', { timeoutMs }), 'ERR_PURGATORY_CLOSED');
        expect(subject.numDelayed).to.equal(0);
      });
    }

    it(`refuses bad options of a wait before anything has changed: ${kind}`, async () => {
      const subject = make({ clock: new ManualClock() });
      const bad: [unknown, string][] = [
        [null, 'ERR_INVALID_ARG_TYPE'],
        [{ timeoutMs: undefined }, 'ERR_INVALID_ARG_TYPE'],
        [{ timeoutMs: '5' }, 'ERR_INVALID_ARG_TYPE'],
        [{ timeoutMs: Number.NaN }, 'ERR_OUT_OF_RANGE'],
        [{ timeoutMs: 2 ** 60 }, 'ERR_OUT_OF_RANGE'],
        [{ timeoutMs: 5, signal: {} }, 'ERR_INVALID_ARG_TYPE'],
        [{ timeoutMs: 5, signal: null }, 'ERR_INVALID_ARG_TYPE'],
        [{ timeoutMs: 5, label: 7 }, 'ERR_INVALID_ARG_TYPE'],
      ];
      for (const [options, code] of bad) await rejects(wait(subject, 'k', options as WaitOptions), code);
      expect([subject.numDelayed, subject.timer.size]).to.deep.equal([0, 0]);
    });

    it(`rejects a wait with the reason of its signal, before it waits, or while it does: ${kind}`, async () => {
      const subject = make({ clock: new ManualClock() });
      const stop = new AbortController();
      const { signal } = stop;
      const options = { timeoutMs: 5, signal };
      const waits = ['a', 'a2', 'b'].map((key) => rejection(wait(subject, key, options)));
      expect([subject.numDelayed, getEventListeners(signal, 'abort').length]).to.deep.equal([3, 1]);
      stop.abort('gone');
      expect([subject.numDelayed, subject.timer.size]).to.deep.equal([0, 0]);
      expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
      waits.push(rejection(wait(subject, 'c', options)));
      expect(await Promise.all(waits)).to.deep.equal(['gone', 'gone', 'gone', 'gone']);
    });

    it(`rejects a wait whose signal aborts as it is listened to, or is no real one and throws: ${kind}`, async () => {
      const subject = make({ clock: new ManualClock() });
      const error = new Error('no listeners here');
      const listen: ((...args: unknown[]) => unknown)[] = [
        () => undefined,
        (...args) => Reflect.apply(AbortSignal.prototype.addEventListener, args[0], args.slice(1)),
      ];
      const signals = listen.map((add) => {
        const stop = new AbortController();
        stop.signal.addEventListener = (...args: unknown[]): void => {
          add(stop.signal, ...args);
          stop.abort('from inside');
        };
        return stop.signal;
      });
      const addEventListener = (): never => {
        throw error;
      };
      signals.push({ aborted: false, addEventListener } as unknown as AbortSignal);
      const waits = signals.map((signal, i) => rejection(wait(subject, `${i}`, { timeoutMs: 5, signal })));
      expect(await Promise.all(waits)).to.deep.equal(['from inside', 'from inside', error]);
      expect([subject.numDelayed, subject.timer.size]).to.deep.equal([0, 0]);
    });
  }

  it('takes its name first, and warns once of the former form, which goes with version 2', () => {
    const warn = stub(process, 'emitWarning');
    try {
      const clock = new ManualClock();
      const old = [
        new Replies({ name: 'calls', clock, maxPending: 3 }),
        new IdleTimeouts({ name: 'lines', clock }),
      ];
      expect(old.map(({ name }) => name)).to.deep.equal(['calls', 'lines']);
      expect(old[0]).to.have.property('maxParked', 3);
      expect([new Replies().name, new IdleTimeouts({ clock }).name]).to.deep.equal(['replies', 'idle']);
      expect(warn.args.map(([text]) => text)).to.deep.equal([
        'new Replies({ name, ... }) goes with version 2: write new Replies(name, { ... })',
        'maxPending of Replies is called maxParked from version 2 on',
        'new IdleTimeouts({ name, ... }) goes with version 2: write new IdleTimeouts(name, { ... })',
      ]);
    } finally {
      warn.restore();
    }
    for (const Kind of [Replies, IdleTimeouts] as (new (
      first: never,
    ) => unknown)[]) {
      expect(() => new Kind({ name: 7 } as never)).to.throw(TypeError, '"options.name"');
      expect(() => new Kind(7 as never)).to.throw(TypeError, '"name"');
    }
  });
});
