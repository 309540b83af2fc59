// Hints to developers who ask for them (NODE_DEBUG=purgatory): a watch key that is an object may be
// one that no event can find, and one that is undefined is mostly a misspelt property. An event
// without a key, on an object that nobody watches, or on 7 where '7' is watched, is
// for nobody.
//
// Ground rules. Keys are the same as in a Map: objects by identity, and not by what is in them.
// After parking on `{ topic: 'orders' }`, an event must use that same object. Each kind of hint is
// printed once for each purgatory. Ask `isDebugging` before a call.
import { debugOnce } from '../base/debug.ts';
import { hasLabel, keyText } from '../base/text.ts';
import type { ParkedLists } from './parked-lists.ts';

const BY_IDENTITY =
  'Objects are compared by identity: an equal object is another key. Use a string or a number for a key that is made anew';

/** The purgatory that the hints are about: a Parking. */
interface Hinted {
  readonly name: string;
  readonly isClosed: boolean;
  readonly lists: Pick<ParkedLists<never>, 'watchersOf'>;
}

/**
 * Looks at the key of an event.
 * @param call the method that got it.
 * @param isLocal there is a bus, and this method does not use it.
 */
export function hintAtEvent(purgatory: Hinted, call: string, key: unknown, isLocal = false): void {
  const { lists } = purgatory;
  if (isLocal) hint(purgatory, 'local', `${call} tells no other process of the bus: notify does`);
  if (purgatory.isClosed) hintAtClosed(purgatory, call);
  if (key === undefined) {
    const text = `${call} got no key: it takes one key, and is called once for each of several`;
    hint(purgatory, `${call} undefined`, text);
  } else if (isObject(key) && lists.watchersOf(key) === 0) {
    const text = `${call} got ${keyText(key)}, which nobody watches. ${BY_IDENTITY}`;
    hint(purgatory, 'object of an event', text);
  }
  const twin = twinOf(key);
  if (twin !== undefined && lists.watchersOf(key) === 0 && lists.watchersOf(twin) > 0) {
    const text = `${call} got ${twinText(key)}, and somebody waits for ${twinText(twin)}: they are two keys`;
    hint(purgatory, 'twin', text);
  }
}

/** Looks at the watch keys of an operation. */
export function hintAtKeys(purgatory: Hinted, keys: readonly unknown[]): void {
  if (keys.includes(undefined)) hint(purgatory, 'undefined', 'a watch key is undefined');
  const key = keys.find(isObject);
  if (key === undefined) return;
  hint(purgatory, 'object', `the watch key ${keyText(key)} is an object. ${BY_IDENTITY}`);
}

/** `call` does nothing any more. */
export function hintAtClosed(purgatory: Hinted, call: string): void {
  debugOnce(purgatory, 'ignore', 'purgatory "%s" is closed: %s does nothing', purgatory.name, call);
}

function hint(purgatory: Hinted, kind: string, text: string): void {
  debugOnce(purgatory, kind, 'purgatory "%s": %s', purgatory.name, text);
}

/** Whether it may be meant to equal another: an object with a label is not. */
function isObject(key: unknown): boolean {
  return typeof key === 'object' && key !== null && !hasLabel(key);
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
