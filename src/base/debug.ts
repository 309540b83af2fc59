// Debug output for developers who ask for it: `NODE_DEBUG=purgatory`. The library writes to the
// console in no other case; it warns of some faults by `process.emitWarning`.
//
// Ground rules. Only rare events are printed. Frequent events go to channels (purgatory/events). A
// call costs a few ns while debugging is off.
import { debuglog } from 'node:util';

export const debug: (format: string, ...values: unknown[]) => void = debuglog('purgatory');

/**
 * Whether debugging may be on: whether NODE_DEBUG names this library, or has a `*` in it. For output
 * that takes work to prepare: `debug` decides. (Bun and Deno do not say so in `debuglog().enabled`.)
 */
export const isDebugging: boolean = /purgatory|\*/i.test(process.env.NODE_DEBUG ?? '');

/** The most kinds of hints about one object: a kind may have a name from another process in it. */
const MAX_KINDS = 100;
const hinted = new WeakMap<object, Set<string>>();

/**
 * As {@link debug}, once for each `kind` of hint and each `of`, the object that the hint is about.
 */
export function debugOnce(of: object, kind: string, format: string, ...values: unknown[]): void {
  if (isDebugging && isFirst(of, kind)) debug(format, ...values);
}

/** Whether this is the first call for `kind` of hint and `of`. False beyond {@link MAX_KINDS}. */
export function isFirst(of: object, kind: string): boolean {
  let kinds = hinted.get(of);
  if (kinds === undefined) {
    kinds = new Set();
    hinted.set(of, kinds);
  }
  if (kinds.has(kind) || kinds.size === MAX_KINDS) return false;
  kinds.add(kind);
  return true;
}
