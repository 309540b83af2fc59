// The content of the frames, gathered while somebody watches.
//
// Ground rules. It reads snapshots when a frame is made, from `start` to `stop`. Costs: those of the
// snapshots.

import { randomUUID } from 'node:crypto';
import { cut } from '../../base/text.ts';
import { type LiveSources, snapshotOf } from '../live-sources.ts';
import type { ObservedPurgatory } from '../sources.ts';
import { type Frame, type History, MAX_NAME_LENGTH, type PurgatoryView, TOP } from './frame.ts';
import type { Host } from './host.ts';
import { type Lookup, shownOperation } from './lookup.ts';
import type { SecondRecorder } from './second-recorder.ts';

export class Recorder {
  readonly #run = randomUUID();
  readonly #shown: LiveSources;
  readonly #seconds: SecondRecorder;
  readonly #lookup: Lookup;
  readonly #host: Host;

  constructor(host: Host, shown: LiveSources, seconds: SecondRecorder, lookup: Lookup) {
    this.#host = host;
    this.#lookup = lookup;
    this.#shown = shown;
    this.#seconds = seconds;
  }

  /** Somebody watches from now on. */
  start(): void {
    this.#seconds.start(this);
  }

  /** Nobody watches any more. */
  stop(): void {
    this.#seconds.stop(this);
  }

  /** The present, and the news since the last frame. */
  frame(): Frame {
    const { purgatories, timers, buses } = this.#shown.look();
    return {
      run: this.#run,
      wallMs: this.#host.wallNow(),
      second: this.#seconds.seconds.at(-1) ?? null,
      purgatories: purgatories.map(([name, purgatory]) => this.#viewOf(name, purgatory)),
      timers: timers.map(([name, timer]) => ({
        ...timer.snapshot(),
        name,
        of: purgatories.filter(([, each]) => each.timer === timer).map(([each]) => each),
      })),
      buses: buses.map(([name, bus]) => {
        const snapshot = bus.snapshot();
        // Its place in an array is no name for people.
        const shown = /^\d+$/.test(name) ? null : cut(name, MAX_NAME_LENGTH);
        return { ...snapshot, name: shown, members: snapshot.members.slice(0, TOP) };
      }),
    };
  }

  history(): History {
    return { run: this.#run, seconds: this.#seconds.seconds };
  }

  #viewOf(name: string, purgatory: ObservedPurgatory): PurgatoryView {
    const operations = purgatory.$parked?.lists.oldestFirst(TOP) ?? [];
    const ids = operations.map((operation) => this.#lookup.idOf(operation, purgatory));
    const snapshot = snapshotOf(purgatory, TOP);
    return {
      ...snapshot,
      name,
      oldest: snapshot.oldest.map((old, index) =>
        shownOperation(old, snapshot.nowMs, name, ids[index] ?? null),
      ),
    };
  }
}
