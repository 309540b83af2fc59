// The metrics in a registry of prom-client, with the bounds of its histograms.
//
// Ground rules. prom-client is not imported. A registry takes any object whose `get()` returns
// values. So users without the package do not need it, and whole histograms can be handed over. All
// metrics of one scrape are read from one snapshot of each source.
//
// Names. The dots of a name become underscores. Seconds and totals get their suffix:
// purgatory.time_parked becomes purgatory_time_parked_seconds, purgatory.expired becomes
// purgatory_expired_total. (OpenTelemetry translates in the same way.)
import { DurationHistogram, type DurationSnapshot } from '../../base/duration-histogram.ts';
import { TurnEnd } from '../../clock/later.ts';
import {
  BUS_ECHO,
  type CountsBy,
  type Durations,
  KINDS,
  REAPER_LATENESS,
  type Reading,
  TIME_PARKED,
} from './metric-list.ts';
import { Measured, type MetricSources } from './metric-sources.ts';

/** The part of prom-client's Registry that the library uses. */
export interface PrometheusRegistry {
  // biome-ignore lint/suspicious/noExplicitAny: prom-client's Metric is a union of its own classes
  registerMetric(metric: any): void;
  removeSingleMetric(name: string): void;
}

type Aggregator = 'sum' | 'max' | 'min';

interface Value {
  value: number;
  labels: Record<string, string | number>;
  metricName?: string;
}

interface Metric {
  /** Writable: a registry of OpenMetrics takes the suffix off the names of counters. */
  name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What becomes of the values of the workers of a cluster. */
  readonly aggregator: Aggregator;
  get(): Promise<unknown>;
  /** Does nothing: the counts belong to the sources. */
  reset(): void;
}

/** From 1 ms to 70 minutes. */
const TIME_PARKED_BOUNDS = 23;

/**
 * Registers all metrics. Returns a function that takes them out again. @throws Error of prom-client
 * for a name that is taken. Then none is registered.
 */
export function registerInPrometheus(registry: PrometheusRegistry, sources: MetricSources): () => void {
  const measured = new Measured(sources);
  const timesParked = new TimesParked();
  const read = oncePerTurn(() => {
    const found = measured.read();
    timesParked.keepOnly(found.purgatory.map(([name]) => name));
    return found;
  });

  const metrics: Metric[] = [
    ...KINDS.flatMap(({ label, readings, counts }) => [
      ...readings.map((reading) => readingMetric(reading, label, () => read()[label])),
      ...counts.map((each) => countsMetric(each, label, () => read()[label])),
    ]),
    durationsMetric(TIME_PARKED, 'purgatory', () =>
      read()
        .purgatory.filter(([, { tracked }]) => tracked === undefined) // an element begins anew with each touch
        .map(([name]) => [name, timesParked.of(name).snapshot()] as const),
    ),
    durationsMetric(REAPER_LATENESS, 'timer', () =>
      read().timer.map(([name, { lateness }]) => [name, lateness] as const),
    ),
    durationsMetric(BUS_ECHO, 'bus', () => read().bus.map(([name, { echo }]) => [name, echo] as const)),
  ];
  const registered: string[] = [];
  const remove = (): void => {
    for (const name of registered) registry.removeSingleMetric(name);
  };
  try {
    for (const metric of metrics) {
      registry.registerMetric(metric);
      registered.push(metric.name);
    }
  } catch (error) {
    remove();
    throw error;
  }
  const stopListening = measured.listenToEndings((name, parkedMs) => timesParked.of(name).note(parkedMs));
  return () => {
    stopListening();
    remove();
  };
}

function readingMetric<S>(
  { name, help, type, unit, isLeast, of }: Reading<S>,
  label: string,
  states: () => readonly (readonly [string, S])[],
): Metric {
  const isTime = unit === 's';
  const suffix = (isTime ? '_seconds' : '') + (type === 'counter' ? '_total' : '');
  const values = (): Value[] =>
    states().flatMap(([source, snapshot]) => {
      const value = of(snapshot);
      return value === undefined ? [] : [{ value, labels: { [label]: source } }];
    });
  return metric(underscored(name) + suffix, help, type, values, isLeast ? 'min' : isTime ? 'max' : 'sum');
}

function countsMetric<S>(
  { name, help, unit, label: by, of }: CountsBy<S>,
  label: string,
  states: () => readonly (readonly [string, S])[],
): Metric {
  const seconds = unit === 's' ? '_seconds' : '';
  return metric(`${underscored(name)}${seconds}_total`, help, 'counter', () =>
    states().flatMap(([source, snapshot]) =>
      Object.entries(of(snapshot)).map(([key, value]) => ({ value, labels: { [label]: source, [by]: key } })),
    ),
  );
}

function durationsMetric(
  { name, help }: Durations,
  label: string,
  states: () => readonly (readonly [string, DurationSnapshot])[],
): Metric {
  const histogram = `${underscored(name)}_seconds`;
  return metric(histogram, help, 'histogram', () =>
    states().flatMap(([source, durations]) => histogramValues(histogram, { [label]: source }, durations)),
  );
}

function metric(
  name: string,
  help: string,
  type: Metric['type'],
  values: () => Value[],
  aggregator: Aggregator = 'sum',
): Metric {
  return {
    name,
    help,
    type,
    aggregator,
    async get() {
      return { name: this.name, help, type, aggregator, values: values() };
    },
    reset() {},
  };
}

/** Prometheus' buckets count all that is up to their bound. */
function histogramValues(
  name: string,
  labels: Record<string, string>,
  { histogram, sumMs }: DurationSnapshot,
): Value[] {
  let count = 0;
  const buckets = histogram.counts.map((inBin, bin) => {
    count += inBin;
    const boundMs = histogram.leMs[bin];
    const le = boundMs === undefined ? '+Inf' : boundMs / 1_000;
    return { metricName: `${name}_bucket`, value: count, labels: { ...labels, le } };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, value: sumMs / 1_000, labels },
    { metricName: `${name}_count`, value: count, labels },
  ];
}

function underscored(name: string): string {
  return name.replaceAll('.', '_');
}

/**
 * Keeps the result of `read` until the next microtask. A registry asks all its metrics before that.
 */
function oncePerTurn<T>(read: () => T): () => T {
  let kept: { value: T } | undefined;
  const turnEnd = new TurnEnd(() => {
    kept = undefined;
  });
  return () => {
    if (kept === undefined) {
      kept = { value: read() };
      turnEnd.request();
    }
    return kept.value;
  };
}

/** The times parked of each purgatory, by its name. */
class TimesParked {
  readonly #histograms = new Map<string, DurationHistogram>();

  of(name: string): DurationHistogram {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      histogram = new DurationHistogram(TIME_PARKED_BOUNDS);
      this.#histograms.set(name, histogram);
    }
    return histogram;
  }

  /** Drops the times of purgatories that are gone. */
  keepOnly(names: readonly string[]): void {
    for (const name of this.#histograms.keys()) if (!names.includes(name)) this.#histograms.delete(name);
  }
}
