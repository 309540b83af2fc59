// What all parts of a bus work with.
import type { SystemTimer } from '../timer/system-timer.ts';
import type { CheckedBusOptions } from './bus.ts';
import type { BusMeter } from './telemetry/bus-meter.ts';

export interface BusBase {
  /** The name of the engine. */
  readonly engine: string;
  readonly options: CheckedBusOptions;
  readonly timer: SystemTimer;
  readonly meter: BusMeter;
}
