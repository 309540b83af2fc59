// How long the event loop was blocked: an interval measures how late it runs.
//
// Ground rules. It probes only from `start` to `stop`, and keeps no process alive. It uses the
// host's own clock and interval, because a fake clock that is moved by an hour blocks nobody. It
// reports each block, whenever the block began. The reported time is shorter than the block by at
// most the probe's own interval. (perf_hooks' monitorEventLoopDelay would miss a block that begins
// right after it was read: its reset() forgets the last probe as well.)
const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);

export class BlockProbe {
  readonly #everyMs: number;
  #interval: NodeJS.Timeout | undefined;
  #probedMs = 0;
  #longestMs = 0;

  /** @param everyMs the interval of the probe. A shorter block is not seen. */
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

  /**
   * The longest block in ms since the last call, beyond the probe's own interval. 0 while stopped.
   */
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
