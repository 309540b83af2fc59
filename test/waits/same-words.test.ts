// All classes that hold waits or elements answer the same questions in the same words.
import { expect } from 'chai';
import { stub } from 'sinon';
import { ManualClock, Purgatory, SystemTimer, type SystemTimerOptions, type Timer } from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { rejects } from '../support/refusals.ts';

interface Options extends Pick<SystemTimerOptions, 'clock'> {
  timer?: Timer;
}

const load = async (): Promise<Map<string, number>> => new Map();

const MAKERS = {
  Purgatory: (options: Options) => new Purgatory('x', options),
  ThresholdPurgatory: (options: Options) => new ThresholdPurgatory('x', options),
  SharedWaits: (options: Options) => new SharedWaits('x', { ...options, load }),
  Semaphore: (options: Options) => new Semaphore('x', { ...options, units: 1 }),
  Queues: (options: Options) => new Queues('x', options),
  Replies: (options: Options) => new Replies('x', options),
  IdleTimeouts: (options: Options) => new IdleTimeouts('x', options),
};

const soon = { timeoutMs: 5 };

/** A call that comes after the close. */
const LATE: Readonly<Record<keyof typeof MAKERS, (subject: never) => unknown>> = {
  Purgatory: (late: Purgatory) => late.waitFor(['k'], () => 1, soon),
  ThresholdPurgatory: (late: ThresholdPurgatory) => late.awaitAtLeast('k', 1, soon),
  SharedWaits: (late: SharedWaits<number>) => late.waitUntil('k', () => 1, soon),
  Semaphore: (late: Semaphore) => late.acquire(soon),
  Queues: (late: Queues<number>) => late.take(['k'], soon),
  Replies: (late: Replies) => late.expect('k', soon),
  IdleTimeouts: (late: IdleTimeouts<string>) => late.touch('k', 5),
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

    it(`says its class and its name in the error of what comes after its close: ${kind}`, async () => {
      const subject = make({ clock: new ManualClock() });
      subject.close();
      const late = (async () => LATE[kind as keyof typeof LATE](subject as never))();
      await rejects(late, 'ERR_PURGATORY_CLOSED', `${kind} "x" is closed`);
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
