// The cascades of the shown timers since the last frame.
//
// Ground rules. It subscribes only while somebody watches. Of many cascades in one frame, it keeps
// the latest MAX_CASCADES. A bucket whose tasks had all left before it expired does not count. It
// keeps no timer. O(1) an event.

import type { WheelCascaded } from '../../timer/telemetry/timer-events.ts';
import { listen } from '../events/channels.ts';
import { MAX_CASCADES } from './frame.ts';
import type { Cascade, TimerView } from './view-types.ts';

interface OfTimer {
  since: Cascade[];
  last: Cascade;
  lastAtMs: number;
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
    const { since, last, lastAtMs } = of;
    of.since = [];
    return { cascades: since, lastCascade: { ...last, agoMs: performance.now() - lastAtMs } };
  }

  #note({ timer, level, bucket, tasks }: WheelCascaded): void {
    if (tasks === 0) return;
    const last = { ring: level, bucket, tasks };
    const lastAtMs = performance.now();
    const of = this.#of.get(timer);
    if (of === undefined) {
      this.#of.set(timer, { since: [last], last, lastAtMs });
      return;
    }
    if (of.since.length === MAX_CASCADES) of.since.shift();
    of.since.push(last);
    of.last = last;
    of.lastAtMs = lastAtMs;
  }
}
