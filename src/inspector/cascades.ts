// The cascades of the shown timers since the last frame.
//
// Ground rules. Subscribed only while somebody watches. Of many in one frame the latest MAX_CASCADES are kept; a bucket whose tasks had all
// left before it expired is none. O(1) an event.
import { type WheelCascaded, wheelCascaded } from '../timer/timer-events.ts';
import { type Cascade, MAX_CASCADES } from './frame.ts';

export class Cascades {
  readonly #of = new Map<unknown, Cascade[]>();

  constructor(timers: readonly unknown[]) {
    for (const timer of timers) this.#of.set(timer, []);
  }

  start(): void {
    wheelCascaded.subscribe(this.#note);
  }

  stop(): void {
    wheelCascaded.unsubscribe(this.#note);
    for (const timer of this.#of.keys()) this.take(timer);
  }

  /** Those of one timer, once. */
  take(timer: unknown): readonly Cascade[] {
    const cascades = this.#of.get(timer) ?? [];
    this.#of.set(timer, []);
    return cascades;
  }

  readonly #note = (event: unknown): void => {
    const { timer, level, bucket, tasks } = event as WheelCascaded;
    const cascades = this.#of.get(timer);
    if (cascades === undefined || tasks === 0) return;
    if (cascades.length === MAX_CASCADES) cascades.shift();
    cascades.push({ ring: level, bucket, tasks });
  };
}
