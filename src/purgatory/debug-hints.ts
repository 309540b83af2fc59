// Hints to developers who ask for them (NODE_DEBUG=purgatory): a watch key that is an object may be
// one that no event can find, and one that is undefined is mostly a misspelt property. An event
// without a key, on an object that nobody watches, or on 7 where '7' is watched, is
// for nobody.
//
// Ground rules. Keys are the same as in a Map: objects by identity, and not by what is in them.
// After parking on `{ topic: 'orders' }`, an event must use that same object. Each kind of hint is
// printed once for each purgatory. Ask `isDebugging` before a call.
import { debugOnce } from '../base/debug.ts';
import { keyText } from '../base/text.ts';
import type { ParkedLists } from './parked-lists.ts';

const BY_IDENTITY =
  'Objects are compared by identity: an equal object is another key. Use a string or a number for a key that is made anew';

export class DebugHints {
  readonly #purgatory: { readonly name: string; readonly isClosed: boolean };
  readonly #lists: Pick<ParkedLists<never>, 'watchersOf'>;

  constructor(purgatory: { name: string; isClosed: boolean }, lists: Pick<ParkedLists<never>, 'watchersOf'>) {
    this.#purgatory = purgatory;
    this.#lists = lists;
  }

  /**
   * Looks at the key of an event.
   * @param call the method that got it.
   * @param isLocal there is a bus, and this method does not use it.
   */
  lookAtEvent(call: string, key: unknown, isLocal = false): void {
    if (isLocal) this.#hint('local', `${call} tells no other process of the bus: notify does`);
    if (this.#purgatory.isClosed) this.ignore(call);
    if (key === undefined) {
      const hint = `${call} got no key: it takes one key, and is called once for each of several`;
      this.#hint(`${call} undefined`, hint);
    } else if (isObject(key) && this.#lists.watchersOf(key) === 0) {
      this.#hint('object of an event', `${call} got ${keyText(key)}, which nobody watches. ${BY_IDENTITY}`);
    }
    const twin = twinOf(key);
    if (twin !== undefined && this.#lists.watchersOf(key) === 0 && this.#lists.watchersOf(twin) > 0) {
      const hint = `${call} got ${twinText(key)}, and somebody waits for ${twinText(twin)}: they are two keys`;
      this.#hint('twin', hint);
    }
  }

  /** Looks at the watch keys of an operation. */
  lookAt(keys: readonly unknown[]): void {
    if (keys.includes(undefined)) this.#hint('undefined', 'a watch key is undefined');
    const key = keys.find(isObject);
    if (key === undefined) return;
    this.#hint('object', `the watch key ${keyText(key)} is an object. ${BY_IDENTITY}`);
  }

  /** `call` does nothing any more. */
  ignore(call: string): void {
    debugOnce(this, 'ignore', 'purgatory "%s" is closed: %s does nothing', this.#purgatory.name, call);
  }

  #hint(kind: string, hint: string): void {
    debugOnce(this, kind, 'purgatory "%s": %s', this.#purgatory.name, hint);
  }
}

function isObject(key: unknown): boolean {
  return typeof key === 'object' && key !== null;
}

/** The other key that looks the same: '7' for 7, and 7 for '7'. Undefined if there is none. */
export function twinOf(key: unknown): string | number | undefined {
  if (typeof key === 'number' || typeof key === 'bigint') return String(key);
  return typeof key === 'string' && String(Number(key)) === key ? Number(key) : undefined;
}

/** A key that has a twin, with its type. */
export function twinText(key: unknown): string {
  return `the ${typeof key} ${keyText(key)}`;
}
