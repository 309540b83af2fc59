// Run by debuglog.test.ts: a purgatory that sees an error, has keys that are objects, and is
// closed; and the mistakes that pass in silence.
import { Registry } from 'prom-client';
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { IdleTimeouts, type IdleTimeoutsOptions } from '../../../src/idle/index.ts';
import { DelayedOperation, Purgatory } from '../../../src/index.ts';
import { type MetricSources, registerMetrics } from '../../../src/metrics/index.ts';
import { type ExpectOptions, Replies, type RepliesOptions } from '../../../src/replies/index.ts';
import { SharedWaits, type SharedWaitsOptions } from '../../../src/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/threshold/index.ts';
import { pause } from '../../support/turns.ts';

class Faulty extends DelayedOperation {
  isFaulty = false;

  override tryComplete(): boolean {
    if (this.isFaulty) throw new Error('no');
    return false;
  }

  override onComplete(): void {}
}

const purgatory = new Purgatory<unknown, Faulty>('polls', { onError: () => {} });
const operation = new Faulty(1_000);
purgatory.tryCompleteElseWatch(operation, ['k']);
operation.isFaulty = true;
purgatory.checkAndComplete('k');
for (let i = 0; i < 3; i++) purgatory.tryCompleteElseWatch(new Faulty(1_000), ['text', { topic: 'orders' }]);
purgatory.notify(['k', 'l']);
purgatory.notify(undefined);
const misspelt = { maxparked: 1, onError: () => {} };
using other = new Purgatory('misspelt', misspelt);
const wait = { timeoutMs: Date.now() + 1_000, timeout: 5, signal: AbortSignal.timeout(1) };
for (let i = 0; i < 3; i++) void other.waitFor(['k'], () => undefined, wait).catch(() => {});
const threshold = new ThresholdPurgatory('feed', { current: () => 1, maxParked: 5 });
const load = async (): Promise<ReadonlyMap<string, string>> => new Map();
const shared = new SharedWaits('jobs', { load, pollms: 5 } as SharedWaitsOptions<string>);
const replies = new Replies({ maxpending: 5 } as RepliesOptions);
replies.expect('id', { timeoutMs: 5, timeout: 5 } as ExpectOptions).catch(() => {});
const idle = new IdleTimeouts({ timeoutMs: 5, onidle: () => {} } as IdleTimeoutsOptions<object>);
registerMetrics(new Registry(), { purgatory: [other] } as MetricSources);
const hub = new LocalHub();
const [here, there] = [hub.bus(), hub.bus()];
using a = new Purgatory('oders', { bus: here });
const b = new Purgatory('orders', { bus: there });
a.notify('k');
a.notify('l');
await pause(100);
for (const each of [threshold, shared, b, replies, idle]) each.close();
await Promise.all([here.close(), there.close()]);
purgatory.close();
