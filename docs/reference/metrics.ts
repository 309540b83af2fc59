/**
 * Metrics of purgatories and timers for prom-client or OpenTelemetry, your own registry or meter given. The page
 * docs/operations.md explains each; docs/grafana has a dashboard and alerts.
 *
 * @example
 * {@includeCode ./metrics.example.ts}
 *
 * @module purgatory/metrics
 */
export * from '../../src/metrics/index.ts';
