// An `async` callback: what its promise rejects with goes where a throw goes.
import { expect } from 'chai';
import { DelayedOperation, ManualClock, Purgatory, SystemTimer, TimerTask } from '../../src/index.ts';
import { ContextualOperation } from '../../src/waits/async-context/index.ts';
import { HashedWheelTimer } from '../../src/waits/schemes/index.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';
import { unhandledDuring } from '../support/unhandled.ts';

async function failed(what: string): Promise<void> {
  await undefined;
  throw new Error(what);
}

interface AsyncAnswer extends DelayedOperation {
  tryComplete(): boolean;
  onComplete(): Promise<void>;
}

/** Of both classes, the same. */
function asyncAnswers(base: typeof DelayedOperation): new (isReady: boolean) => AsyncAnswer {
  return class extends (base as new (delayMs: number) => DelayedOperation) {
    readonly #isReady: boolean;

    constructor(isReady: boolean) {
      super(10);
      this.#isReady = isReady;
    }
    override tryComplete(): boolean {
      return this.#isReady && this.forceComplete();
    }
    override onComplete(): Promise<void> {
      return failed('onComplete');
    }
    override onExpiration(): Promise<void> {
      return failed('onExpiration');
    }
  };
}

/** What is reported while `action` runs, and soon after. Nothing may be left unhandled. */
async function reportedDuring(
  action: (clock: ManualClock, onError: (error: unknown) => void) => unknown,
): Promise<string[]> {
  const reported: string[] = [];
  const unhandled = await unhandledDuring(async () => {
    await action(new ManualClock(), (error) => reported.push((error as Error).message));
    await turn();
  });
  expect(unhandled).to.deep.equal([]);
  return reported;
}

function messagesOf(error: unknown): string[] {
  return (error as AggregateError).errors.map(({ message }: Error) => message);
}

for (const base of [DelayedOperation, ContextualOperation]) {
  const Answer = asyncAnswers(base as typeof DelayedOperation);

  describe(`behaviour 18: an async callback of a ${base.name} that rejects goes to onError`, () => {
    const ways: Record<string, [string[], (purgatory: Purgatory, clock: ManualClock) => void]> = {
      'in the first try': [
        ['onComplete'],
        (purgatory) => void purgatory.tryCompleteElseWatch(new Answer(true), ['key']),
      ],
      'at its deadline': [
        ['onComplete', 'onExpiration'],
        (purgatory, clock) => {
          purgatory.tryCompleteElseWatch(new Answer(false), ['key']);
          clock.advance(20);
        },
      ],
      'by force': [
        ['onComplete'],
        (purgatory) => {
          const op = new Answer(false);
          purgatory.tryCompleteElseWatch(op, ['key']);
          op.forceComplete();
        },
      ],
    };
    for (const [way, [expected, act]] of Object.entries(ways)) {
      it(way, async () => {
        const reported = await reportedDuring((clock, onError) => {
          act(new Purgatory<string>('answers', { clock, onError }), clock);
        });
        expect(reported).to.deep.equal(expected);
      });
    }

    for (const ends of ['returns false', 'throws']) {
      it(`in a first try that forces it and then ${ends}`, async () => {
        class Forced extends Answer {
          override tryComplete(): boolean {
            this.forceComplete();
            if (ends === 'throws') throw new Error('tryComplete');
            return false;
          }
        }
        const reported = await reportedDuring((clock, onError) => {
          const purgatory = new Purgatory<string>('answers', { clock, onError });
          const park = (): boolean => purgatory.tryCompleteElseWatch(new Forced(false), ['key']);
          if (ends === 'throws') expect(park).to.throw('tryComplete');
          else expect(park()).to.equal(false);
        });
        expect(reported).to.deep.equal(['onComplete']);
      });
    }

    class Throwing extends Answer {
      override onExpiration(): never {
        throw new Error('thrown');
      }
    }
    for (const [beside, Kind, expected] of [
      ['both', Answer, ['onComplete', 'onExpiration']],
      ['beside a throw', Throwing, ['thrown', 'onComplete']],
    ] as const) {
      it(`as a task of a timer, which is no purgatory: in one error, ${beside}`, async () => {
        const errors: unknown[] = [];
        const reported = await reportedDuring((clock) => {
          const timer = new SystemTimer({ clock, onError: (error) => errors.push(error) });
          timer.add(new Kind(false));
          clock.advance(20);
        });
        expect([reported, errors.map(messagesOf)]).to.deep.equal([[], [expected]]);
      });
    }
  });
}

describe('behaviour 5: an async task that rejects goes to onError', () => {
  class Work extends TimerTask {
    override run(): Promise<void> {
      return failed('run');
    }
  }

  it('of schedule, of TimerTask.run, and of a scheme', async () => {
    const reported = await reportedDuring((clock, onError) => {
      const timer = new SystemTimer({ clock, onError });
      timer.schedule(() => failed('schedule'), 5);
      timer.add(new Work(6));
      const wheel = new HashedWheelTimer({ clock, onError });
      wheel.newTimeout(() => failed('newTimeout'), 1);
      wheel.newTimeout({ run: () => failed('newTimeout, run') }, 1);
      clock.advance(200);
    });
    expect(reported).to.have.members(['schedule', 'run', 'newTimeout', 'newTimeout, run']);
  });

  it('without onError it is an uncaught exception, as a throw is', async () => {
    const clock = new ManualClock();
    const errors = await uncaughtDuring(1, () => {
      new SystemTimer({ clock }).schedule(() => failed('schedule'), 5);
      clock.advance(10);
    });
    expect(errors.map(String)).to.deep.equal(['Error: schedule']);
  });

  it('so is what the promise of an async onError rejects with', async () => {
    const clock = new ManualClock();
    const errors = await uncaughtDuring(1, () => {
      const onError = () => failed('onError');
      const fail = (): never => {
        throw new Error('schedule');
      };
      new SystemTimer({ clock, onError }).schedule(fail, 5);
      clock.advance(10);
    });
    expect(errors.map(String)).to.deep.equal(['Error: onError']);
  });
});
