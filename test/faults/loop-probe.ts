// How long a process has blocked its own event loop.
//
// Ground rules. A block is a stretch between two looks in which the process worked: the time that passed, and no more than the CPU time that it
// used. So a machine that is busy with others does not show; Node's helper threads do, a little.

const LOOK_MS = 2;

export class LoopProbe {
  maxBlockMs = 0;
  #interval: NodeJS.Timeout | undefined;

  /** Counts anew. */
  start(): void {
    this.stop();
    this.maxBlockMs = 0;
    let lastMs = performance.now();
    let cpu = process.cpuUsage();
    this.#interval = setInterval(() => {
      const nowMs = performance.now();
      const { user, system } = process.cpuUsage(cpu);
      const blockMs = Math.min(nowMs - lastMs - LOOK_MS, (user + system) / 1_000);
      this.maxBlockMs = Math.max(this.maxBlockMs, blockMs);
      lastMs = nowMs;
      cpu = process.cpuUsage();
    }, LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#interval);
  }
}
