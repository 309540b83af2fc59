// Metrics for OpenTelemetry: docs/operations.md
// npm install purgatory @opentelemetry/api @opentelemetry/sdk-metrics
import { metrics } from '@opentelemetry/api';
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { Purgatory, SystemTimer } from 'purgatory';
import { registerMetrics } from 'purgatory/metrics';

// In production: an OTLP exporter in place of the console.
const reader = new PeriodicExportingMetricReader({
  exporter: new ConsoleMetricExporter(),
  exportIntervalMillis: 60_000,
});
const provider = new MeterProvider({ readers: [reader] });
metrics.setGlobalMeterProvider(provider);

const timer = new SystemTimer();
const polls = new Purgatory('polls', { timer });
registerMetrics(metrics.getMeter('my-service'), { purgatories: [polls], timers: { main: timer } });

const wait = polls.waitFor(['news'], () => undefined, { timeoutMs: 50 });
await provider.forceFlush(); // one operation is parked
await wait;
await provider.shutdown(); // exports once more: one has expired
