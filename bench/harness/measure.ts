/**
 * The readings of a child's costs.
 *
 * Time is the CPU time of the whole process, the collector's threads included. A child is pinned to
 * one core, where that is what a caller waits for. Unlike elapsed time, it does not count what
 * other programs took of the core meanwhile.
 */
import { getHeapSpaceStatistics } from 'node:v8';

/** Nanoseconds of CPU, user and system, that this process has used. Resolution 1 us. */
export function cpuNs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/** Lets the event loop turn once: timers, polls and immediates run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Watches the event loop, from the time at which it is made. */
export class BlockWatch {
  #lastNs = cpuNs();
  #longestNs = 0;

  /** Lets the event loop turn once. What has run since the last turn was a block. */
  async turn(): Promise<void> {
    await turn();
    const nowNs = cpuNs();
    this.#longestNs = Math.max(this.#longestNs, nowNs - this.#lastNs);
    this.#lastNs = nowNs;
  }

  /** The longest block, in ms of CPU. */
  get longestMs(): number {
    return this.#longestNs / 1e6;
  }
}

/**
 * Runs `step(index)` for `count` indexes, in turns of the event loop of `perTurn` each, as the work
 * of a server arrives. Returns the nanoseconds of CPU a step. The turns' own cost, about 1 us each,
 * is included.
 */
export async function nsPerStep(
  count: number,
  step: (index: number) => void,
  perTurn = 1000,
): Promise<number> {
  const start = cpuNs();
  for (let index = 0; index < count; ) {
    for (const end = Math.min(count, index + perTurn); index < end; index++) step(index);
    await turn();
  }
  return (cpuNs() - start) / count;
}

/** Collects what can be, in `passes`, after which nothing is young. Needs `--expose-gc`. */
export async function settle(passes = 1): Promise<void> {
  const gc = globalThis.gc;
  if (gc === undefined) throw new Error('settle() needs node --expose-gc');
  for (let pass = 0; pass < passes; pass++) {
    await turn();
    gc();
  }
}

/**
 * Bytes that are live: the JavaScript heap, and typed arrays outside it. Not machine code, which V8
 * makes and drops at times of its own. Needs `--expose-gc`.
 */
export async function liveBytes(): Promise<number> {
  await settle(4);
  const { heapUsed, external } = process.memoryUsage();
  const code = getHeapSpaceStatistics().filter(({ space_name }) => space_name.startsWith('code_'));
  return heapUsed + external - code.reduce((bytes, { space_used_size }) => bytes + space_used_size, 0);
}
