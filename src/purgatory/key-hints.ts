// Hints to developers who ask for them (NODE_DEBUG=purgatory): a watch key that is an object may be
// one that no event can find, one that is undefined is mostly a misspelt property, and an event
// without a key, or on an array, is for nobody.
//
// Ground rules. Keys are the same as in a Map: objects by identity, and not by what is in them.
// After parking on `{ topic: 'orders' }`, an event must use that same object. Each kind of hint is
// printed once for each purgatory.
import { debug } from '../debug.ts';
import { keyText } from '../text.ts';
import type { Parking } from './parking.ts';

const BY_IDENTITY =
  'Objects are compared by identity: only an event on this very object finds it, not one on an equal object. Use a string or a number for a key that is made anew';

export class KeyHints {
  readonly #told = new Set<string>();

  /** Looks at the key of an event. @param call the method that got it. */
  lookAtEvent(
    { name, admission }: Pick<Parking<never>, 'name' | 'admission'>,
    call: string,
    key: unknown,
  ): void {
    if (admission.isClosed) admission.ignore(call);
    const isArray = Array.isArray(key);
    if (key !== undefined && !isArray) return;
    const got = isArray ? `the array ${keyText(key)}` : 'no key';
    const hint = `${call} got ${got}: it takes one key, and is called once for each of several`;
    this.#tell(name, `${call} ${isArray}`, hint);
  }

  /** Looks at the watch keys of an operation. */
  lookAt(purgatory: string, keys: readonly unknown[]): void {
    if (keys.includes(undefined)) this.#tell(purgatory, 'undefined', 'a watch key is undefined');
    const key = keys.find((each) => typeof each === 'object' && each !== null);
    if (key === undefined) return;
    this.#tell(purgatory, 'object', `the watch key ${keyText(key)} is an object. ${BY_IDENTITY}`);
  }

  #tell(purgatory: string, kind: string, hint: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    debug('purgatory "%s": %s', purgatory, hint);
  }
}
