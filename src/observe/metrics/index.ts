// `purgatory/metrics`: numbers for operators, in prom-client or OpenTelemetry. docs/operations.md
// says what each of them means.
export type * from '../sources.ts';
export type { MetricSources } from './metric-sources.ts';
export type { DurationRecorder, InstrumentOptions, OpenTelemetryMeter } from './opentelemetry.ts';
export type { PrometheusRegistry } from './prometheus.ts';
export { registerMetrics } from './register-metrics.ts';
