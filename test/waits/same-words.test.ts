// All classes that hold waits or elements answer the same questions in the same words.
import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer, type SystemTimerOptions, type Timer } from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';

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
  Replies: (options: Options) => new Replies({ name: 'x', ...options }),
  IdleTimeouts: (options: Options) => new IdleTimeouts({ name: 'x', ...options }),
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
});
