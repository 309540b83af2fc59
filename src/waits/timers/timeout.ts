/// <reference lib="esnext.disposable" preserve="true" />
// What a drop-in setTimeout or setInterval returns: a task of one timer that all of them share,
// with the surface of Node's Timeout.
//
// Invariants. The timer is ref'd while a pending timeout keeps the process alive. Between two
// callbacks Node drains its queues (drained-turns.ts). A callback runs in the async context of the
// call that started its timeout. From its start to its end, a timeout is an async resource of type
// Timeout, whose id is its number (`+timeout`): no other timer has that number. While a replacement
// stands in place of the host's timers, a timeout is a timer of the replacement
// (foreign-timeout.ts), unless our timers were the global when it came (clock/replacements.ts).
import { DISPOSE, nameDispose } from '../../base/dispose.ts';
import { throwLater } from '../../base/report-error.ts';
import { foreignToTimers } from '../../clock/replacements.ts';
import { AsyncContext } from '../../clock/root-context.ts';
import { SystemClock } from '../../clock/system-clock.ts';
import { TimerTask } from '../../timer/timer-task.ts';
import { DrainedTurns } from './drained-turns.ts';
import { FineTimer } from './fine-timer.ts';
import { ForeignTimeout } from './foreign-timeout.ts';

/** How long callbacks that are due together run in one turn of the event loop. */
const BURST_MS = 5;

/** What the drop-in `setTimeout` and `setInterval` return: Node's Timeout. */
export interface Timeout extends Disposable {
  /** Lets the pending timeout keep the process alive: the state it starts in. */
  ref(): this;
  /** Lets the process end although the timeout is pending. */
  unref(): this;
  /** The setting of `ref` and `unref`. */
  hasRef(): boolean;
  /**
   * Starts the delay over, also after the callback has run; of no effect on one that was cleared.
   * O(1).
   */
  refresh(): this;
  /** As clearTimeout. */
  close(): this;
  /** A number that clearTimeout takes in place of the timeout. */
  [Symbol.toPrimitive](): number;
}

const turns = new DrainedTurns(
  { runNext: () => !clock.isFake && timer.runNext(), now: () => timer.now() }, // a fake has its own turns
  BURST_MS,
);
const clock = new SystemClock((run) => turns.add(run), foreignToTimers, false); // as Node's
const timer: FineTimer = new FineTimer(
  clock,
  Number.MIN_VALUE, // spent after the first callback
  (error, task) => {
    (task as ScheduledTimeout).inContext(throwLater, error);
    turns.endTurn(); // the error comes before the next callback
  },
).unref();
const resourceOptions = { requireManualDestroy: true };
let holding = 0;
/** Those whose number was asked for, until their end. */
const numbered = new Map<number, ScheduledTimeout>();

/** Tools that look for open handles find a timeout by it, as they find one of Node. */
class TimeoutContext extends AsyncContext {
  timeout: ScheduledTimeout | undefined;

  override hasRef(): boolean {
    return this.timeout?.hasRef() === true;
  }
}

export class ScheduledTimeout extends TimerTask implements Timeout {
  #callback: ((...args: unknown[]) => void) | undefined;
  readonly #args: readonly unknown[];
  readonly #repeats: boolean;
  #resource!: TimeoutContext;
  #isStarted = false;
  #isRef: boolean;
  /** Whether it is one of `holding`. */
  #holds = false;

  /**
   * @param delay as setTimeout takes it: anything that can be multiplied.
   * @throws TypeError for a BigInt or a Symbol, as Node.
   */
  constructor(
    callback: (...args: unknown[]) => void,
    delay: unknown,
    args: readonly unknown[],
    repeats: boolean,
    isRef = true,
  ) {
    super(coercedDelay(delay));
    this.#callback = callback;
    this.#args = args;
    this.#repeats = repeats;
    this.#isRef = isRef;
    this.#start();
  }

