/**
 * The lines that a broker logs, and a limit on those that clients can cause: a hundred thousand
 * refused connections are a line a second, not a disk full of lines.
 *
 * Of each kind the first line is written at once. Those that follow within a second are counted,
 * and at its end the last of them is written with the count of the others; so nothing that came is
 * hidden, and a kind costs one line a second at most. A line without a kind is always written. Owns
 * one pending task for a kind, on a timer that keeps no process alive. O(1) a line.
 */
import { type Clock, SystemTimer } from 'purgatory';

/** What clients can have a broker write again and again. */
export type LineKind =
  | 'fault'
  | 'refused request'
  | 'failed produce'
  | 'idle connection'
  | 'refused connection'
  | 'held memory'
  | 'refused topics'
  | 'refused batches'
  | 'refused commits'
  | 'refused member'
  | 'refused transaction'
  | 'refused group'
  | 'refused copy'
  | 'full disk'
  | 'inexact search';

export type Log = (line: string, kind?: LineKind) => void;

const INTERVAL_MS = 1000;

/** The lines of one kind since the last one that was written. */
interface Held {
  last: string;
  count: number;
}

export class LimitedLog {
  readonly #write: (line: string) => void;
  readonly #timer: SystemTimer;
  readonly #held = new Map<LineKind, Held>();

  constructor(write: (line: string) => void, clock?: Clock) {
    this.#write = write;
    this.#timer = new SystemTimer({ clock }).unref();
  }

  readonly log: Log = (line, kind) => {
    const held = kind && this.#held.get(kind);
    if (held !== undefined) {
      held.last = line;
      held.count++;
      return;
    }
    this.#write(line);
    if (kind !== undefined) this.#hold(kind);
  };

  /** Writes what is held of all kinds. To be called before the process ends. */
  flush(): void {
    for (const held of this.#held.values()) this.#writeHeld(held);
    this.#held.clear();
    this.#timer.close();
  }

  #hold(kind: LineKind): void {
    this.#held.set(kind, { last: '', count: 0 });
    this.#timer.schedule(() => this.#onInterval(kind), INTERVAL_MS);
  }

  #onInterval(kind: LineKind): void {
    const held = this.#held.get(kind);
    this.#held.delete(kind);
    if (held === undefined || held.count === 0) return;
    this.#writeHeld(held);
    this.#hold(kind);
  }

  #writeHeld({ last, count }: Held): void {
    if (count === 1) this.#write(last);
    else if (count > 1) this.#write(`${last} (and ${count - 1} more lines of this kind, left out)`);
  }
}
