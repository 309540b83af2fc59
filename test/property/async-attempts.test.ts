// waitFor with attempts that return promises or values, against a naive reference. After every
// step: how many attempts each wait has begun, whether one is under way, and how it was settled.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { turn } from '../support/turns.ts';
import { act, mixed } from './draw.ts';
import { codeOf } from './purgatory-guests.ts';
import { runs } from './runs.ts';

/** What an attempt does: `promise` is settled by a later step. */
type Kind = 'promise' | 'undefined' | 'value' | 'throw';
type Settlement = 'undefined' | 'value' | 'reject';

interface Spec {
  readonly keys: readonly number[];
  readonly timeoutMs: number;
  readonly signal: number | undefined;
  readonly kinds: readonly Kind[];
}

type Step =
  | { readonly do: 'wait'; readonly spec: Spec }
  | { readonly do: 'check' | 'notify' | 'cancelForKey'; readonly key: number }
  | { readonly do: 'settle'; readonly wait: number; readonly how: Settlement }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'close' };

const SIGNALS = 2;
/** How long a deadline waits for a try that an event has begun. */
const HOLD_MS = 100;

const key = fc.nat({ max: 2 });
const spec: fc.Arbitrary<Spec> = fc.record({
  keys: fc.array(key, { minLength: 1, maxLength: 3 }),
  timeoutMs: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(Number.POSITIVE_INFINITY)),
  signal: fc.option(fc.nat({ max: SIGNALS - 1 }), { nil: undefined }),
  kinds: fc.array(
    mixed<Kind>(
      [4, fc.constant('promise')],
      [2, fc.constant('undefined')],
      [2, fc.constantFrom('value', 'throw')],
    ),
    { minLength: 1, maxLength: 5 },
  ),
});
const how = mixed<Settlement>([3, fc.constant('undefined')], [2, fc.constantFrom('value', 'reject')]);
const step = mixed<Step>(
  [60, act('wait', { spec })],
  [100, act(['check', 'notify'], { key })],
  [140, act('settle', { wait: fc.nat({ max: 30 }), how })],
  [40, act('advance', { ms: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 60, max: 120 })) })],
  [10, act('cancelForKey', { key })],
  [10, act('abort', { signal: fc.nat({ max: SIGNALS - 1 }) })],
  [3, act('close')],
);

/** How a wait was settled; undefined while it was not. */
type Outcome = { readonly value: unknown } | { readonly rejected: unknown } | 'expired' | undefined;

/** The reference: what one wait should do. */
class Expected {
  readonly spec: Spec;
  readonly dueMs: number;
  begun = 0;
  isUnderWay = false;
  /** Whether an event has caused the try under way. */
  isForEvent = false;
  hasMissed = false;
  /** Its deadline has come, and waits for the try under way. */
  isHeld = false;
  outcome: Outcome;
  wasParked = false;

  constructor(spec: Spec, nowMs: number) {
    this.spec = spec;
    this.dueMs = nowMs + spec.timeoutMs;
  }

  get isParked(): boolean {
    return this.outcome === undefined;
  }

  /** In which total it is counted: the first try answers or throws without parking. */
  get end(): 'completed' | 'expired' | 'cancelled' | 'rejected' | undefined {
    const { outcome } = this;
    if (outcome === undefined || !this.wasParked) return undefined;
    if (outcome === 'expired') return 'expired';
    if ('value' in outcome) return 'completed';
    return /^(thrown|rejected)/.test(String(outcome.rejected)) ? 'rejected' : 'cancelled';
  }

  begin(isForEvent: boolean): void {
    this.isForEvent = isForEvent;
    const kind = this.spec.kinds[this.begun++ % this.spec.kinds.length];
    if (kind === 'promise') this.isUnderWay = true;
    else if (kind === 'value') this.outcome = { value: this.begun };
    else if (kind === 'throw') this.outcome = { rejected: `thrown ${this.begun}` };
  }

  event(): void {
    if (!this.isParked) return;
    if (this.isUnderWay) this.hasMissed = true;
    else this.begin(true);
  }

  settle(how: Settlement): void {
    this.isUnderWay = false;
    if (!this.isParked) return;
    if (how === 'value') this.outcome = { value: this.begun };
    else if (how === 'reject') this.outcome = { rejected: `rejected ${this.begun}` };
    else if (this.hasMissed) {
      this.hasMissed = false;
      this.begin(true);
    }
    if (this.isHeld && this.isParked && !this.isUnderWay) this.outcome = 'expired';
  }

  /** The clock has come to `nowMs`. */
  advanced(nowMs: number): void {
    if (!this.isParked || this.dueMs > nowMs) return;
    this.isHeld = this.isUnderWay && (this.isHeld || this.isForEvent || this.hasMissed);
    if (!this.isHeld || this.dueMs + HOLD_MS <= nowMs) this.outcome = 'expired';
  }
}

/** The real wait. */
class Actual {
  begun = 0;
  outcome: Outcome;
  #open: { resolve(value: unknown): void; reject(reason: unknown): void } | undefined;
  most = 0;