  // What programs read of Node's Timeout, though it is not documented. Getters take no memory.

  get _idleTimeout(): number {
    return this.#callback === undefined ? -1 : this.delayMs;
  }

  get _repeat(): number | null {
    return this.#repeats ? this.delayMs : null;
  }

  get _destroyed(): boolean {
    return !this.#isStarted;
  }

  // Node's methods leave a foreign `this` alone, and so do these.

  ref(): this {
    if (!(#isRef in this)) return this;
    this.#isRef = true;
    if (this.$keeper instanceof ForeignTimeout) this.$keeper.ref();
    this.#hold();
    return this;
  }

  unref(): this {
    if (!(#isRef in this)) return this;
    this.#isRef = false;
    if (this.$keeper instanceof ForeignTimeout) this.$keeper.unref();
    this.#hold();
    return this;
  }

  hasRef(): boolean {
    return #isRef in this && this.#isRef;
  }

  refresh(): this {
    if (#isRef in this && this.#callback !== undefined) this.#start();
    return this;
  }

  close(): this {
    if (#isRef in this) this.cancel();
    return this;
  }

  [Symbol.toPrimitive](): number {
    const id = this.#resource.asyncId();
    if (this.#isStarted) numbered.set(id, this);
    return id;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }

  static {
    nameDispose(ScheduledTimeout, DISPOSE);
  }

  /** Ends it for good: it cannot be refreshed. */
  override cancel(): boolean {
    this.#callback = undefined;
    const wasPending = super.cancel();
    this.#end();
    return wasPending;
  }

  inContext<A>(action: (arg: A) => void, arg: A): void {
    this.#resource.runInAsyncScope(action, undefined, arg);
  }

  override run(): void {
    const callback = this.#callback!;
    // An interval counts from the start of a run, so it is pending during the run. The callback of
    // a timeout may refresh it.
    if (this.#repeats && !this.isPending) this.#enter();
    try {
      this.#resource.runInAsyncScope(callback, this, ...this.#args);
    } finally {
      if (!this.isPending) this.#end();
    }
  }

  #start(): void {
    this.#enter();
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#resource = new TimeoutContext('Timeout', resourceOptions);
      this.#resource.timeout = this;
    }
    this.#hold();
  }

  /** Counts its delay from now, in the timer or by a foreign host. */
  #enter(): void {
    if (ForeignTimeout.start(this, this.#repeats, this.#isRef)) return;
    if (this.$keeper !== timer) super.cancel(); // by a fake that is gone
    timer.add(this);
  }

  #end(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    if (numbered.size > 0) numbered.delete(this.#resource.asyncId());
    this.#resource.emitDestroy();
    this.#hold();
  }

  #hold(): void {
    const holds = this.#isStarted && this.#isRef && !(this.$keeper instanceof ForeignTimeout);
    if (holds === this.#holds) return;
    this.#holds = holds;
    hold(holds ? 1 : -1);
  }
}

/**
 * The timeout that `clearTimeout` was given as itself, also of another copy of the package, or by its
 * number; undefined for anything else.
 */
export function timeoutOf(timeout: unknown): ScheduledTimeout | undefined {
  if ((timeout as Partial<TimerTask> | null | undefined)?.$slot !== undefined)
    return timeout as ScheduledTimeout;
  return typeof timeout === 'number' || typeof timeout === 'string' ? numbered.get(+timeout) : undefined;
}

/** A delay below 1 ms, or one that gives no number, counts as 1, as in Node. */
function coercedDelay(delay: unknown): number {
  const delayMs = typeof delay === 'number' ? delay : (delay as number) * 1;
  return delayMs >= 1 ? Math.min(delayMs, Number.MAX_SAFE_INTEGER) : 1;
}

function hold(change: 1 | -1): void {
  holding += change;
  if (holding === 0) timer.unref();
  else if (holding === change) timer.ref();
}
