// `purgatory/metrics`: numbers for operators, in prom-client or OpenTelemetry. What each means: docs/operations.md.
//
// (Kafka's PurgatorySize is purgatory_watches, its NumDelayedOperations purgatory_parked_operations, its ExpiresPerSec the rate of
// purgatory_expired_total.)
import { invalidArgType, invalidArgValue } from '../errors.ts';
import { type OpenTelemetryMeter, registerInMeter } from './opentelemetry.ts';
import { type PrometheusRegistry, registerInPrometheus } from './prometheus.ts';
import type { MetricSources } from './sources.ts';

export type { DurationRecorder, InstrumentOptions, OpenTelemetryMeter } from './opentelemetry.ts';
export type { PrometheusRegistry } from './prometheus.ts';
export type { MeasuredPurgatory, MeasuredTimer, MetricSources } from './sources.ts';

/**
 * Registers the metrics of purgatories and timers in a Registry of prom-client, or makes them in a Meter of OpenTelemetry. Returns a
 * function that takes them out again. While registered, each operation that leaves costs a clock reading (for its time parked).
 *
 * @throws TypeError ERR_INVALID_ARG_TYPE for neither of the two, or sources that have no snapshot(); ERR_INVALID_ARG_VALUE for two
 *   purgatories of one name. Error of prom-client when a metric is registered there already: register all sources in one call.
 */
export function registerMetrics(
  registry: PrometheusRegistry | OpenTelemetryMeter,
  sources: MetricSources,
): () => void {
  checkSources(sources);
  if (isMeter(registry)) return registerInMeter(registry, sources);
  if (typeof registry?.registerMetric === 'function') return registerInPrometheus(registry, sources);
  throw invalidArgType('registry', 'a Registry of prom-client or a Meter of OpenTelemetry', registry);
}

function isMeter(registry: PrometheusRegistry | OpenTelemetryMeter): registry is OpenTelemetryMeter {
  return typeof (registry as Partial<OpenTelemetryMeter> | undefined)?.createObservableCounter === 'function';
}

function checkSources(sources: MetricSources): void {
  if (typeof sources !== 'object' || sources === null) {
    throw invalidArgType('sources', 'of type object', sources);
  }
  const { purgatories = [], timers = [] } = sources;
  if (!Array.isArray(purgatories)) {
    throw invalidArgType('sources.purgatories', 'an instance of Array', purgatories);
  }
  const names = new Set<string>();
  for (const purgatory of purgatories) {
    checkSnapshot('sources.purgatories', purgatory);
    if (names.has(purgatory.name)) {
      throw invalidArgValue('sources.purgatories', 'must have names that differ', purgatory.name);
    }
    names.add(purgatory.name);
  }
  for (const timer of Object.values(timers)) checkSnapshot('sources.timers', timer);
}

function checkSnapshot(name: string, source: { snapshot?: unknown } | undefined): void {
  if (typeof source?.snapshot !== 'function') {
    throw invalidArgType(name, 'of objects with the method snapshot', source);
  }
}
