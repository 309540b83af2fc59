// Agents call `enterWith` in callbacks: apm.startTransaction() does. As with setTimeout, nobody else
// sees that store, and nothing keeps it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import { DelayedOperation, Purgatory, SystemTimer } from '../../../src/index.ts';
import { listen } from '../../../src/observe/events/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { turn, until } from '../../support/turns.ts';

interface Transaction {
  readonly name: string;
}

const transactions = new AsyncLocalStorage<Transaction>();
const FOREVER = { timeoutMs: 600_000 };

/** In a batch of its own: what one batch tries shares a scope. */
async function event(purgatory: Purgatory<string, DelayedOperation>, key: string): Promise<void> {
  purgatory.notify(key);
  await purgatory.served();
}

/** Each calls `enter` as user code of its kind, for several at once, and again in a later turn. */
const kinds: Record<string, (enter: () => void) => Promise<() => void>> = {
  async 'a task'(enter) {
    const timer = new SystemTimer();
    for (let i = 0; i < 3; i++) timer.schedule(enter, 1);
    timer.schedule(enter, 30);
    return () => timer.close();
  },
  async 'a periodic task'(enter) {
    const timer = new SystemTimer();
    timer.scheduleAtFixedRate(enter, 1);
    return () => timer.close();
  },
  async 'a condition'(enter) {
    const polls = new Purgatory('polls');
    let isParked = false;
    const condition = (): void => {
      if (isParked) enter();
    };
    for (let i = 0; i < 4; i++) polls.waitFor([`key ${i}`], condition, FOREVER).catch(() => {});
    isParked = true;
    for (let i = 0; i < 4; i++) await event(polls, `key ${i}`);
    return () => polls.close();
  },
  async 'a condition, of many on one key'(enter) {
    const polls = new Purgatory('polls');
    let tried = -3; // at parking, in the context of the caller
    const condition = (): void => {
      if (++tried > 0 && tried % 3 === 1) enter(); // those of one event share a scope
    };
    for (let i = 0; i < 3; i++) polls.waitFor(['feed'], condition, FOREVER).catch(() => {});
    for (let i = 0; i < 4; i++) {
      polls.notify('feed');
      await polls.served();
    }
    return () => polls.close();
  },
  async onError(enter) {
    const purgatory = new Purgatory<string, DelayedOperation>('operations', { onError: enter });
    const operation = (): DelayedOperation =>
      new (class extends DelayedOperation {
        override tryComplete(): boolean {
          if (this.isPending) throw new Error('reported');
          return false;
        }
        override onComplete(): void {}
      })(600_000);
    for (let i = 0; i < 4; i++) purgatory.tryCompleteElseWatch(operation(), [`key ${i}`]);
    for (let i = 0; i < 4; i++) await event(purgatory, `key ${i}`);
    return () => purgatory.close();
  },
  async onComplete(enter) {
    const purgatory = new Purgatory<string, DelayedOperation>('operations');
    const operation = (delayMs: number): DelayedOperation =>
      new (class extends DelayedOperation {
        override tryComplete(): boolean {
          return this.isPending && this.forceComplete();
        }
        override onComplete(): void {
          enter();
        }
      })(delayMs);
    for (let i = 0; i < 3; i++) {
      purgatory.tryCompleteElseWatch(operation(1), ['deadline']);
      purgatory.tryCompleteElseWatch(operation(600_000), ['event']);
      await event(purgatory, 'event');
    }
    return () => purgatory.close();
  },
  async onIdle(enter) {
    const idle = new IdleTimeouts<number>('idle', { timeoutMs: 1, onIdle: enter });
    for (let i = 0; i < 4; i++) idle.touch(i);
    return () => idle.close();
  },
  async load(enter) {
    const load = async (keys: readonly string[]): Promise<Map<string, number>> => {
      enter();
      return new Map(keys.map((key) => [key, 1]));
    };
    const shared = new SharedWaits<number>('shared', { load, loadBatch: 1 });
    for (let i = 0; i < 4; i++) shared.waitUntil(`job ${i}`, () => undefined, FOREVER).catch(() => {});
    return () => shared.close();
  },
  async 'the condition of waitUntil'(enter) {
    const load = async (keys: readonly string[]): Promise<Map<string, number>> =>
      new Map(keys.map((key) => [key, 1]));
    const shared = new SharedWaits<number>('shared', { load });
    let calls = 0;
    const condition = (): void => {
      calls++;
      enter();
    };
    for (let i = 0; i < 4; i++) {
      shared.waitUntil(`job ${i}`, condition, FOREVER).catch(() => {});
      await until(() => calls > i);
    }
    return () => shared.close();
  },
  async current(enter) {
    const current = (): number => {
      enter();
      return 0;
    };
    const levels = new ThresholdPurgatory('levels', { current });
    for (let i = 0; i < 4; i++) levels.awaitAtLeast(`level ${i}`, 1, FOREVER).catch(() => {});
    return () => levels.close();
  },
  async 'a listener'(enter) {
    const timer = new SystemTimer();
    const polls = new Purgatory('polls', { timer });
    const stops = [
      listen('purgatory:task:run', enter),
      listen('purgatory:operation:tried', enter),
      listen('purgatory:operation:rejected', enter),
    ];
    for (let i = 0; i < 4; i++) {
      timer.schedule(() => {}, 1);
      polls.waitFor([`key ${i}`], () => undefined, FOREVER).catch(() => {});
      await event(polls, `key ${i}`);
    }
    return () => {
      for (const stop of stops) stop();
      timer.close();
      polls.close();
    };
  },
};

describe('A store that user code has entered', () => {
  for (const [kind, start] of Object.entries(kinds)) {
    it(`inside of ${kind} is seen by nobody else, and kept by nothing`, async () => {
      const seen: (string | undefined)[] = [];
      const entered: WeakRef<Transaction>[] = [];
      const enter = (): void => {
        seen.push(transactions.getStore()?.name);
        const transaction = { name: `transaction ${entered.length}` };
        entered.push(new WeakRef(transaction));
        transactions.enterWith(transaction);
      };
      const close = await start(enter);
      await until(() => seen.length >= 4);
      close();
      expect(seen.filter((name) => name !== undefined)).to.deep.equal([]);
      await until(async () => {
        await turn();
        collectGarbage();
        return entered.every((each) => each.deref() === undefined);
      }, 'the stores are collected');
    });
  }
});
