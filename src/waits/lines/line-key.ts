// The rules for a key of a Semaphore and of Queues. A lock by a key that equals no other excludes
// nobody, and an item that is put there is taken by nobody: without an error, that would be silent.
import { singleKey } from '../../base/checks.ts';
import { isFirst } from '../../base/debug.ts';
import { hasLabel, keyText } from '../../base/text.ts';

const WARNED = {};

/**
 * `key`, which is no array. Of the first object in a process, for each of the two classes, a warning
 * says that it is compared by identity: an object that was read again is another key. One that has a
 * label is meant. O(1).
 *
 * @param instead what to write for several keys.
 * @throws TypeError ERR_INVALID_ARG_TYPE for an array.
 */
export function lineKey<K>(of: 'Semaphore' | 'Queues', name: string, key: K, instead: string): K {
  if (typeof key === 'object' && key !== null) {
    singleKey(name, key, instead);
    if (!hasLabel(key) && isFirst(WARNED, of)) warn(of, key);
  }
  return key;
}

function warn(of: string, key: object): void {
  process.emitWarning(
    `${of}: the key ${keyText(key)} is an object, which equals only itself, and no copy of it. ` +
      'If it is made anew for each call, take a text or a number that names it. ' +
      'If it is meant, give it a label: labelObject(key, label).',
    { type: 'PurgatoryWarning', code: 'PURGATORY_OBJECT_KEY' },
  );
}
