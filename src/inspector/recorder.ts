// What there is to tell, gathered while somebody watches.
//
// Ground rules. It reads snapshots when a frame is made, and listens to the library's channels and to the event loop between frames; both
// only from `start` to `stop`. Costs: a frame is O(buckets + parked operations looked at by the snapshots), an event O(1).
import { randomUUID } from 'node:crypto';
import type { PurgatorySnapshot } from '../purgatory/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/timer-snapshot.ts';
import { Cascades } from './cascades.ts';
import type { FrameSource } from './feed.ts';
import { type Frame, TOP } from './frame.ts';
import { LoopProbe } from './loop-probe.ts';
import { Timelines } from './timelines.ts';
import { purgatoryView, timerView } from './views.ts';

/** What a Recorder reads of a purgatory. */
export interface ObservedPurgatory {
  snapshot(options: { top: number }): PurgatorySnapshot;
}

/** What a Recorder reads of a timer. */
export interface ObservedTimer {
  snapshot(): TimerSnapshot;
}

export class Recorder implements FrameSource {
  readonly #run = randomUUID();
  readonly #purgatories: readonly ObservedPurgatory[];
  readonly #timers: readonly ObservedTimer[];
  readonly #cascades: Cascades;
  readonly #timelines: Timelines;
  readonly #loop = new LoopProbe();

  constructor(purgatories: readonly ObservedPurgatory[], timers: readonly ObservedTimer[]) {
    this.#purgatories = purgatories;
    this.#timers = timers;
    this.#cascades = new Cascades(timers);
    this.#timelines = new Timelines(purgatories);
  }

  start(): void {
    this.#loop.start();
    this.#cascades.start();
    this.#timelines.start();
  }

  stop(): void {
    this.#loop.stop();
    this.#cascades.stop();
    this.#timelines.stop();
  }

  frame(): Frame {
    return {
      run: this.#run,
      atMs: performance.now(),
      blockedMs: this.#loop.take(),
      purgatories: this.#purgatories.map((purgatory) => purgatoryView(purgatory.snapshot({ top: TOP }))),
      timers: this.#timers.map((timer) => timerView(timer.snapshot(), this.#cascades.take(timer))),
      timelines: this.#timelines.told(),
    };
  }
}
