// Registers the metrics of `readings.ts`, in whichever of the two libraries a user has.
//
// (Kafka's PurgatorySize is purgatory_watches, its NumDelayedOperations is
// purgatory_parked_operations, and its ExpiresPerSec is the rate of purgatory_expired_total.)
import { requiredOptions } from '../checks.ts';
import { invalidArgType, invalidArgValue } from '../node-errors.ts';
import { checkNamedSources, checkSources, openSources } from '../sources.ts';
import { hintAtUnread, type OptionNames } from '../unread-options.ts';
import { type OpenTelemetryMeter, registerInMeter } from './opentelemetry.ts';
import { type PrometheusRegistry, registerInPrometheus } from './prometheus.ts';
import type { MetricSources } from './sources.ts';

const METRIC_SOURCES: OptionNames<MetricSources> = { purgatories: true, timers: true, buses: true };
const WITH_SNAPSHOT = 'an object with the method snapshot';

/**
 * Registers the metrics of purgatories, timers and buses in a Registry of prom-client, or makes
 * them in a Meter of OpenTelemetry. Returns a function that removes them. Sources may come and go
 * (see {@link MetricSources}). While the metrics are registered, each operation that ends costs a
 * clock reading, for its time parked.
 *
 * @throws TypeError ERR_INVALID_ARG_TYPE for neither of the two, or sources without a snapshot().
 * ERR_INVALID_ARG_VALUE for two purgatories of one name, and for a Meter that has the metrics
 * already. Error of prom-client when a Registry has them. Register all sources in one call.
 */
export function registerMetrics(
  registry: PrometheusRegistry | OpenTelemetryMeter,
  sources: MetricSources,
): () => void {
  checkAll(sources);
  if (isMeter(registry)) return registerOnce(registry, sources);
  if (typeof registry?.registerMetric === 'function') return registerInPrometheus(registry, sources);
  throw invalidArgType('registry', 'a Registry of prom-client or a Meter of OpenTelemetry', registry);
}

/** The meters that have the metrics now. A second set of instruments would spoil the first. */
const meters = new WeakSet<OpenTelemetryMeter>();

function registerOnce(meter: OpenTelemetryMeter, sources: MetricSources): () => void {
  if (meters.has(meter)) {
    const why = 'must not have the metrics already: register all sources in one call';
    throw invalidArgValue('registry', why, meter.constructor.name);
  }
  const remove = registerInMeter(meter, sources);
  meters.add(meter);
  return () => {
    meters.delete(meter);
    remove();
  };
}

function isMeter(registry: PrometheusRegistry | OpenTelemetryMeter): registry is OpenTelemetryMeter {
  return typeof (registry as Partial<OpenTelemetryMeter> | undefined)?.createObservableCounter === 'function';
}

function checkAll(sources: MetricSources): void {
  const { purgatories = [], timers = [], buses = [] } = requiredOptions('sources', sources);
  hintAtUnread('registerMetrics', sources, METRIC_SOURCES);
  checkSources('sources.purgatories', purgatories, WITH_SNAPSHOT);
  const names = new Set<string>();
  for (const { name } of openSources(purgatories)) {
    if (names.has(name)) {
      throw invalidArgValue('sources.purgatories', 'must have names that differ', name);
    }
    names.add(name);
  }
  checkNamedSources('sources.timers', timers, WITH_SNAPSHOT);
  checkNamedSources('sources.buses', buses, WITH_SNAPSHOT);
}
