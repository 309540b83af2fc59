// How long a process has blocked its own event loop.
//
// Ground rules. A block is a stretch between two looks in which the process worked: the time that
// passed, without the time in which the loop's thread was ready and waited for a CPU (Linux
// counts that), and no more than the CPU time that the process used. So a machine that is busy
// with others does not show, and neither do Node's helper threads, which compile and collect
// beside the loop; what the loop itself waits for from them does.
import { openSync, readSync } from 'node:fs';

const LOOK_MS = 2;
/** Of the main thread: ns on a CPU, ns of waiting for one, slices. Only Linux has it. */
const SCHEDULE =
  process.platform === 'linux' ? openSync(`/proc/self/task/${process.pid}/schedstat`, 'r') : undefined;

export class LoopProbe {
  maxBlockMs = 0;
  #interval: NodeJS.Timeout | undefined;
  readonly #text = Buffer.alloc(64);

  /** Starts counting again. */
  start(): void {
    this.stop();
    this.maxBlockMs = 0;
    let lastMs = performance.now();
    let lastWaitedMs = this.#waitedMs();
    let cpu = process.cpuUsage();
    this.#interval = setInterval(() => {
      const nowMs = performance.now();
      const waitedMs = this.#waitedMs();
      const { user, system } = process.cpuUsage(cpu);
      const elapsedMs = nowMs - lastMs - LOOK_MS - (waitedMs - lastWaitedMs);
      this.maxBlockMs = Math.max(this.maxBlockMs, Math.min(elapsedMs, (user + system) / 1_000));
      lastMs = nowMs;
      lastWaitedMs = waitedMs;
      cpu = process.cpuUsage();
    }, LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#interval);
  }

  /** How long the main thread has waited for a CPU since it began, in ms. */
  #waitedMs(): number {
    if (SCHEDULE === undefined) return 0;
    const length = readSync(SCHEDULE, this.#text, 0, this.#text.length, 0);
    return Number(this.#text.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  }
}
