// What a load brings: the Map of the user, checked, and the state of each key in it.
//
// Costs. O(keys).
import { isMap, isNativeError } from 'node:util/types';
import { debugOnce } from '../../base/debug.ts';
import { invalidReturnValue } from '../../base/node-errors.ts';
import { cut } from '../../base/text.ts';
import { inOwnScope } from '../../clock/root-context.ts';
import type { LoadKeys } from './shared-waits-options.ts';

/**
 * The states of `names`, in their order. Rejects with the error of `loadKeys`, or with a TypeError
 * when the value that it returned is no Map, or one whose keys are no strings.
 */
export async function statesOf(
  loadKeys: LoadKeys<unknown>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<unknown[]> {
  const states = await inOwnScope(() => loadKeys([...names], { signal }));
  if (typeof states?.get !== 'function') throw invalidReturnValue('a promise of a Map', 'load', states);
  if (isMap(states)) checkFirstKey(states);
  const found = names.map((name) => states.get(name));
  if (isMap(states) && found.includes(undefined)) warnOfSpelling(loadKeys, states, names);
  return found;
}

/** Whether the state of a key is the error of that key: of this realm, or another (as in jest). */
export function isFailedState(state: unknown): state is Error {
  return isNativeError(state) || state instanceof Error;
}

const warned = new WeakSet<object>();
/** The most keys of a Map that are looked at. */
const MOST_SPELLED = 1_000;

/**
 * A database may spell an id in its own way, and its waits hear that the row is gone. Of the keys that
 * were asked for none may exist: then the Map is empty.
 */
function warnOfSpelling(of: object, states: ReadonlyMap<string, unknown>, names: readonly string[]): void {
  const [first] = states.keys();
  if (first === undefined || warned.has(of)) return;
  const missing = new Map<string, string>();
  for (const name of names) if (!states.has(name)) missing.set(plain(name), name);
  const format = 'shared waits: load was asked for "%s" and returned "%s": none of its keys was asked for';
  if (missing.size === names.length) debugOnce(of, 'others', format, cut(names[0]), cut(first));
  let left = missing.size === 0 ? 0 : MOST_SPELLED;
  for (const key of states.keys()) {
    if (left-- === 0) return;
    const name = missing.get(plain(key));
    if (name === undefined || name === key) continue;
    warned.add(of);
    process.emitWarning(
      `A load of SharedWaits was asked for the key "${cut(name)}" and returned "${cut(key)}", which is another: ` +
        'its waits hear of no state. Let the Map have the keys as they were asked for',
      { type: 'PurgatoryWarning', code: 'PURGATORY_OTHER_SPELLING' },
    );
    return;
  }
}

function plain(key: string): string {
  return key.trim().toLowerCase();
}

/**
 * Keys are looked up as strings. In a Map whose keys are numbers (ids of a database) no key is
 * found.
 */
function checkFirstKey(states: ReadonlyMap<unknown, unknown>): void {
  const [key = ''] = states.keys();
  if (typeof key === 'string') return;
  throw invalidReturnValue('a promise of a Map whose keys are strings', 'load', key);
}
