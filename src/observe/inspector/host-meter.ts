// How the thread of the event loop spent a span of time: on a CPU, waiting for one, or neither; and
// the same for the longest time that the loop was blocked.
//
// Ground rules. It measures only from `start` to `stop`. An interval of the host measures how late
// it runs. The time that it reports is shorter than the block, by the interval at most. A probe
// costs about 10 microseconds. (monitorEventLoopDelay of perf_hooks misses a block right after it
// was read.)
import type { Second, Spent } from './frame.ts';
import type { Host } from './host.ts';

/** At one moment, counted since some beginning. */
type Reading = readonly [atMs: number, ranMs: number, waitedMs: number | null];

export class HostMeter {
  readonly #host: Host;
  readonly #probeMs: number;
  #stop = (): void => {};
  #taken!: Reading;
  #probed!: Reading;
  #blocked!: Spent;

  /** @param probeMs the interval of the probe. A shorter block is not seen. */
  constructor(host: Host, probeMs: number) {
    this.#host = host;
    this.#probeMs = probeMs;
  }

  start(): void {
    this.#probed = this.#reading();
    this.#forget();
    this.#stop = this.#host.every(this.#probeMs, () => this.#probe());
  }

  stop(): void {
    this.#stop();
  }

  /** Of the time since `start`, or since the last call. Only between `start` and `stop`. */
  take(): Spent & Pick<Second, 'blocked'> {
    this.#probe();
    const taken = { ...spentBetween(this.#taken, this.#probed), blocked: this.#blocked };
    this.#forget();
    return taken;
  }

  #forget(): void {
    this.#taken = this.#probed;
    this.#blocked = spentBetween(this.#taken, this.#taken);
  }

  #reading(): Reading {
    return [this.#host.now(), ...this.#host.spent()];
  }

  #probe(): void {
    const at = this.#reading();
    const { overMs, ranMs, waitedMs } = spentBetween(this.#probed, at);
    const blockedMs = overMs - this.#probeMs;
    if (blockedMs > this.#blocked.overMs) {
      const within = (ms: number): number => Math.min(ms, blockedMs);
      this.#blocked = {
        overMs: blockedMs,
        ranMs: within(ranMs),
        waitedMs: waitedMs === null ? null : within(waitedMs),
      };
    }
    this.#probed = at;
  }
}

function spentBetween([fromMs, ranMs, waitedMs]: Reading, to: Reading): Spent {
  const isKnown = waitedMs !== null && to[2] !== null;
  return { overMs: to[0] - fromMs, ranMs: to[1] - ranMs, waitedMs: isKnown ? to[2] - waitedMs : null };
}
