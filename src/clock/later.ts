// The two ways to say "later": at the end of this turn, and in the next turn.
//
// Ground rules. What one request causes for others must not run in the async context of that
// request: `TurnEnd` and `inNextTurn` run in the root context. The end of a turn is a microtask. The
// next turn is the host's own immediate, which is never cleared: when an `uncaughtException` handler
// clears one, because of an error that another immediate threw, Node's queue of immediates breaks
// for good (20, 22 and 24: an endless TypeError about `_idleNext`). It holds the process until it
// has run.
import { hostSetImmediate } from '../base/host.ts';
import type { Clock } from './clock.ts';
import { inRootContext } from './root-context.ts';

const now = Promise.resolve();

/** Calls `go` at the end of this turn, in the async context of the caller. */
export function atTurnEnd(go: () => void): void {
  void now.then(go);
}

/** What was asked for several times in a turn, and is done once at its end. */
export class TurnEnd {
  readonly #go: () => void;
  #isRequested = false;

  constructor(go: () => void) {
    this.#go = go;
  }

  /** Has `go` called at the end of this turn, once however often it is requested before. O(1). */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    void now.then(this.#run);
  }

  readonly #run = (): void => {
    this.#isRequested = false;
    inRootContext(this.#go);
  };
}

/**
 * How often the microtasks run before work goes on: a continuation of several awaits gets on by as
 * many of them. With fewer, the rest runs between the next batches. A hop takes about 50 ns.
 */
const HOPS = 4;

/** As `atTurnEnd`, after the microtasks that are due, and those that they cause. */
export function afterMicrotasks(go: () => void): void {
  let left = HOPS;
  const hop = (): void => void now.then(--left > 0 ? hop : go);
  hop();
}

/** Calls `go` in the next turn: of `clock`, if it has turns of its own, or else of the host. */
export function inNextTurn(go: () => void, clock?: Clock): void {
  if (clock?.nextTurn === undefined) inRootContext(hostSetImmediate, undefined, go);
  else clock.nextTurn(() => inRootContext(go));
}
