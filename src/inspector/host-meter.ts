// How the process spent a span of time: how long its event loop was blocked, and whether it had a
// CPU then.
//
// Ground rules. It measures only from `start` to `stop`. `take` returns the span since the last
// call. It costs two system calls and, on Linux, the reading of a small file, about 40 microseconds
// in all. Source of the file: Linux, Documentation/scheduler/sched-stats.rst,
// /proc/<pid>/schedstat: ns on a CPU, ns waiting for one, time slices.
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { BlockProbe } from './block-probe.ts';
import type { HostTime } from './frame.ts';

const cpus = availableParallelism();

export class HostMeter {
  readonly #blocks: BlockProbe;
  #cpuMs = 0;
  #waitedMs: number | null = null;

  /** @param probeMs the interval of the probe. A shorter block is not seen. */
  constructor(probeMs: number) {
    this.#blocks = new BlockProbe(probeMs);
  }

  start(): void {
    this.#blocks.start();
    this.#cpuMs = usedMs();
    this.#waitedMs = readWaitedMs();
  }

  stop(): void {
    this.#blocks.stop();
  }

  take(): HostTime {
    const cpuMs = usedMs();
    const waitedMs = readWaitedMs();
    const taken = {
      blockedMs: this.#blocks.take(),
      cpuMs: cpuMs - this.#cpuMs,
      waitedMs: waitedMs === null || this.#waitedMs === null ? null : waitedMs - this.#waitedMs,
      load: loadavg()[0] / cpus,
    };
    this.#cpuMs = cpuMs;
    this.#waitedMs = waitedMs;
    return taken;
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
