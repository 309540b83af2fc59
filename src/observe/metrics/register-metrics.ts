// Registers the metrics of `metric-list.ts`, in whichever of the two libraries a user has.
//
// (Kafka's PurgatorySize is purgatory_watches, its NumDelayedOperations is
// purgatory_parked_operations, and its ExpiresPerSec is the rate of purgatory_expired_total.)
import { requiredOptions } from '../../base/checks.ts';
import { invalidArgType, invalidArgValue } from '../../base/node-errors.ts';
import { type OptionNames, refuseUnread } from '../../base/options.ts';
import { checkSources, openSources, refuseBareSources } from '../live-sources.ts';
import type { MetricSources } from './metric-sources.ts';
import { type OpenTelemetryMeter, registerInMeter } from './opentelemetry.ts';
import { type PrometheusRegistry, registerInPrometheus } from './prometheus.ts';

const SOURCES: OptionNames<MetricSources> = { purgatories: true, timers: true, buses: true };
const WITH_SNAPSHOT = 'an object with the method snapshot';

/**
 * Registers the metrics of purgatories, timers and buses in a Registry of prom-client, or makes
 * them in a Meter of OpenTelemetry. Returns a function that removes them. Sources may come and go
 * (see {@link MetricSources}). While the metrics are registered, each operation that ends costs a
 * clock reading, for its time parked. If no SDK of OpenTelemetry is set up, its meter records
 * nothing, and takes the metrics any number of times.
 *
 * @throws TypeError ERR_INVALID_ARG_TYPE for neither of the two, or sources without a snapshot().
 * ERR_INVALID_ARG_VALUE for two purgatories of one name, for a kind of sources that does not exist,
 * such as `purgatory`, and for a Meter that has the metrics already. Error of prom-client when a
 * Registry has them. Register all sources in one call.
 */
export function registerMetrics(
  registry: PrometheusRegistry | OpenTelemetryMeter,
  sources: MetricSources,
): () => void {
  checkAll(sources);
  if (isMeter(registry)) return once(registerInMeter(registry, sources));
  if (typeof registry?.registerMetric === 'function') return once(registerInPrometheus(registry, sources));
  throw invalidArgType('registry', 'a Registry of prom-client or a Meter of OpenTelemetry', registry);
}

/** A second call must not remove what was registered after the first one. */
function once(remove: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) remove();
    isDone = true;
  };
}

function isMeter(registry: PrometheusRegistry | OpenTelemetryMeter): registry is OpenTelemetryMeter {
  return typeof (registry as Partial<OpenTelemetryMeter> | undefined)?.createObservableCounter === 'function';
}

function checkAll(sources: MetricSources): void {
  refuseBareSources('sources', sources);
  refuseUnread('sources', requiredOptions('sources', sources), SOURCES);
  const { purgatories = [], timers = [], buses = [] } = sources;
  checkSources('sources.purgatories', purgatories, WITH_SNAPSHOT);
  const names = new Set<string>();
  for (const { name } of openSources(purgatories)) {
    if (names.has(name)) {
      throw invalidArgValue('sources.purgatories', 'must have names that differ', name);
    }
    names.add(name);
  }
  checkSources('sources.timers', timers, WITH_SNAPSHOT, true);
  checkSources('sources.buses', buses, WITH_SNAPSHOT, true);
}
