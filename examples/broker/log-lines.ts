/**
 * The lines that a broker logs, and a limit on those that clients can cause: a hundred thousand
 * refused connections are a line a second, not a disk full of lines.
 *
 * Lines that differ only in numbers and in quoted names are of one kind, so names that clients give
 * have to stand in quotes. Of each kind the first line is written at once. Those that follow within
 * a second are counted, and at its end the last of them is written with the count of the others; so
 * nothing that came is hidden, and a kind costs one line a second at most. A line that is not
 * limited is always written. Owns one pending task for a kind, on a timer that keeps no process
 * alive. O(1) a line.
 */
import { type Clock, SystemTimer } from 'purgatory';

/** `limited`: clients can have the broker write such a line again and again. */
export type Log = (line: string, isLimited?: 'limited') => void;

const INTERVAL_MS = 1000;

/** What the lines of its kind have in common with it. */
export function kindOf(line: string): string {
  return line.replaceAll(/"(?:[^"\\]|\\.)*"|\d+/g, '#');
}

/** The lines of one kind since the last one that was written. */
interface Held {
  last: string;
  count: number;
}

export class LimitedLog {
  readonly #write: (line: string) => void;
  readonly #timer: SystemTimer;
  readonly #held = new Map<string, Held>();

  constructor(write: (line: string) => void, clock?: Clock) {
    this.#write = write;
    this.#timer = new SystemTimer({ clock }).unref();
  }

  readonly log: Log = (line, isLimited) => {
    const kind = kindOf(line);
    const held = isLimited && this.#held.get(kind);
    if (held !== undefined) {
      held.last = line;
      held.count++;
      return;
    }
    this.#write(line);
    if (isLimited) this.#hold(kind);
  };

  /** Writes what is held of all kinds. To be called before the process ends. */
  flush(): void {
    for (const held of this.#held.values()) this.#writeHeld(held);
    this.#held.clear();
    this.#timer.close();
  }

  #hold(kind: string): void {
    this.#held.set(kind, { last: '', count: 0 });
    this.#timer.schedule(() => this.#onInterval(kind), INTERVAL_MS);
  }

  #onInterval(kind: string): void {
    const held = this.#held.get(kind);
    this.#held.delete(kind);
    if (held === undefined || held.count === 0) return;
    this.#writeHeld(held);
    this.#hold(kind);
  }

  #writeHeld({ last, count }: Held): void {
    if (count === 1) this.#write(last);
    else if (count > 1)
      this.#write(`${last} (and ${count - 1} more ${count === 2 ? 'line' : 'lines'} of this kind, left out)`);
  }
}
