// The content of the frames, gathered while somebody watches.
//
// Ground rules. It reads snapshots when a frame is made. Between frames it listens to the library's
// channels and to the event loop. It does both only from `start` to `stop`. Costs: a frame is
// O(buckets + parked operations that the snapshots look at), an event O(1).

import { randomUUID } from 'node:crypto';
import type { LiveSources } from '../live-sources.ts';
import { Cascades } from './cascades.ts';
import { type Frame, type History, TOP } from './frame.ts';
import { HostMeter } from './host-meter.ts';
import type { Lookup } from './lookup.ts';
import type { SecondRecorder } from './second-recorder.ts';
import { Timelines } from './timelines.ts';
import { busView, purgatoryView, timerView, typeOf } from './views.ts';

const wallNow = Date.now.bind(Date);

/** A shorter block of the event loop is not seen. */
const PROBE_MS = 10;

export class Recorder {
  readonly #run = randomUUID();
  readonly #shown: LiveSources;
  readonly #seconds: SecondRecorder;
  readonly #lookup: Lookup;
  readonly #host = new HostMeter(PROBE_MS);
  readonly #cascades = new Cascades();
  readonly #timelines: Timelines;

  /** @param seconds started or not: its owner decides whether there is a history. */
  constructor(shown: LiveSources, seconds: SecondRecorder, lookup: Lookup) {
    this.#lookup = lookup;
    this.#shown = shown;
    this.#seconds = seconds;
    this.#timelines = new Timelines(shown);
  }

  /** Somebody watches from now on. */
  start(): void {
    this.#host.start();
    this.#seconds.errors.start();
    this.#cascades.start();
    this.#timelines.start();
  }

  /** Nobody watches any more. */
  stop(): void {
    this.#host.stop();
    this.#seconds.errors.stop();
    this.#cascades.stop();
    this.#timelines.stop();
  }

  /** The news since the last frame. */
  frame(): Frame {
    const { purgatories, timers, buses } = this.#shown.look();
    return {
      run: this.#run,
      atMs: performance.now(),
      wallMs: wallNow(),
      host: this.#host.take(),
      second: this.#seconds.seconds.at(-1) ?? null,
      purgatories: purgatories.map(([name, each]) => {
        const oldest = each.$parked?.lists.oldestFirst(TOP) ?? [];
        const known = oldest.map((operation) => ({
          id: this.#lookup.idOf(operation, each),
          type: typeOf(operation),
        }));
        return purgatoryView(name, each.snapshot({ top: TOP }), known, this.#seconds.errors.of(each));
      }),
      timers: timers.map(([name, timer]) => {
        const of = purgatories.filter(([, purgatory]) => purgatory.timer === timer);
        return {
          name,
          of: of.map(([purgatory]) => purgatory),
          ...timerView(timer.snapshot()),
          ...this.#cascades.take(timer),
        };
      }),
      buses: buses.map(([name, bus]) => busView(name, bus.snapshot())),
      timelines: this.#timelines.told(),
    };
  }

  history(): History {
    return { run: this.#run, seconds: this.#seconds.seconds };
  }
}
