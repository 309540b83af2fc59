/**
 * What the groups of this node keep, counted: their members, ids that were given out and have not
 * joined yet included, and the bytes of these and of what groups have committed.
 */
import { ByteBudget } from '../storage/byte-budget.ts';

export class GroupMemory extends ByteBudget {
  #places = 0;

  /** Members, and who may become one. */
  get places(): number {
    return this.#places;
  }

  /** For Place only. */
  addPlaces(count: number): void {
    this.#places += count;
  }
}

/** One member's place, and the bytes that it takes until it is released. */
export class Place {
  readonly #memory: GroupMemory;
  #bytes = 0;

  constructor(memory: GroupMemory, bytes: number) {
    this.#memory = memory;
    memory.addPlaces(1);
    this.resize(bytes);
  }

  resize(bytes: number): void {
    this.#memory.add(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** To be called once. */
  release(): void {
    this.resize(0);
    this.#memory.addPlaces(-1);
  }
}

/**
 * What a member takes besides what it says of itself: its objects and its id, which is short. A
 * round sum.
 */
const PLACE_BYTES = 1024;

export function placeBytes(groupId: string): number {
  return PLACE_BYTES + textBytes(groupId);
}

/** At most: two for each UTF-16 unit. */
export function textBytes(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);
}
