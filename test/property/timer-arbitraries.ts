// Random histories of a timer: its options, a pool of tasks with scripts for their callbacks, and
// steps from outside.
import fc from 'fast-check';
import { kind, mixed } from './draw.ts';

export type Action =
  | { readonly kind: 'add' | 'cancel' | 'remove'; readonly task: number }
  | {
      readonly kind: 'addMany' | 'cancelMany';
      readonly task: number;
      readonly count: number;
      readonly stride: number;
    }
  | { readonly kind: 'advanceClock' | 'close' | 'throw' };

export type Step = Action | { readonly kind: 'advance'; readonly ms: number };

export interface History {
  readonly tickMs: number;
  readonly wheelSize: number;
  readonly reaper: boolean;
  readonly maxPending: number;
  readonly startMs: number;
  /**
   * Whether the timer is asked after each step when it will look next. To answer, it drops empty
   * buckets.
   */
  readonly asks: boolean;
  /** The copies of each task in `tasks`. A copy is delayed by 3 ms more than the one before. */
  readonly copies: number;
  readonly tasks: readonly { readonly delayMs: number; readonly script: readonly Action[] }[];
  readonly steps: readonly Step[];
}

/**
 * Times are multiples of an eighth. They are exact in binary, so the reference has no rounding to
 * allow for.
 */
function eighths(maxMs: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: maxMs * 8 }).map((n) => n / 8);
}

const delayMs = mixed(
  [2, fc.constantFrom(0, 0, -1, -1e6)],
  [4, fc.integer({ min: 1, max: 40 })],
  [3, eighths(300)],
  [2, fc.integer({ min: 300, max: 100_000 })],
  [1, fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 52, Number.MAX_SAFE_INTEGER)],
);

const jumpMs = mixed(
  [2, fc.constant(0)],
  [5, fc.integer({ min: 1, max: 40 })],
  [3, eighths(300)],
  [2, fc.integer({ min: 300, max: 100_000 })],
  [1, fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 33 + 1, 1e12)],
);

const task = fc.nat({ max: 63 });

const action = mixed<Action>(
  [40, kind('add', { task })],
  [15, kind(['cancel', 'remove'], { task })],
  [12, kind('advanceClock')],
  [5, kind('throw')],
  [1, kind('close')],
);

const advance = kind('advance', { ms: jumpMs });

/** Whole ranges of tasks at once, so that the slabs grow, and fall back when most have left. */
const many = kind(['addMany', 'addMany', 'cancelMany'], {
  task: fc.nat({ max: 999 }),
  count: fc.constantFrom(30, 100, 400, 800),
  stride: fc.constantFrom(1, 1, 2, 7),
});
const manyOrFew = mixed<Action>([1, many], [4, action]);

/**
 * Histories of `minSteps` to `maxSteps` steps on a pool of at most `maxTasks` tasks. With `copies`
 * of each task there are bursts, whose actions take many tasks at once.
 */
export function timerHistory(
  minSteps: number,
  maxSteps: number,
  maxTasks: number,
  copies = 1,
): fc.Arbitrary<History> {
  const act = copies > 1 ? manyOrFew : action;
  const step = mixed<Step>([2, act], [1, advance]);
  return fc.record({
    copies: fc.constant(copies),
    tickMs: fc.constantFrom(1, 1, 2, 3, 7, 10, 64, 1_000),
    // With the largest wheel, the check of the invariants, which looks into every bucket, is too
    // slow for long histories.
    wheelSize: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(2, 3, 4, 5, 8, 16, 100, 512) },
      { weight: maxSteps < 100 ? 1 : 0, arbitrary: fc.constant(65_536) },
    ),
    reaper: fc.boolean(),
    maxPending: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1, 4),
    startMs: fc.constantFrom(0, 0, 0.5, 17.125, 999, 2 ** 31 - 3, 1e12 + 0.25, -5.5),
    asks: fc.boolean(),
    tasks: fc.array(fc.record({ delayMs, script: fc.array(act, { maxLength: 4 }) }), {
      minLength: 1,
      maxLength: maxTasks,
    }),
    steps: fc.array(step, { minLength: minSteps, maxLength: maxSteps }),
  });
}
