// The watch keys of the operation that is being parked, checked and copied. Only the keys at that
// moment count: getters, a Proxy, and what user code does to the array in the try at parking cannot
// change them.
import { requiredArray, singleKeys } from '../base/checks.ts';
import { invalidArgValue } from '../base/node-errors.ts';

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for no array, and for a key that is one;
 *   ERR_INVALID_ARG_VALUE for an empty one.
 */
export function copiedKeys<K>(keys: readonly K[]): readonly K[] {
  const copy = copyOf(requiredArray('keys', keys));
  if (copy.length === 0) throw invalidArgValue('keys', 'must name at least one key', keys);
  singleKeys(copy);
  return copy;
}

/** Most operations have few keys. An iterator over them makes a park take 15 % longer. */
function copyOf<K>(keys: readonly K[]): readonly K[] {
  const { length } = keys;
  if (length === 1) return [keys[0]];
  if (length === 2) return [keys[0], keys[1]];
  return length === 3 ? [keys[0], keys[1], keys[2]] : [...keys];
}
