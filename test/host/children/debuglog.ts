// Run by debuglog.test.ts: a purgatory that sees an error, has keys that are objects, and is
// closed; and the mistakes that pass in silence.
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { DelayedOperation, Purgatory, SystemTimer } from '../../../src/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { Replies } from '../../../src/waits/replies/index.ts';
import { SharedWaits, type SharedWaitsOptions } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { timeoutSignal } from '../../../src/waits/timers/index.ts';
import { until } from '../../support/turns.ts';

class Faulty extends DelayedOperation {
  isFaulty = false;

  override tryComplete(): boolean {
    if (this.isFaulty) throw new Error('no');
    return false;
  }

  override onComplete(): void {}
}

const purgatory = new Purgatory<unknown, Faulty>('polls', { onError: () => {} });
purgatory.waitFor(['nobody'], () => undefined, { timeoutMs: 60_000 }).catch(() => {});
const operation = new Faulty(60_000);
purgatory.tryCompleteElseWatch(operation, ['k']);
operation.isFaulty = true;
purgatory.checkAndComplete('k');
const fails = ({ key }: { key: unknown }): undefined => {
  if (key !== undefined) throw new Error('no');
};
purgatory.waitFor(['row'], fails, { timeoutMs: 60_000, label: 'client 7' }).catch(() => {});
purgatory.checkAndComplete('row');
for (let i = 0; i < 3; i++) purgatory.tryCompleteElseWatch(new Faulty(60_000), ['text', { topic: 'orders' }]);
purgatory.notify(undefined);
for (let i = 0; i < 2; i++) purgatory.notify('k', { atmost: 1 } as object);
void purgatory.waitFor([undefined], () => 1, { timeoutMs: 1 });
for (let i = 0; i < 2; i++) purgatory.snapshot({ tops: 3 } as object);
const replies = new Replies<number>('replies', { maxparked: 1 } as object);
replies.expect(1, { timeoutMs: 1, sginal: undefined } as { timeoutMs: number }).catch(() => {});
timeoutSignal(Infinity)[Symbol.dispose]();
timeoutSignal(Date.now(), { singal: undefined } as object)[Symbol.dispose]();
new IdleTimeouts('idle', { timeoutMs: 1, onidle() {} } as { timeoutMs: number }).close();
new LocalHub({ clok: 1 } as object);
const misspelt = { maxparked: 1, onError: () => {} };
new Purgatory('near', { slice: 5, curent: 1, maxPnding: 1 } as object).close();
using other = new Purgatory('misspelt', misspelt);
new Purgatory('misspelt again', misspelt).close();
using timer = new SystemTimer();
timer.scheduleAtFixedRate(() => {}, 1_000, { initialDelay: 0 } as object);
const wait = { timeoutMs: Date.now() + 1_000, timeout: 5, signal: AbortSignal.timeout(1) };
for (let i = 0; i < 3; i++) void other.waitFor(['k'], () => undefined, wait).catch(() => {});
const threshold = new ThresholdPurgatory<unknown>('feed', { current: (): number => 1, maxParked: 5 });
const load = async (): Promise<ReadonlyMap<string, string>> => new Map();
const shared = new SharedWaits('jobs', { load, pollms: 5 } as SharedWaitsOptions<string>);
const hub = new LocalHub();
const [here, there] = [hub.bus(), hub.bus()];
using a = new Purgatory('oders', { bus: here });
const b = new Purgatory('orders', { bus: there });
a.notify('k');
a.notify('l');
new Purgatory('alone', { sweepMs: 5 }).close();
new LocalHub().bus({ lingerMs: 5 }).close();
const isReady = (): boolean => false;
const soon = { timeoutMs: 50 };
void purgatory.waitFor(['7'], isReady, soon).catch(() => {});
for (const call of ['notify', 'checkAndComplete', 'cancelForKey'] as const) purgatory[call](7);
b.checkAndComplete('k');
for (let i = 0; i < 2; i++) purgatory.notify({ topic: 'carts' });
const done = new Faulty(60_000);
done.forceComplete();
for (let i = 0; i < 2; i++) purgatory.tryCompleteElseWatch(done, ['k']);
for (const key of [undefined, { partition: 1 }]) void threshold.awaitAtLeast(key, 2, soon).catch(() => {});
void threshold.awaitAtLeast(8, 2, soon).catch(() => {});
threshold.advance('8', 2);
const calls = new Replies<unknown>('replies');
calls.expect('9', soon).catch(() => {});
for (let i = 0; i < 2; i++) calls.resolve(9, 'reply');
const idle = new IdleTimeouts<object>('idle', { timeoutMs: 5 });
for (let i = 0; i < 2; i++) idle.touch({});
new IdleTimeouts('idle', { timeoutMs: Date.now() }).close();
const jobs = new Queues('jobs');
for (let i = 0; i < 2; i++) jobs.put('a', i, { onExpired: () => {} });
const others = async (keys: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  new Map(keys.map((key) => [`job:${key}`, 'done']));
using lost = new SharedWaits('lost', { load: others });
for (const key of ['1', '2']) void lost.waitUntil(key, (state) => state, soon).catch(() => {});
const expiring = (): number => threshold.numDelayed + lost.numDelayed + calls.size + idle.size;
await until(() => purgatory.numDelayed === 5 && expiring() === 0);
idle.close();
for (const each of [threshold, shared, b]) each.close();
await Promise.all([here.close(), there.close()]);
for (let i = 0; i < 2; i++) a.notify('k');
purgatory.close();
purgatory.notify('k');
purgatory.checkAndComplete('k');
b.checkAndComplete('k');
for (let i = 0; i < 2; i++) threshold.advance('k', 1);
for (let i = 0; i < 2; i++) shared.changed('k');
