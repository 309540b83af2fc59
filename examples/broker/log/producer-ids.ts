/**
 * Numbers for idempotent producers: no two in the cluster are the same, over all restarts. Each
 * node counts on its own, in steps of MAX_NODES from its id plus 1 on, because clients take 0 for
 * none. It keeps in a checked file how far it may have got: a block of numbers ahead. The file is on
 * the disk before a number of the block is given out.
 */
import { readCheckedFile, writeCheckedFile } from '../storage/checked-file.ts';
import type { OnDamage } from '../storage/damage.ts';

/** Also the largest `--nodes`. */
export const MAX_NODES = 16;
const BLOCK = 1000;

export class ProducerIds {
  readonly #path: string;
  readonly #nodeId: number;
  #next = 0;
  #reserved = 0;

  constructor(path: string, nodeId: number) {
    this.#path = path;
    this.#nodeId = nodeId;
  }

  /**
   * A log has a batch with this id. To be called before `open`: no number is given out that is not
   * above it. Clients may send any number. So one that no node can have given out by now does not
   * count: no node gives out a number a millisecond.
   */
  noteUsed(id: number): void {
    const next = Math.floor(id / MAX_NODES) + 1;
    if (next <= Date.now()) this.#next = Math.max(this.#next, next);
  }

  /**
   * Goes on behind the last block. To be called once, first. Of a damaged file nobody knows it. The
   * numbers go on behind the time (ms, wall clock) then.
   */
  open(onDamage: OnDamage): void {
    this.#next = Math.max(this.#next, readCheckedFile(this.#path, 0, onDamage) ?? Date.now());
    this.#reserved = this.#next;
  }

  /** Throws a FullDisk where there is no room to write down the block. */
  next(): number {
    if (this.#next === this.#reserved) {
      writeCheckedFile(this.#path, this.#reserved + BLOCK);
      this.#reserved += BLOCK;
    }
    return this.#next++ * MAX_NODES + this.#nodeId + 1;
  }
}
