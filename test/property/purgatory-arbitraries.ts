// Random histories of purgatories that share a timer: operations and waiters with scripts for their
// callbacks, and steps.
import fc from 'fast-check';
import { kind, mixed } from './draw.ts';

export interface Spec {
  readonly kind: 'operation' | 'waiter';
  readonly purgatory: number;
  readonly keys: readonly number[];
  readonly delayMs: number;
  readonly ready: boolean;
  /** Which scripts its callbacks follow. */
  readonly onTry: number;
  readonly onComplete: number;
  readonly onExpiration: number;
  /** The abort signal of a waiter. */
  readonly signal: number | undefined;
}

export type Action =
  | { readonly kind: 'park'; readonly spec: Spec }
  | { readonly kind: 'parkAgain'; readonly target: number; readonly keys: readonly number[] }
  | { readonly kind: 'parkMany'; readonly spec: Spec; readonly count: number }
  | { readonly kind: 'leaveMany'; readonly target: number; readonly count: number }
  | { readonly kind: 'cancel' | 'force' | 'makeReady'; readonly target: number }
  | { readonly kind: 'check' | 'cancelForKey' | 'notify'; readonly purgatory: number; readonly key: number }
  | { readonly kind: 'abort'; readonly signal: number }
  | { readonly kind: 'close'; readonly purgatory: number }
  | { readonly kind: 'advanceClock' | 'throw' };

export type Step = Action | { readonly kind: 'advance'; readonly ms: number };

export interface History {
  readonly purgatories: number;
  readonly reaper: boolean;
  readonly tickMs: number;
  readonly wheelSize: number;
  readonly maxParked: number;
  readonly maxPending: number;
  readonly scripts: readonly (readonly Action[])[];
  readonly steps: readonly Step[];
}

export const SIGNALS = 3;
const KEYS = 5;
/** The first operation of a burst has this key for itself, the next one the next key, and so on. */
export const BURST_KEY = 100;

const target = fc.nat({ max: 63 });
const purgatory = fc.nat({ max: 1 });
const key = fc.nat({ max: KEYS - 1 });
const keys = fc.array(key, { minLength: 1, maxLength: 4 });
/** The keys of events: those of one operation of a burst, too. */
const eventKey = mixed([5, key], [1, fc.integer({ min: BURST_KEY, max: BURST_KEY + 100 })]);
/** Script 0 is empty. */
const script = mixed([2, fc.constant(0)], [1, fc.nat({ max: 7 })]);

const spec: fc.Arbitrary<Spec> = fc.record({
  kind: fc.constantFrom('operation', 'operation', 'operation', 'waiter'),
  purgatory,
  keys,
  delayMs: mixed(
    [1, fc.constantFrom(0, -3)],
    [4, fc.integer({ min: 1, max: 60 })],
    [2, fc.constantFrom(5_000, 2 ** 33, Number.POSITIVE_INFINITY)],
  ),
  ready: fc.boolean(),
  onTry: script,
  onComplete: script,
  onExpiration: script,
  signal: fc.option(fc.nat({ max: SIGNALS - 1 }), { nil: undefined }),
});

const waiting = spec.map((given): Spec => ({ ...given, ready: false }));

const goingOn = mixed<Action>(
  [30, kind('park', { spec: waiting })],
  [4, kind('park', { spec })],
  [8, kind('parkAgain', { target, keys })],
  [30, kind(['cancel', 'force', 'makeReady', 'makeReady', 'makeReady'], { target })],
  [22, kind('check', { purgatory, key: eventKey })],
  [8, kind(['cancelForKey', 'notify', 'notify'], { purgatory, key: eventKey })],
  [2, kind('abort', { signal: fc.nat({ max: SIGNALS - 1 }) })],
  [4, kind('advanceClock')],
  [6, kind('throw')],
);

/** Many operations at once, so that the slabs grow, and shrink when most have left. */
const count = fc.constantFrom(20, 80, 300);
const manyOrFew = mixed<Action>(
  [1, kind('parkMany', { spec: waiting, count })],
  [1, kind('leaveMany', { target: fc.nat({ max: 999 }), count })],
  [8, goingOn],
);

const ending = mixed<Action>([115, goingOn], [1, kind('close', { purgatory })]);

const advance = kind('advance', {
  ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.constantFrom(0.5, 500, 10_000, 2 ** 34)),
});

export interface Size {
  readonly minSteps: number;
  readonly maxSteps: number;
  /** May a purgatory be closed in the middle? */
  readonly closes?: boolean;
  /** Do actions take many operations at once? */
  readonly bursts?: boolean;
}

export function purgatoryHistory({ minSteps, maxSteps, closes, bursts }: Size): fc.Arbitrary<History> {
  const action = closes ? ending : bursts ? manyOrFew : goingOn;
  const { POSITIVE_INFINITY: none } = Number;
  return fc.record({
    purgatories: fc.constantFrom(1, 1, 2),
    reaper: fc.boolean(),
    tickMs: fc.constantFrom(1, 1, 5, 20),
    wheelSize: fc.constantFrom(2, 8, 512),
    maxParked: fc.constantFrom(none, none, 3, 10),
    maxPending: fc.constantFrom(none, none, none, 6),
    scripts: fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 7 }),
    steps: fc.array(mixed<Step>([4, action], [1, advance]), { minLength: minSteps, maxLength: maxSteps }),
  });
}
