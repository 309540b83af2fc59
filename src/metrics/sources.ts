// What the metrics are read from (readings.ts lists them).
//
// Ground rules. Counts are read from snapshots when a registry asks for them, so they cost nothing
// before. Durations are collected as they happen, from the library's channels: the times parked
// always, the lateness of tasks and the echoes for OpenTelemetry only. While the metrics are
// registered, each operation that leaves costs a clock reading.
import type { BusSnapshot } from '../bus/telemetry/bus-snapshot.ts';
import { listen } from '../events/index.ts';
import { LiveSources, type NamedSources, openNamedSources, type Sources } from '../live-sources.ts';
import type { OperationEnded } from '../purgatory/telemetry/operation-events.ts';
import type { PurgatorySnapshot } from '../purgatory/telemetry/purgatory-snapshot.ts';
import type { LoadsSnapshot } from '../shared/load-meter.ts';
import type { TimerSnapshot } from '../timer/telemetry/timer-state.ts';

/** A purgatory of any kind, or SharedWaits. */
export interface MeasuredPurgatory {
  readonly name: string;
  /** A closed one is not measured any more. */
  readonly isClosed?: boolean | undefined;
  /**
   * Measured too, if it has a snapshot(). Its label is its name among the timers, or else the name
   * of the purgatory.
   */
  readonly timer?: object | undefined;
  snapshot(options: { top: number }): MeasuredSnapshot;
}

/** The snapshot of a purgatory, or of SharedWaits, which have loads as well. */
export type MeasuredSnapshot = PurgatorySnapshot & { readonly loads?: LoadsSnapshot };

/** A SystemTimer. */
export interface MeasuredTimer {
  /** A closed one is not measured any more. */
  readonly isClosed?: boolean | undefined;
  snapshot(): TimerSnapshot;
}

/** A Bus of purgatory/bus. */
export interface MeasuredBus {
  /** A closed one is not measured any more. */
  readonly isClosed?: boolean | undefined;
  snapshot(): BusSnapshot;
}

/** What {@link registerMetrics} measures. */
export interface MetricSources {
  /**
   * An array, a Set, or a function that returns one. It is read anew at each scrape: later
   * purgatories are measured, and closed ones are not. The label `purgatory` has the name. No two
   * may have the same name at first. A later one of the same name gets a number behind it.
   */
  purgatories?: Sources<MeasuredPurgatory> | undefined;
  /**
   * As the purgatories, or an object of them by name. The label `timer` has that name, or else the
   * place among all that are given. Timers of the purgatories need not be given.
   */
  timers?: NamedSources<MeasuredTimer> | undefined;
  /** As the timers, with the label `bus`. */
  buses?: NamedSources<MeasuredBus> | undefined;
}

/** What is measured, read anew at each scrape. */
export class Measured extends LiveSources<MeasuredPurgatory, MeasuredTimer> {
  readonly #buses: NamedSources<MeasuredBus>;

  constructor({ purgatories = [], timers = [], buses = [] }: MetricSources) {
    super(purgatories, timers);
    this.#buses = buses;
  }

  /** The buses that are open now. O(buses). */
  buses(): (readonly [name: string, bus: MeasuredBus])[] {
    return openNamedSources(this.#buses);
  }

  /** Calls `onEcho` for each echo of one of the buses. Returns a function that ends it. */
  listenToEchoes(onEcho: (bus: string, ms: number) => void): () => void {
    return listen('purgatory:bus:echo', ({ bus, ms }) => {
      const named = this.buses().find(([, each]) => each === bus);
      if (named !== undefined) onEcho(named[0], ms);
    });
  }

  /**
   * Calls `onEnd` for each operation that leaves one of the purgatories. Returns a function that
   * ends it.
   */
  listenToEndings(onEnd: (purgatory: string, parkedMs: number) => void): () => void {
    const receive = ({ purgatory, parkedMs }: OperationEnded): void => {
      const name = this.nameOf(purgatory);
      if (name !== undefined) onEnd(name, parkedMs);
    };
    const stops = ENDINGS.map((name) => listen(name, receive));
    return () => {
      for (const stop of stops) stop();
    };
  }
}

const ENDINGS = [
  'purgatory:operation:completed',
  'purgatory:operation:expired',
  'purgatory:operation:cancelled',
] as const;
