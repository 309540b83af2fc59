/**
 * Metrics of purgatories and timers, in your own registry (prom-client) or meter (OpenTelemetry).
 * docs/operations.md explains each metric. docs/grafana has a dashboard and alerts.
 *
 * @example
 * {@includeCode ./metrics.example.ts}
 *
 * @module purgatory/metrics
 */
export * from '../../src/observe/metrics/index.ts';
