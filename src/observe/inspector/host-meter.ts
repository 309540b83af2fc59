// How the thread of the event loop spent a span of time: on a CPU, waiting for one, or neither; and
// the same for the longest time that the loop was blocked.
//
// Ground rules. It measures only from `start` to `stop`, and keeps no process alive. An interval of
// the host measures how late it runs, by the host's own clock: a fake clock that is moved by an
// hour blocks nobody. The time that it reports is shorter than the block, by the interval at most.
// A probe costs about 10 microseconds. (monitorEventLoopDelay of perf_hooks misses a block right
// after it was read.)
// Source, Linux: Documentation/scheduler/sched-stats.rst, schedstat of a thread. Elsewhere it is
// the CPU time of the whole process, and the system does not say how long it waited.
import { readFileSync } from 'node:fs';
import type { Second, Spent } from './frame.ts';

const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);

/** At one moment, counted since some beginning. */
type Reading = readonly [atMs: number, ranMs: number, waitedMs: number | null];

export class HostMeter {
  readonly #probeMs: number;
  #interval: NodeJS.Timeout | undefined;
  #taken = reading();
  #probed = this.#taken;
  #blocked = spentBetween(this.#taken, this.#taken);

  /** @param probeMs the interval of the probe. A shorter block is not seen. */
  constructor(probeMs: number) {
    this.#probeMs = probeMs;
  }

  start(): void {
    this.#probed = reading();
    this.#forget();
    this.#interval = setInterval(() => this.#probe(), this.#probeMs).unref();
  }

  stop(): void {
    clearInterval(this.#interval);
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

  #probe(): void {
    const at = reading();
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

function reading(): Reading {
  try {
    const [ranNs, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    if (ranNs > 0) return [now(), ranNs / 1e6, waitedNs / 1e6];
  } catch {
    // There is no such file.
  }
  const { user, system } = process.cpuUsage();
  return [now(), (user + system) / 1000, null];
}
