// The latest cascades of the shown timers.
//
// Ground rules. It subscribes only while somebody watches. It keeps the latest MAX_CASCADES of each
// timer. A bucket whose tasks had all left before it expired does not count. It keeps no timer. O(1)
// an event.

import type { WheelCascaded } from '../../timer/timer-meter.ts';
import { listen } from '../events/channels.ts';
import { type Cascade, MAX_CASCADES } from './frame.ts';
import type { Host } from './host.ts';

export class Cascades {
  readonly #host: Host;
  #of = new WeakMap<object, readonly Cascade[]>();
  #stopListening = (): void => {};

  constructor(host: Host) {
    this.#host = host;
  }

  start(): void {
    this.#stopListening = listen('purgatory:wheel:cascaded', (event) => this.#note(event));
  }

  stop(): void {
    this.#stopListening();
    this.#of = new WeakMap();
  }

  /** The last one last. */
  of(timer: object): readonly Cascade[] {
    return this.#of.get(timer) ?? [];
  }

  #note({ timer, level, bucket, tasks }: WheelCascaded): void {
    if (tasks === 0) return;
    const cascade = { level, bucket, tasks, atMs: this.#host.now() };
    this.#of.set(timer, [...this.of(timer).slice(1 - MAX_CASCADES), cascade]);
  }
}
