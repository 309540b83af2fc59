// Hints to developers who ask for them (NODE_DEBUG=purgatory): a key that is an object may be one
// that no event can find, and an event without a key, or on an array, is for nobody.
//
// Ground rules. Keys are the same as in a Map: objects by identity, and not by what is in them.
// After parking on `{ topic: 'orders' }`, an event must use that same object. Each hint is printed
// once for each purgatory.
import { debug } from '../debug.ts';
import { keyText } from '../text.ts';

export class KeyHints {
  #hasHinted = false;
  #hasHintedAtEvent = false;

  /** Looks at the key of a `notify`. */
  lookAtEvent(purgatory: string, key: unknown): void {
    if (this.#hasHintedAtEvent || (key !== undefined && !Array.isArray(key))) return;
    this.#hasHintedAtEvent = true;
    debug(
      'purgatory "%s": notify got %s: it takes one key, and is called once for each of several',
      purgatory,
      key === undefined ? 'no key' : `the array ${keyText(key)}`,
    );
  }

  lookAt(purgatory: string, keys: readonly unknown[]): void {
    if (this.#hasHinted) return;
    const key = keys.find((each) => typeof each === 'object' && each !== null);
    if (key === undefined) return;
    this.#hasHinted = true;
    debug(
      'purgatory "%s": the watch key %s is an object. Objects are compared by identity: only an event on this very object finds it, not one on an equal object. Use a string or a number for a key that is made anew',
      purgatory,
      keyText(key),
    );
  }
}
