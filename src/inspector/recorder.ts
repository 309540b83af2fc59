// What there is to tell, gathered while somebody watches.
//
// Ground rules. It reads snapshots when a frame is made, and listens to the library's channels and to the event loop between frames; both
// only from `start` to `stop`. Costs: a frame is O(buckets + parked operations looked at by the snapshots), an event O(1).
import { randomUUID } from 'node:crypto';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { PurgatorySnapshot } from '../purgatory/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/timer-snapshot.ts';
import { Cascades } from './cascades.ts';
import type { FrameSource } from './feed.ts';
import { type Frame, TOP } from './frame.ts';
import { Timelines } from './timelines.ts';
import { purgatoryView, timerView } from './views.ts';

/** How often the event loop is probed, in ms: a block that is shorter goes unseen. */
const PROBE_MS = 10;

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
  #loop: IntervalHistogram | undefined;

  constructor(purgatories: readonly ObservedPurgatory[], timers: readonly ObservedTimer[]) {
    this.#purgatories = purgatories;
    this.#timers = timers;
    this.#cascades = new Cascades(timers);
    this.#timelines = new Timelines(purgatories);
  }

  start(): void {
    this.#loop = monitorEventLoopDelay({ resolution: PROBE_MS });
    this.#loop.enable();
    this.#cascades.start();
    this.#timelines.start();
  }

  stop(): void {
    this.#loop?.disable();
    this.#loop = undefined;
    this.#cascades.stop();
    this.#timelines.stop();
  }

  frame(): Frame {
    return {
      run: this.#run,
      atMs: performance.now(),
      blockedMs: this.#blockedMs(),
      purgatories: this.#purgatories.map((purgatory) => purgatoryView(purgatory.snapshot({ top: TOP }))),
      timers: this.#timers.map((timer) => timerView(timer.snapshot(), this.#cascades.take(timer))),
      timelines: this.#timelines.told(),
    };
  }

  /** The longest delay of a probe since the last frame; the probe's own interval is part of what Node measures. */
  #blockedMs(): number {
    const loop = this.#loop;
    if (loop === undefined || loop.count === 0) return 0;
    const longestMs = loop.max / 1e6 - PROBE_MS;
    loop.reset();
    return Math.max(0, longestMs);
  }
}
