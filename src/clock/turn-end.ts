// A go at the end of the turn: what was asked for several times in a turn is done once, in a
// microtask, in the root context. What one request causes for others must not run in the async
// context of that request.
//
// Costs. request: O(1), and one microtask for each turn with a request.
import { rootContext } from './root-context.ts';

const turnEnd = Promise.resolve();

export class TurnEnd {
  readonly #go: () => void;
  #isRequested = false;

  constructor(go: () => void) {
    this.#go = go;
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Has `go` called at the end of this turn, once however often it is requested before. */
  request(): void {
    if (this.#isRequested) return;
    turnEnd.then(this.#run); // first: it may overflow the stack of the caller
    this.#isRequested = true;
  }

  readonly #run = (): void => {
    this.#isRequested = false;
    rootContext.runInAsyncScope(this.#go);
  };
}

/** Calls `forget` after the microtasks that are due. `forget` calls no user code. */
export function atTurnEnd(forget: () => void): void {
  turnEnd.then(forget);
}

/**
 * How often the microtasks run before work goes on: a continuation of several awaits gets on by as
 * many of them. With fewer, the rest runs between the next batches. A hop takes about 50 ns.
 */
const HOPS = 4;

/**
 * Lets the microtasks run that are due, and those that they cause, then calls `goOn` in the root
 * context.
 */
export function afterMicrotasks(goOn: () => void): void {
  let left = HOPS;
  const hop = (): void => {
    if (--left > 0) turnEnd.then(hop);
    else rootContext.runInAsyncScope(goOn);
  };
  turnEnd.then(hop);
}
