// The watch keys of the operation that is being parked, checked and copied. Only the keys at that
// moment count: getters, a Proxy, and what user code does to the array in the try at parking cannot
// change them.
//
// Ground rules. It belongs to one purgatory. A copy is for one call that parks, from `take` to
// `giveBack`. One short copy of each length is used again and again. While it is taken, a call
// inside that call gets a new one; where a call throws, its copy is left to the collector. A copy
// that nobody has taken holds no key. To make each copy anew takes as many bytes as an operation:
// with 100,000 keys a park took a third longer (docs/contributors/performance-ledger.md).
import { singleKeys } from '../base/checks.ts';
import { invalidArgType, invalidArgValue } from '../base/node-errors.ts';

/** Most operations have few keys. */
const MAX_LENGTH = 3;

export class KeyCopies<K> {
  /** By length. */
  readonly #spares: ((K | undefined)[] | undefined)[] = [];

  /**
   * @throws TypeError ERR_INVALID_ARG_TYPE for no array, and for a key that is one;
   *   ERR_INVALID_ARG_VALUE for an empty one.
   */
  take(keys: readonly K[]): readonly K[] {
    if (!Array.isArray(keys)) throw invalidArgType('keys', 'an instance of Array', keys);
    const { length } = keys;
    const spare = length <= MAX_LENGTH ? this.#spares[length] : undefined;
    if (spare === undefined) return newCopy(keys);
    this.#spares[length] = undefined;
    // Without a loop, which takes longer.
    spare[0] = keys[0];
    if (length > 1) spare[1] = keys[1];
    if (length > 2) spare[2] = keys[2];
    singleKeys(spare);
    return spare as K[];
  }

  giveBack(copy: readonly K[]): void {
    const { length } = copy;
    if (length > MAX_LENGTH) return;
    const spare = copy as (K | undefined)[];
    spare[0] = undefined;
    if (length > 1) spare[1] = undefined;
    if (length > 2) spare[2] = undefined;
    this.#spares[length] = spare;
  }
}

function newCopy<K>(keys: readonly K[]): readonly K[] {
  const copy = [...keys];
  if (copy.length === 0) throw invalidArgValue('keys', 'must name at least one key', keys);
  singleKeys(copy);
  return copy;
}
