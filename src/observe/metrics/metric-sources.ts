// What the metrics are read from (metric-list.ts lists them).
//
// Ground rules. Counts are read from snapshots when a registry asks for them, so they cost nothing
// before. Durations are collected as they happen, from the library's channels: the times parked
// always, the lateness of tasks and the echoes for OpenTelemetry only. While the metrics are
// registered, each operation that leaves costs a clock reading.

import type { BusSnapshot } from '../../bus/telemetry/bus-snapshot.ts';
import type { OperationEnded } from '../../purgatory/telemetry/purgatory-meter.ts';
import type { TimerSnapshot } from '../../timer/timer-snapshot.ts';
import { listen } from '../events/channels.ts';
import { LiveSources, snapshotOf } from '../live-sources.ts';
import type {
  NamedSources,
  ObservedBus,
  ObservedPurgatory,
  ObservedSnapshot,
  ObservedTimer,
  Sources,
} from '../sources.ts';

/** What {@link registerMetrics} measures. */
export interface MetricSources {
  /**
   * Purgatories of any kind, Replies and IdleTimeouts: an array, a Set, or a function that returns
   * one. It is read anew at each scrape: later
   * purgatories are measured, and closed ones are not. The label `purgatory` has the name. Two that
   * are given at first must differ in their names. One that comes later with a name in use gets a
   * number behind the name.
   */
  purgatories?: Sources<ObservedPurgatory> | undefined;
  /**
   * As the purgatories, or an object of them by name. The label `timer` has that name, or else the
   * place among all that are given. Timers of the purgatories need not be given.
   */
  timers?: NamedSources<ObservedTimer> | undefined;
  /** As the timers, with the label `bus`. Buses that the purgatories are on need not be given. */
  buses?: NamedSources<ObservedBus> | undefined;
}

type Named<S> = readonly (readonly [name: string, snapshot: S])[];

export interface States {
  readonly purgatory: Named<ObservedSnapshot>;
  readonly timer: Named<TimerSnapshot>;
  readonly bus: Named<BusSnapshot>;
}

/** What is measured, read anew at each scrape. */
export class Measured extends LiveSources {
  constructor({ purgatories = [], timers = [], buses = [] }: MetricSources) {
    super({ purgatories, timers, buses });
  }

  /** The snapshot of each open source, by the label of its kind. */
  read(): States {
    const { purgatories, timers, buses } = this.look();
    return {
      purgatory: purgatories.map(([name, purgatory]) => [name, snapshotOf(purgatory, 0)]),
      timer: timers.map(([name, timer]) => [name, timer.snapshot()]),
      bus: buses.map(([name, bus]) => [name, bus.snapshot()]),
    };
  }

  /** Calls `onEcho` for each echo of one of the buses. Returns a function that ends it. */
  listenToEchoes(onEcho: (bus: string, ms: number) => void): () => void {
    return listen('purgatory:bus:echo', ({ bus, ms }) => {
      const name = this.nameOf(bus);
      if (name !== undefined) onEcho(name, ms);
    });
  }

  /**
   * Calls `onEnd` for each operation and reply that leaves one of the purgatories. Returns a function that
   * ends it.
   */
  listenToEndings(onEnd: (purgatory: string, parkedMs: number) => void): () => void {
    const receive = ({ purgatory, parkedMs }: OperationEnded): void => {
      const name = this.nameOf(purgatory);
      if (name !== undefined) onEnd(name, parkedMs);
    };
    const stops = ENDINGS.map((name) => listen(name, receive));
    stops.push(
      listen('purgatory:reply:ended', ({ replies, expectedMs }) => {
        const name = this.nameOf(replies);
        if (name !== undefined) onEnd(name, expectedMs);
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }
}

const ENDINGS = [
  'purgatory:operation:completed',
  'purgatory:operation:expired',
  'purgatory:operation:cancelled',
  'purgatory:operation:rejected',
] as const;
