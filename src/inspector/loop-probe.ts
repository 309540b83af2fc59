// How long the event loop stood still: an interval, and by how much it comes late.
//
// Ground rules. It probes from `start` to `stop` only, and keeps no process alive. It keeps the host's own clock and interval, since a fake
// clock that is moved on for an hour blocks nobody. A block is told whenever it began, less the probe's own interval at most.
// (perf_hooks' monitorEventLoopDelay would miss those that begin right after it was read: its reset() forgets the last probe as well.)
const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);

export class LoopProbe {
  readonly #everyMs: number;
  #interval: NodeJS.Timeout | undefined;
  #probedMs = 0;
  #longestMs = 0;

  /** @param everyMs how often the event loop is probed: a block that is shorter goes unseen. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  start(): void {
    this.#probedMs = now();
    this.#longestMs = 0;
    this.#interval = setInterval(() => this.#probe(), this.#everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
  }

  /** The longest block in ms since it was last asked, beyond the probe's own interval; 0 while stopped. */
  take(): number {
    if (this.#interval === undefined) return 0;
    this.#probe();
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }

  #probe(): void {
    const nowMs = now();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#probedMs - this.#everyMs);
    this.#probedMs = nowMs;
  }
}
