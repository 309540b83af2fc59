// Random histories of a purgatory: operations with scripts for their callbacks, and steps.
import fc from 'fast-check';
import { kind, mixed } from './draw.ts';

export interface Spec {
  readonly keys: readonly number[];
  readonly delayMs: number;
  readonly ready: boolean;
  /** Which scripts its callbacks follow. */
  readonly onTry: number;
  readonly onComplete: number;
  readonly onExpiration: number;
}

export type Action =
  | { readonly kind: 'park'; readonly spec: Spec }
  | { readonly kind: 'parkAgain'; readonly target: number; readonly keys: readonly number[] }
  | { readonly kind: 'parkMany'; readonly spec: Spec; readonly count: number }
  | { readonly kind: 'leaveMany'; readonly target: number; readonly count: number }
  | { readonly kind: 'cancel' | 'force' | 'makeReady'; readonly target: number }
  | { readonly kind: 'check' | 'cancelForKey'; readonly key: number }
  | { readonly kind: 'close' | 'advanceClock' | 'throw' };

export type Step = Action | { readonly kind: 'advance'; readonly ms: number };

export interface History {
  readonly reaper: boolean;
  readonly tickMs: number;
  readonly wheelSize: number;
  readonly maxParked: number;
  readonly maxPending: number;
  readonly scripts: readonly (readonly Action[])[];
  readonly steps: readonly Step[];
}

export const KEYS = 5;
/** The first operation of a burst has this key for itself, the next one the next key, and so on. */
export const BURST_KEY = 100;

const target = fc.nat({ max: 63 });
const key = fc.nat({ max: KEYS - 1 });
const keys = fc.array(key, { minLength: 1, maxLength: 4 });
/** The keys of events: those of one operation of a burst, too. */
const eventKey = mixed([5, key], [1, fc.integer({ min: BURST_KEY, max: BURST_KEY + 100 })]);
/** Script 0 is empty. */
const script = mixed([1, fc.constant(0)], [1, fc.nat({ max: 7 })]);

const spec: fc.Arbitrary<Spec> = fc.record({
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
});

const waiting = spec.map((given): Spec => ({ ...given, ready: false }));

const goingOn = mixed<Action>(
  [30, kind('park', { spec: waiting })],
  [4, kind('park', { spec })],
  [8, kind('parkAgain', { target, keys })],
  [30, kind(['cancel', 'force', 'makeReady', 'makeReady', 'makeReady'], { target })],
  [26, kind('check', { key: eventKey })],
  [4, kind('cancelForKey', { key: eventKey })],
  [4, kind('advanceClock')],
  [18, kind('throw')],
);

/** Many operations at once, so that the slabs grow, and shrink when most have left. */
const count = fc.constantFrom(20, 80, 300);
const manyOrFew = mixed<Action>(
  [1, kind('parkMany', { spec: waiting, count })],
  [1, kind('leaveMany', { target: fc.nat({ max: 999 }), count })],
  [8, goingOn],
);

const ending = mixed<Action>([115, goingOn], [1, kind('close')]);

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
    reaper: fc.boolean(),
    tickMs: fc.constantFrom(1, 1, 5, 20),
    wheelSize: fc.constantFrom(2, 8, 512),
    maxParked: fc.constantFrom(none, none, 3, 10),
    maxPending: fc.constantFrom(none, none, none, 6),
    scripts: fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 7 }),
    steps: fc.array(mixed<Step>([4, action], [1, advance]), { minLength: minSteps, maxLength: maxSteps }),
  });
}
