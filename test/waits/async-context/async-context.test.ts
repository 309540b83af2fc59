// One test for every line of the table in docs/async-context.md.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { expect } from 'chai';
import { DelayedOperation, ManualClock, Purgatory, SystemTimer, type Timer } from '../../../src/index.ts';
import { ContextualOperation } from '../../../src/waits/async-context/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { setTimeout as dropInTimeout } from '../../../src/waits/timers/index.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { turn, until } from '../../support/turns.ts';

const als = new AsyncLocalStorage<string>();

interface Seen {
  readonly at: (string | undefined)[];
  readonly see: () => void;
}

function seen(): Seen {
  const at: (string | undefined)[] = [];
  return { at, see: () => void at.push(als.getStore()) };
}

function operation(
  base: typeof DelayedOperation,
  delayMs: number,
  log: string[],
): DelayedOperation & { ready: boolean } {
  const note = (what: string): void => void log.push(`${what} in ${als.getStore()}`);
  return new (class extends base {
    ready = false;
    override tryComplete(): boolean {
      note('tryComplete');
      return this.ready && this.forceComplete();
    }
    override onComplete(): void {
      note('onComplete');
    }
    override onExpiration(): void {
      note('onExpiration');
    }
  })(delayMs);
}

describe('The async context of a callback', () => {
  it('of schedule and of a TimerTask is the root, whoever armed the wake-up', async () => {
    const { at, see } = seen();
    const timer = new SystemTimer();
    als.run('first', () => timer.schedule(see, 3));
    als.run('second', () => timer.schedule(see, 1));
    als.run('now', () => timer.schedule(see, 0));
    await until(() => at.length === 3);
    expect(at).to.deep.equal([undefined, undefined, undefined]);
  });

  it('of a slice that the timer goes on with in a later turn is the root', async () => {
    const { at, see } = seen();
    const timer = new SystemTimer({ sliceMs: Number.MIN_VALUE });
    als.run('request', () => {
      for (let i = 0; i < 3; i++) timer.schedule(see, 1);
    });
    await until(() => at.length === 3);
    expect(at).to.deep.equal([undefined, undefined, undefined]);
  });

  it('of schedule is the caller’s, if the callback is bound to it', async () => {
    const { at, see } = seen();
    const timer = new SystemTimer();
    als.run('request', () => timer.schedule(AsyncResource.bind(see), 1));
    als.run('other', () => timer.schedule(AsyncLocalStorage.bind(see), 1));
    await until(() => at.length === 2);
    expect(at).to.deep.equal(['request', 'other']);
  });

  it('run by advanceClock, or by ManualClock.advance, is that of who calls it', () => {
    const { at, see } = seen();
    const clock = new ManualClock();
    const manual = new SystemTimer({ clock, reaper: false });
    const reaped = new SystemTimer({ clock });
    als.run('start', () => [manual, reaped].map((timer) => timer.schedule(see, 1)));
    als.run('advance', () => clock.advance(1));
    als.run('advanceClock', () => manual.advanceClock());
    expect(at).to.deep.equal(['advance', 'advanceClock']);
  });

  it('of a periodic task is the root', async () => {
    const { at, see } = seen();
    using timer = new SystemTimer();
    als.run('rate', () => timer.scheduleAtFixedRate(see, 1));
    als.run('delay', () => timer.scheduleWithFixedDelay(see, 1));
    await until(() => at.length >= 4);
    expect(new Set(at)).to.deep.equal(new Set([undefined]));
  });

  it('onIdle of IdleTimeouts is the root', async () => {
    const { at, see } = seen();
    const idle = new IdleTimeouts<string>('idle', { timeoutMs: 1, onIdle: see });
    als.run('start', () => idle.touch('a'));
    als.run('touch', () => idle.touch('a'));
    await until(() => at.length === 1);
    expect(at).to.deep.equal([undefined]);
  });

  it('of a drop-in timer is the caller’s', async () => {
    const { at, see } = seen();
    als.run('a', () => dropInTimeout(see, 1));
    als.run('b', () => dropInTimeout(see, 1));
    await until(() => at.length === 2);
    expect(at).to.deep.equal(['a', 'b']);
  });
});

