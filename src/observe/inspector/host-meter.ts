// How the process spent a span of time: how long its event loop was blocked, and whether it had a
// CPU then.
//
// Ground rules. It measures only from `start` to `stop`, and keeps no process alive. `take` returns
// the span since the last call. It costs two system calls and, on Linux, the reading of a small
// file, about 40 microseconds in all. Source of the file: Linux,
// Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat: ns on a CPU, ns waiting for one,
// time slices.
//
// An interval measures how late it runs. It is the host's own, by the host's own clock, because a
// fake clock that is moved by an hour blocks nobody. Each block is told, whenever it began. The
// told time is shorter than the block by at most the interval. (perf_hooks' monitorEventLoopDelay
// would miss a block that begins right after it was read: its reset() forgets the last probe too.)
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import type { HostTime } from './frame.ts';

const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);
const cpus = availableParallelism();

export class HostMeter {
  readonly #probeMs: number;
  #interval: NodeJS.Timeout | undefined;
  #probedMs = 0;
  #blockedMs = 0;
  #cpuMs = 0;
  #waitedMs: number | null = null;

  /** @param probeMs the interval of the probe. A shorter block is not seen. */
  constructor(probeMs: number) {
    this.#probeMs = probeMs;
  }

  start(): void {
    this.#probedMs = now();
    this.#blockedMs = 0;
    this.#interval = setInterval(() => this.#probe(), this.#probeMs).unref();
    this.#cpuMs = usedMs();
    this.#waitedMs = readWaitedMs();
  }

  stop(): void {
    clearInterval(this.#interval);
  }

  /** The longest block is beyond the probe's own interval. Only between `start` and `stop`. */
  take(): HostTime {
    this.#probe();
    const cpuMs = usedMs();
    const waitedMs = readWaitedMs();
    const taken = {
      blockedMs: this.#blockedMs,
      cpuMs: cpuMs - this.#cpuMs,
      waitedMs: waitedMs === null || this.#waitedMs === null ? null : waitedMs - this.#waitedMs,
      load: loadavg()[0] / cpus,
    };
    this.#blockedMs = 0;
    this.#cpuMs = cpuMs;
    this.#waitedMs = waitedMs;
    return taken;
  }

  #probe(): void {
    const nowMs = now();
    this.#blockedMs = Math.max(this.#blockedMs, nowMs - this.#probedMs - this.#probeMs);
    this.#probedMs = nowMs;
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Null where there is no such file, or it has no figure. */
function readWaitedMs(): number | null {
  try {
    const [usedNs, waitedNs] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return usedNs > 0 ? waitedNs / 1e6 : null;
  } catch {
    return null;
  }
}
