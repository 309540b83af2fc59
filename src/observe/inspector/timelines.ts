// The lives of a few operations, from the library's channels.
//
// Ground rules. It follows only operations that are parked while somebody watches: at most half of
// MAX_TIMELINES at a time. It also keeps the same number of operations that ended, normally the
// latest. When all places are taken, a new operation takes the place of the youngest, if that one
// has waited for YIELD_MS. So long waits are followed to their end, and there is always something
// new. Once the list of ended operations is full, it changes at most every CALM_MS, so that a
// reader can choose from it. An event costs one look-up. Nothing of an operation is kept after
// `stop`.

import { keyText } from '../../base/text.ts';
import type {
  OperationEnded,
  OperationParked,
  OperationTried,
} from '../../purgatory/telemetry/purgatory-meter.ts';
import { listen } from '../events/channels.ts';
import type { LiveSources } from '../live-sources.ts';
import { ENDS, MAX_EVENTS, MAX_TIMELINES, type Timeline, type TimelineEvent } from './frame.ts';
import type { Host } from './host.ts';
import { typeOf } from './last-errors.ts';

const PLACES = MAX_TIMELINES / 2;
const YIELD_MS = 1000;
const CALM_MS = 2000;
/** As in a snapshot. */
const MAX_KEYS = 8;

/** A {@link Timeline} under way. */
interface Life {
  readonly timeline: Timeline & { ageMs: number; events: TimelineEvent[]; untold: number };
  readonly parkedAtMs: number;
}

export class Timelines {
  readonly #host: Host;
  readonly #shown: LiveSources;
  readonly #under = new Map<unknown, Life>();
  #ended: Timeline[] = [];
  #lastId = 0;
  #changedAtMs = 0;
  #stops: (() => void)[] = [];

  constructor(host: Host, shown: LiveSources) {
    this.#host = host;
    this.#shown = shown;
  }

  start(): void {
    this.#stops = [
      listen('purgatory:operation:parked', (event) => this.#park(event)),
      listen('purgatory:operation:tried', (event) => this.#note('tried', event)),
      ...ENDS.map((end) => listen(`purgatory:operation:${end}`, (event) => this.#note(end, event))),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#under.clear();
    this.#ended = [];
  }

  /** The ended ones, the oldest first, then those that wait. */
  snapshot(): readonly Timeline[] {
    const nowMs = this.#host.now();
    const waiting = Array.from(this.#under.values(), ({ timeline, parkedAtMs }) => {
      timeline.ageMs = nowMs - parkedAtMs;
      return timeline;
    });
    return [...this.#ended, ...waiting];
  }

  #park({ purgatory, operation, watches }: OperationParked): void {
    const name = this.#shown.nameOf(purgatory);
    if (name === undefined || !this.#hasPlace()) return;
    this.#under.set(operation, {
      parkedAtMs: this.#host.now(),
      timeline: {
        id: ++this.#lastId,
        purgatory: name,
        type: typeOf(operation),
        keys: watches.slice(0, MAX_KEYS).map((key) => keyText(key)),
        ageMs: 0,
        events: [{ afterMs: 0, what: 'parked' }],
        untold: 0,
      },
    });
  }

  #hasPlace(): boolean {
    if (this.#under.size < PLACES) return true;
    const [operation, youngest] = [...this.#under].pop() as [unknown, Life];
    if (this.#host.now() - youngest.parkedAtMs < YIELD_MS) return false;
    this.#under.delete(operation);
    return true;
  }

  #note(what: TimelineEvent['what'], event: OperationEnded | OperationTried): void {
    const { operation } = event;
    const life = this.#under.get(operation);
    if (life === undefined) return;
    const { timeline, parkedAtMs } = life;
    const isEnd = what !== 'tried';
    if (!isEnd && timeline.events.length >= MAX_EVENTS - 1) {
      timeline.untold++;
      return;
    }
    const by = 'key' in event && event.key !== undefined ? { key: keyText(event.key) } : {};
    const nowMs = this.#host.now();
    timeline.ageMs = nowMs - parkedAtMs;
    timeline.events.push({ afterMs: timeline.ageMs, what, ...by });
    if (!isEnd) return;
    this.#under.delete(operation);
    if (this.#ended.length === PLACES && nowMs - this.#changedAtMs < CALM_MS) return;
    this.#changedAtMs = nowMs;
    this.#ended = [...this.#ended.slice(1 - PLACES), timeline];
  }
}
