// The purgatories and timers that the inspector shows, with names that are short and unique.
import type { BusSnapshot } from '../bus/telemetry/bus-snapshot.ts';
import { LiveSources, type NamedSources, openNamedSources, type Sources } from '../live-sources.ts';
import type { ParkedView } from '../purgatory/abstract-purgatory.ts';
import type { PurgatorySnapshot } from '../purgatory/telemetry/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/telemetry/timer-state.ts';
import { MAX_NAME_LENGTH } from './frame.ts';
import { cut } from './views.ts';

/** What the inspector reads of a purgatory. */
export interface ObservedPurgatory {
  readonly name: string;
  /** A closed one is shown no more. */
  readonly isClosed?: boolean | undefined;
  /** Shown too, if it is a SystemTimer. */
  readonly timer?: object | undefined;
  snapshot(options: { top: number }): PurgatorySnapshot;
  /** The parked operations one by one, if the purgatory has that. @internal */
  readonly $parked?: ParkedView;
}

/** What the inspector reads of a timer. */
export interface ObservedTimer {
  /** A closed one is shown no more. */
  readonly isClosed?: boolean | undefined;
  snapshot(): TimerSnapshot;
  /** The lateness of its snapshot, at a lower cost, if the timer has it. @internal */
  readonly $lateness?: TimerSnapshot['lateness'];
}

/** What the inspector reads of a bus. */
export interface ObservedBus {
  /** A closed one is shown no more. */
  readonly isClosed?: boolean | undefined;
  snapshot(): BusSnapshot;
}

export class Shown extends LiveSources<ObservedPurgatory, ObservedTimer> {
  readonly #buses: NamedSources<ObservedBus>;

  constructor(
    purgatories: Sources<ObservedPurgatory>,
    timers: NamedSources<ObservedTimer>,
    buses: NamedSources<ObservedBus> = [],
  ) {
    super(purgatories, timers, (name) => cut(name, MAX_NAME_LENGTH));
    this.#buses = buses;
  }

  /** The buses that are open now. */
  get buses(): ObservedBus[] {
    return openNamedSources(this.#buses).map(([, bus]) => bus);
  }
}
