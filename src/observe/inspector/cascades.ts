// The cascades of the shown timers since the last frame.
//
// Ground rules. It subscribes only while somebody watches. Of many cascades in one frame, it keeps
// the latest MAX_CASCADES. A bucket whose tasks had all left before it expired does not count. It
// keeps no timer. O(1) an event.

import type { WheelCascaded } from '../../timer/timer-meter.ts';
import { listen } from '../events/channels.ts';
import { type Cascade, MAX_CASCADES, type TimerView } from './frame.ts';

interface OfTimer {
  readonly since: readonly Cascade[];
  readonly last: Cascade;
  readonly lastAtMs: number;
}

export class Cascades {
  #of = new WeakMap<object, OfTimer>();
  #stopListening = (): void => {};

  start(): void {
    this.#stopListening = listen('purgatory:wheel:cascaded', (event) => this.#note(event));
  }

  stop(): void {
    this.#stopListening();
    this.#of = new WeakMap();
  }

  /** The cascades of one timer since the last call, and the last cascade. */
  take(timer: object): Pick<TimerView, 'cascades' | 'lastCascade'> {
    const of = this.#of.get(timer);
    if (of === undefined) return { cascades: [], lastCascade: null };
    this.#of.set(timer, { ...of, since: [] });
    return { cascades: of.since, lastCascade: { ...of.last, agoMs: performance.now() - of.lastAtMs } };
  }

  #note({ timer, level, bucket, tasks }: WheelCascaded): void {
    if (tasks === 0) return;
    const last = { level, bucket, tasks };
    const before = this.#of.get(timer)?.since ?? [];
    const since = [...before.slice(1 - MAX_CASCADES), last];
    this.#of.set(timer, { since, last, lastAtMs: performance.now() });
  }
}
