// The metrics of a meter of OpenTelemetry, with the bounds of its histograms.
//
// Ground rules. @opentelemetry/api is not imported, and its types neither: users without it can
// compile. Counts are read in one batch for each collection. A meter takes no whole histograms, so
// each duration is recorded as it happens, from the library's channels.

import { invalidArgValue } from '../../base/node-errors.ts';
import { listen } from '../events/channels.ts';
import {
  BUS_ECHO,
  type Durations,
  KINDS,
  type Kind,
  REAPER_LATENESS,
  type Reading,
  TIME_PARKED,
} from './metric-list.ts';
import { Measured, type MetricSources } from './metric-sources.ts';

/** The part of OpenTelemetry's Meter that the library uses. */
export interface OpenTelemetryMeter {
  createObservableCounter(name: string, options: InstrumentOptions): object;
  createObservableGauge(name: string, options: InstrumentOptions): object;
  createObservableUpDownCounter(name: string, options: InstrumentOptions): object;
  createHistogram(name: string, options: InstrumentOptions): DurationRecorder;
  // biome-ignore lint/suspicious/noExplicitAny: the instruments are the meter's own
  addBatchObservableCallback(callback: (result: any) => void, observables: any[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  removeBatchObservableCallback(callback: (result: any) => void, observables: any[]): void;
}

/** The options of an instrument. */
export interface InstrumentOptions {
  description: string;
  unit: string;
  advice?: { explicitBucketBoundaries: number[] };
}

/** The part of OpenTelemetry's Histogram that the library uses. */
export interface DurationRecorder {
  record(value: number, attributes: Record<string, string>): void;
}

interface BatchResult {
  observe(instrument: object, value: number | undefined, attributes: Record<string, string>): void;
}

/** In seconds. For the times in which a server answers: from one tick to half an hour. */
const TIME_PARKED_BOUNDARIES = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];
/** In seconds: from a tick to an event loop that was blocked for long. */
const LATENESS_BOUNDARIES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];

/** The meters that have the metrics now. A second set of instruments would spoil the first. */
const meters = new WeakSet<OpenTelemetryMeter>();

/**
 * Makes all instruments and records into them. Returns a function that ends the recording.
 *
 * @throws TypeError ERR_INVALID_ARG_VALUE for a meter that has the metrics already.
 */
export function registerInMeter(meter: OpenTelemetryMeter, sources: MetricSources): () => void {
  if (meters.has(meter)) {
    const why = 'must not have the metrics already: register all sources in one call';
    throw invalidArgValue('registry', why, meter.constructor.name);
  }
  const measured = new Measured(sources);
  const kinds = KINDS.map((kind) => instrumentsOf(meter, kind));
  const instruments = kinds.flatMap(({ all }) => all);
  // Without an SDK everybody gets the same meter, and all of its instruments are one.
  if (new Set(instruments).size === instruments.length) meters.add(meter);
  const observe = (result: BatchResult): void => {
    const states = measured.read();
    for (const { label, observe } of kinds) {
      for (const [name, snapshot] of states[label]) observe(result, name, snapshot);
    }
  };
  meter.addBatchObservableCallback(observe, instruments);

  const timeParked = histogram(meter, TIME_PARKED, TIME_PARKED_BOUNDARIES);
  const lateness = histogram(meter, REAPER_LATENESS, LATENESS_BOUNDARIES);
  const echo = histogram(meter, BUS_ECHO, LATENESS_BOUNDARIES);
  const stops = [
    measured.listenToEndings((purgatory, parkedMs) => timeParked.record(parkedMs / 1_000, { purgatory })),
    listen('purgatory:task:run', (event) => {
      const timer = measured.nameOf(event.timer);
      if (timer !== undefined) lateness.record(event.latenessMs / 1_000, { timer });
    }),
    measured.listenToEchoes((bus, ms) => echo.record(ms / 1_000, { bus })),
  ];
  return () => {
    meters.delete(meter);
    meter.removeBatchObservableCallback(observe, instruments);
    for (const stop of stops) stop();
  };
}

/** The instruments of one kind of source, and what observes a snapshot of it in them. */
function instrumentsOf(meter: OpenTelemetryMeter, { label: kind, readings, counts }: Kind) {
  const read = readings.map((reading) => [reading, instrument(meter, reading)] as const);
  const counted = counts.map((each) => [each, instrument(meter, { ...each, type: 'counter' })] as const);
  return {
    label: kind,
    all: [...read, ...counted].map(([, observable]) => observable),
    observe(result: BatchResult, name: string, snapshot: unknown): void {
      const labels = { [kind]: name };
      for (const [{ of }, observable] of read) {
        const value = of(snapshot);
        if (value !== undefined) result.observe(observable, value, labels);
      }
      for (const [{ of, label }, observable] of counted) {
        for (const [by, value] of Object.entries(of(snapshot))) {
          result.observe(observable, value, { ...labels, [label]: by });
        }
      }
    },
  };
}

function instrument(
  meter: OpenTelemetryMeter,
  { name, help, type, unit }: Pick<Reading<never>, 'name' | 'help' | 'type' | 'unit'>,
): object {
  const options = { description: help, unit };
  if (type === 'counter') return meter.createObservableCounter(name, options);
  // Other gauges than times may be summed over purgatories and processes. In OpenTelemetry, only
  // an UpDownCounter is meant to be summed.
  return unit === 's'
    ? meter.createObservableGauge(name, options)
    : meter.createObservableUpDownCounter(name, options);
}

function histogram(
  meter: OpenTelemetryMeter,
  { name, help }: Durations,
  explicitBucketBoundaries: number[],
): DurationRecorder {
  return meter.createHistogram(name, { description: help, unit: 's', advice: { explicitBucketBoundaries } });
}