describe('The async context of a delayed operation', () => {
  it('is that of who completes it, and the root at its deadline', async () => {
    const log: string[] = [];
    const purgatory = new Purgatory('test');
    const [early, late] = als.run('request', () => [
      operation(DelayedOperation, 10_000, log),
      operation(DelayedOperation, 1, log),
    ]);
    als.run('request', () => purgatory.tryCompleteElseWatch(early, ['early']));
    als.run('request', () => purgatory.tryCompleteElseWatch(late, ['late']));
    early.ready = true;
    als.run('event', () => purgatory.checkAndComplete('early'));
    await until(() => late.isCompleted);
    expect(log.slice(2)).to.deep.equal([
      'tryComplete in event',
      'onComplete in event',
      'onComplete in undefined',
      'onExpiration in undefined',
    ]);
  });

  it('completed by notify is the root, whoever notified first in the turn', async () => {
    const log: string[] = [];
    const purgatory = new Purgatory('test');
    const op = operation(DelayedOperation, Infinity, log);
    purgatory.tryCompleteElseWatch(op, ['key']);
    op.ready = true;
    als.run('first', () => purgatory.notify('other'));
    als.run('second', () => purgatory.notify('key'));
    await turn();
    expect(log.slice(1)).to.deep.equal(['tryComplete in undefined', 'onComplete in undefined']);
  });

  it('that extends ContextualOperation is its request’s, in onComplete and onExpiration, whatever completes it', async () => {
    const log: string[] = [];
    const purgatory = new Purgatory('test');
    const make = (delayMs: number) =>
      als.run('request', () => {
        const op = operation(ContextualOperation as typeof DelayedOperation, delayMs, log);
        purgatory.tryCompleteElseWatch(op, ['key']);
        log.length = 0;
        return op;
      });
    const checked = make(Infinity);
    checked.ready = true;
    als.run('event', () => expect(purgatory.checkAndComplete('key')).to.equal(1));
    expect(log).to.deep.equal(['tryComplete in event', 'onComplete in request']);
    const notified = make(Infinity);
    notified.ready = true;
    purgatory.notify('key');
    await turn();
    expect(log).to.deep.equal(['tryComplete in undefined', 'onComplete in request']);
    const forced = make(Infinity);
    als.run('event', () =>
      expect([forced.forceComplete(), forced.forceComplete()]).to.deep.equal([true, false]),
    );
    expect(log).to.deep.equal(['onComplete in request']);
    const expired = make(1);
    await until(() => expired.isCompleted);
    expect(log).to.deep.equal(['onComplete in request', 'onExpiration in request']);
    const timer: Timer = new SystemTimer();
    const unparked = als.run('request', () =>
      operation(ContextualOperation as typeof DelayedOperation, 1, log),
    );
    log.length = 0;
    timer.add(unparked);
    await until(() => unparked.isCompleted);
    expect(log).to.deep.equal(['onComplete in request', 'onExpiration in request']);
  });

  it('of waitFor: attempt runs in that of the event, what awaits goes on in its own', async () => {
    const purgatory = new Purgatory<string>('test');
    const attempts: unknown[] = [];
    let ready = false;
    const wait = (name: string, timeoutMs: number, signal?: AbortSignal): Promise<unknown> =>
      als.run(name, async () => {
        try {
          await purgatory.waitFor(
            ['key'],
            () => {
              attempts.push(als.getStore());
              return ready ? 'value' : undefined;
            },
            { timeoutMs, signal },
          );
        } catch {
          return `${als.getStore()} rejected`;
        }
        return als.getStore();
      });
    const expired = wait('expired', 1);
    expect(await expired).to.equal('expired');
    const controller = new AbortController();
    const aborted = wait('aborted', 10_000, controller.signal);
    als.run('abort', () => controller.abort());
    expect(await aborted).to.equal('aborted rejected');
    attempts.length = 0;
    const value = wait('value', 10_000);
    ready = true;
    als.run('event', () => purgatory.checkAndComplete('key'));
    expect(await value).to.equal('value');
    expect(attempts).to.deep.equal(['value', 'event']);
  });
});

describe('A request’s context', () => {
  const stores = new AsyncLocalStorage<object>();

  /** Runs `action` in a context of its own, whose store it returns weakly. */
  function inContext(action: () => void): WeakRef<object> {
    const store = { request: 1 };
    stores.run(store, action);
    return new WeakRef(store);
  }

  async function isHeld(store: WeakRef<object>): Promise<boolean> {
    for (let i = 0; i < 3; i++) {
      await turn();
      collectGarbage();
    }
    return store.deref() !== undefined;
  }

  it('is not kept in memory by a timer that it happened to arm', async () => {
    using timer = new SystemTimer();
    const store = inContext(() => timer.schedule(() => {}, 3_600_000));
    expect(await isHeld(store)).to.equal(false);
  });

  it('is not kept in memory by what it parked, waited for no more, or touched', async () => {
    using purgatory = new Purgatory<string>('test');
    using idle = new IdleTimeouts<string>('idle', { timeoutMs: 3_600_000 });
    const store = inContext(() => {
      purgatory.tryCompleteElseWatch(operation(DelayedOperation, 3_600_000, []), ['key']);
      purgatory.notify('other');
      idle.touch('a');
      idle.touch('a');
    });
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await isHeld(store)).to.equal(false);
  });

  it('is kept by a drop-in timer exactly until it ends, as by Node’s', async () => {
    let timeout: Disposable | undefined;
    const store = inContext(() => {
      timeout = dropInTimeout(() => {}, 3_600_000);
    });
    expect(await isHeld(store)).to.equal(true);
    timeout?.[Symbol.dispose]();
    timeout = undefined;
    expect(await isHeld(store)).to.equal(false);
  });

  it('is kept by a ContextualOperation as long as that is parked', async () => {
    using purgatory = new Purgatory<string>('test');
    const store = inContext(() => {
      const op = operation(ContextualOperation as typeof DelayedOperation, 3_600_000, []);
      purgatory.tryCompleteElseWatch(op, ['key']);
    });
    expect(await isHeld(store)).to.equal(true);
    purgatory.cancelForKey('key');
    expect(await isHeld(store)).to.equal(false);
  });
});