  constructor(kinds: readonly Kind[], wait: (attempt: () => unknown) => Promise<unknown>) {
    const attempt = (): unknown => {
      const kind = kinds[this.begun++ % kinds.length];
      if (kind === 'value') return this.begun;
      if (kind === 'throw') throw `thrown ${this.begun}`;
      if (kind === 'undefined') return undefined;
      if (this.#open !== undefined) throw new Error('two attempts are under way');
      return new Promise((resolve, reject) => {
        this.#open = { resolve, reject };
      });
    };
    wait(attempt).then(
      (result) => {
        const { expired, value } = result as { expired: boolean; value: unknown };
        this.outcome = expired ? 'expired' : { value };
      },
      (reason: unknown) => {
        this.outcome = { rejected: codeOf(reason) };
      },
    );
  }

  get isUnderWay(): boolean {
    return this.#open !== undefined;
  }

  settle(how: Settlement): void {
    const open = this.#open;
    this.#open = undefined;
    if (how === 'value') open?.resolve(this.begun);
    else if (how === 'reject') open?.reject(`rejected ${this.begun}`);
    else open?.resolve(undefined);
  }
}

class Pair {
  readonly #clock = new ManualClock();
  readonly #timer = new SystemTimer({ clock: this.#clock });
  readonly #errors: unknown[] = [];
  readonly #purgatory = new Purgatory<number>('test', {
    timer: this.#timer,
    onError: (error) => this.#errors.push(error),
  });
  readonly #controllers = Array.from({ length: SIGNALS }, () => new AbortController());
  readonly #waits: [Expected, Actual][] = [];
  #isClosed = false;

  act(step: Step): void {
    const parked = this.#waits.filter(([expected]) => expected.isParked);
    switch (step.do) {
      case 'wait':
        this.#wait(step.spec);
        break;
      case 'check':
      case 'notify':
        for (const [expected] of parked) if (expected.spec.keys.includes(step.key)) expected.event();
        if (step.do === 'check') this.#purgatory.checkAndComplete(step.key);
        else this.#purgatory.notify(step.key);
        break;
      case 'settle': {
        const underWay = this.#waits.filter(([expected]) => expected.isUnderWay);
        if (underWay.length === 0) break;
        for (const side of underWay[step.wait % underWay.length]) side.settle(step.how);
        break;
      }
      case 'advance':
        this.#clock.advance(step.ms);
        for (const [expected] of parked) expected.advanced(this.#clock.now());
        break;
      case 'cancelForKey':
        this.#reject(parked, ({ spec: { keys } }) => keys.includes(step.key), 'ERR_PURGATORY_CANCELLED');
        this.#purgatory.cancelForKey(step.key);
        break;
      case 'abort':
        this.#reject(parked, ({ spec: { signal } }) => signal === step.signal, `aborted ${step.signal}`);
        this.#controllers[step.signal].abort(`aborted ${step.signal}`);
        break;
      case 'close':
        this.#isClosed = true;
        this.#reject(parked, () => true, 'ERR_PURGATORY_CLOSED');
        this.#purgatory.close();
    }
  }

  #reject(parked: [Expected, Actual][], which: (expected: Expected) => boolean, rejected: unknown): void {
    for (const [expected] of parked) if (which(expected)) expected.outcome = { rejected };
  }

  #wait(spec: Spec): void {
    const expected = new Expected(spec, this.#clock.now());
    const signal = spec.signal === undefined ? undefined : this.#controllers[spec.signal].signal;
    if (this.#isClosed) expected.outcome = { rejected: 'ERR_PURGATORY_CLOSED' };
    else if (signal?.aborted) expected.outcome = { rejected: signal.reason };
    else {
      expected.begin(false);
      expected.wasParked = expected.isParked;
    }
    const { timeoutMs } = spec;
    const wait = (attempt: () => unknown): Promise<unknown> =>
      this.#purgatory.waitFor(spec.keys, attempt as () => number, { timeoutMs, signal });
    this.#waits.push([expected, new Actual(spec.kinds, wait)]);
  }

  check(): void {
    for (const [index, [expected, actual]] of this.#waits.entries()) {
      for (const what of ['begun', 'isUnderWay', 'outcome'] as const) {
        if (isDeepStrictEqual(actual[what], expected[what])) continue;
        throw new Error(
          `wait ${index}: ${what} is ${JSON.stringify(actual[what])}, not ${JSON.stringify(expected[what])}`,
        );
      }
    }
    const parked = this.#waits.filter(([expected]) => expected.isParked).length;
    if (this.#purgatory.numDelayed !== parked)
      throw new Error(`${this.#purgatory.numDelayed} are parked, not ${parked}`);
    const totals = { parked: 0, completed: 0, expired: 0, cancelled: 0, rejected: 0, failed: 0 };
    for (const [{ wasParked, end }] of this.#waits) {
      if (wasParked) totals.parked++;
      if (end !== undefined) totals[end]++;
    }
    if (!isDeepStrictEqual(this.#purgatory.snapshot({ top: 0 }).totals, totals))
      throw new Error(`counted are ${JSON.stringify(this.#purgatory.snapshot({ top: 0 }).totals)}`);
    if (this.#errors.length > 0) throw new Error('onError was called', { cause: this.#errors[0] });
    checkAndCompact(this.#purgatory);
    checkTimerInvariants(this.#timer);
  }
}

describe('Property: waitFor with asynchronous attempts', function () {
  this.timeout(0);

  it('begins, settles and drops attempts as a naive reference does, with nothing unhandled', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
          const pair = new Pair();
          for (const each of steps) {
            pair.act(each);
            await turn();
            pair.check();
          }
          if (unhandled.length > 0) throw new Error('unhandled rejections', { cause: unhandled[0] });
        }),
        runs(400),
      );
    } finally {
      process.off('unhandledRejection', listener);
    }
  });
});
