/**
 * Kafka's load test of its purgatory (TestPurgatoryPerformance). Operations arrive, each on 3 of
 * 100 keys with a timeout of 200 ms. Each is completed by force when its latency is over. Latencies
 * are log-normal, p50 20 ms and p75 60 ms, so about 8 % expire. The queue of coming completions is
 * a ring of arrays, one a millisecond. It costs little beside the work that it drives, and the same
 * for all systems.
 */
import type { MakeParkingPeer, ParkingPeer } from '../peers/parking-peer.ts';
import { keyLists, logNormals } from './random.ts';

export const timeoutMs = 200;
const ringMs = 256;
const inputs = 1 << 16;
/** More than are ever parked at once. */
const tags = 1 << 20;

/**
 * An operation with the model's note on it: a small integer, which costs no engine what a double
 * would cost.
 */
interface Tagged {
  tag: number;
}

export class LoadModel {
  /** Milliseconds by which each expired operation was late. */
  readonly lateness: number[] = [];
  parked = 0;
  readonly #dueMs = new Float64Array(tags);
  readonly #latencies = logNormals(inputs, 20, 60);
  readonly #lists = keyLists(
    1 << 14,
    Array.from({ length: 100 }, (_, index) => `fakeKey${index}`),
    3,
  );
  readonly #peer: ParkingPeer;
  readonly #completions: unknown[][] = Array.from({ length: ringMs }, () => []);
  #completedMs: number;

  constructor(make: MakeParkingPeer) {
    this.#peer = make({
      onExpired: (op) => {
        this.lateness.push(performance.now() - this.#dueMs[(op as Tagged).tag]);
      },
    });
    this.#completedMs = Math.floor(performance.now());
  }

  get done(): number {
    return this.#peer.done;
  }

  /** Parks `count` operations now. */
  park(count: number): void {
    const peer = this.#peer;
    for (let left = count; left > 0; left--) {
      const tag = this.parked++ & (tags - 1);
      const index = tag & (inputs - 1);
      const nowMs = performance.now();
      const op = peer.operation(timeoutMs) as Tagged;
      op.tag = tag;
      this.#dueMs[tag] = nowMs + timeoutMs;
      peer.park(op, this.#lists[index & 0x3fff]);
      const latencyMs = this.#latencies[index];
      if (latencyMs < timeoutMs) this.#completions[Math.ceil(nowMs + latencyMs) & (ringMs - 1)].push(op);
    }
  }

  /** Completes those whose latency is over. */
  complete(): void {
    const nowMs = Math.floor(performance.now());
    for (; this.#completedMs < nowMs; this.#completedMs++) {
      const ops = this.#completions[(this.#completedMs + 1) & (ringMs - 1)];
      for (const op of ops) this.#peer.complete(op);
      ops.length = 0;
    }
  }
}
