/**
 * Numbers for idempotent producers: no two in the cluster are the same, over all restarts. Each
 * node counts on its own, in steps of MAX_NODES from its id plus 1 on, because clients take 0 for
 * none. It keeps in a journal how far it may have got: a block of numbers ahead.
 */
import type { OnDamage } from '../storage/damage.ts';
import { Journal } from '../storage/journal.ts';

/** Also the largest `--nodes`. */
export const MAX_NODES = 16;
const BLOCK = 1000;

export class ProducerIds {
  readonly #nodeId: number;
  #journal: Journal<number> | undefined;
  #next = 0;
  #reserved = 0;

  constructor(nodeId: number) {
    this.#nodeId = nodeId;
  }

  /**
   * Goes on behind the last block that the journal at `path` has. To be called once, first. Of a
   * damaged journal nobody knows the last block. It goes on behind the time (ms, wall clock) then:
   * no node gives out a number a millisecond.
   */
  open(path: string, onDamage: OnDamage): void {
    const goOnBehind = (reserved: number) => {
      this.#next = reserved;
      this.#reserved = reserved;
    };
    const current = () => (this.#reserved > 0 ? [this.#reserved] : []);
    let isDamaged = false;
    this.#journal = new Journal<number>(path, goOnBehind, current, (...damage) => {
      onDamage(...damage);
      isDamaged = true;
    });
    if (isDamaged) goOnBehind(Math.max(this.#reserved, Date.now()));
  }

  next(): number {
    if (this.#next === this.#reserved) {
      this.#journal?.append(this.#reserved + BLOCK);
      this.#reserved += BLOCK;
      this.#journal?.flushNow();
    }
    return this.#next++ * MAX_NODES + this.#nodeId + 1;
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }
}
