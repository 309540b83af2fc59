import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { registerMetrics } from '../../../src/observe/metrics/index.ts';
import { rejection } from '../../support/rejection.ts';
import { type Loading, loading } from './loading.ts';

/**
 * A load that failed, and its two parts too; one in vain; one that answered; one that is under way.
 */
async function busy({ clock, waits, wait, calls, loaded }: Loading): Promise<Promise<unknown>[]> {
  const waiters = [wait('a'), wait('b', 1, { timeoutMs: 600_000 })];
  await loaded();
  await calls[0].fail('down');
  for (const part of calls.slice(1)) await part.fail('down');
  clock.advance(40);
  clock.advance(30);
  await loaded();
  await calls[3].answer({});
  waits.changed('a');
  await loaded();
  await calls[4].answer({ a: 1 });
  waits.changed('b');
  await loaded();
  return waiters;
}

describe('The metrics of shared waits', () => {
  it('are those of a purgatory and those of loads, in prom-client', async () => {
    const all = loading();
    const registry = new Registry();
    const stop = registerMetrics(registry, { purgatories: [all.waits] });
    const waiters = await busy(all);
    const lines = (await registry.metrics()).split('\n');
    expect(lines).to.include.members([
      'purgatory_parked_operations{purgatory="test"} 1',
      'purgatory_completed_early_total{purgatory="test"} 1',
      'purgatory_loads_under_way{purgatory="test"} 1',
      'purgatory_loads_total{purgatory="test"} 6',
      'purgatory_keys_loaded_total{purgatory="test"} 8',
      'purgatory_loads_failed_total{purgatory="test"} 3',
      'purgatory_loads_in_vain_total{purgatory="test"} 1',
      'purgatory_time_parked_seconds_sum{purgatory="test"} 0.07',
      'purgatory_time_parked_seconds_count{purgatory="test"} 1',
    ]);
    stop();
    all.waits.close();
    await waiters[0];
    await rejection(waiters[1]);
  });

  it('are the same in OpenTelemetry', async () => {
    const all = loading();
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    const stop = registerMetrics(provider.getMeter('test'), { purgatories: [all.waits] });
    const waiters = await busy(all);
    await reader.forceFlush();
    const metrics = exporter.getMetrics()[0].scopeMetrics[0].metrics;
    const values = Object.fromEntries(
      metrics
        .filter(({ descriptor }) => /loads|keys_loaded/.test(descriptor.name))
        .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0].value]),
    );
    expect(values).to.deep.equal({
      'purgatory.loads_under_way': 1,
      'purgatory.loads': 6,
      'purgatory.keys_loaded': 8,
      'purgatory.loads_failed': 3,
      'purgatory.loads_in_vain': 1,
    });
    stop();
    await provider.shutdown();
    all.waits.close();
    await waiters[0];
    await rejection(waiters[1]);
  });
});
