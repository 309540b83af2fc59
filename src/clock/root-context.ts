/// <reference types="node" preserve="true" />
// The async context that belongs to no request.
//
// Ground rules. A timer or purgatory is shared by many requests. One of them happens to arm its
// wake-up, or to notify first in a turn. The AsyncLocalStorage stores of that request must not be
// seen by callbacks of others, and the wake-up must not keep them in memory. So the engine works in
// the root context: the context in which this module was imported. That is the program's own, unless
// the first import happens inside a request. docs/async-context.md says which context user code sees.
//
// On Node 20 and 22, `enterWith` of user code writes its store into the resource that is entered. So
// each entry has one of its own, and in it each task and each batch of other work: an object that
// inherits the root's. It takes 12 ns, an AsyncResource 30. To enter once for a batch of tasks, and to
// ask after each whether a store was written, would take 50.
import { AsyncResource } from 'node:async_hooks';

/** An async context, and no handle: tools that look for open handles ask `hasRef`. */
export class AsyncContext extends AsyncResource {
  hasRef(): boolean {
    return false;
  }
}

const root = new AsyncContext('purgatory', { requireManualDestroy: true });

class Scope {}
Object.setPrototypeOf(Scope.prototype, root);

/** A resource that nobody else has. Where stores are no fields of resources (Bun, Deno), the root. */
const newScope: () => AsyncContext = canInherit() ? () => new Scope() as AsyncContext : () => root;

function canInherit(): boolean {
  try {
    (new Scope() as AsyncContext).runInAsyncScope(() => {});
    return true;
  } catch {
    return false; // its fields are private
  }
}

/** Whether the engine is at work in the root context, and no user code that it calls there. */
let isAtWork = false;

/** Calls `work` of the engine in the root context. */
export function inRootContext<Args extends unknown[], R>(
  work: (...args: Args) => R,
  thisArg?: unknown,
  ...args: Args
): R {
  const wasAtWork = isAtWork;
  isAtWork = true;
  try {
    return newScope().runInAsyncScope(work, thisArg, ...args);
  } finally {
    isAtWork = wasAtWork;
  }
}

/** Calls user code, or a function that calls some, in a scope of its own. */
export function inScope<A, B, R>(call: (a: A, b: B) => R, a: A, b: B): R {
  const wasAtWork = isAtWork;
  isAtWork = false;
  try {
    return newScope().runInAsyncScope(call, undefined, a, b);
  } finally {
    isAtWork = wasAtWork;
  }
}

/**
 * As `inScope`, while the engine is at work in the root context. Else in that of its caller: an event
 * in the call, `advanceClock()`.
 */
export function inOwnScope<A, B, R>(call: (a: A, b: B) => R, a?: A, b?: B): R {
  return isAtWork ? inScope(call, a as A, b as B) : call(a as A, b as B);
}
