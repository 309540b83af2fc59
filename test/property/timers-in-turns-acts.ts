// What a history of timers that share the slice of a turn is made of.
import fc from 'fast-check';

export type Act =
  | { readonly do: 'schedule'; readonly timer: number; readonly delayMs: number; readonly many: number }
  | { readonly do: 'again'; readonly who: number; readonly timer: number }
  | { readonly do: 'cancel'; readonly who: number }
  | { readonly do: 'advanceClock' | 'close'; readonly timer: number }
  | { readonly do: 'park'; readonly key: string; readonly delayMs: number; readonly many: number }
  /** Each so-manieth operation on the key can complete then. */
  | { readonly do: 'notify'; readonly key: string; readonly ready: number }
  | { readonly do: 'throw' };

export interface History {
  /** One for each timer: its sliceMs. */
  readonly slices: readonly number[];
  readonly hasPurgatory: boolean;
  /** What a try of an operation takes, and the poll of a turn before the host's timers, in ms. */
  readonly tryMs: number;
  readonly pollMs: number;
  /** What tasks take, and microtasks after them, in ms, and how many microtasks later that is. */
  readonly costs: readonly { readonly ms: number; readonly laterMs: number; readonly hops: number }[];
  /** Between turns: time goes by, then an act, then turns, perhaps until timers of the host come. */
  readonly steps: readonly {
    readonly ms: number;
    readonly act: Act;
    readonly turns: number;
    readonly waits: boolean;
  }[];
  /** Acts inside tasks, and in microtasks after them, and how many tasks run before each. */
  readonly inside: readonly { readonly runs: number; readonly act: Act }[];
  readonly after: readonly { readonly runs: number; readonly act: Act }[];
}

/** Exact in binary, so that the reference has no rounding to allow for. */
const quarters = (maxMs: number): fc.Arbitrary<number> => fc.nat(maxMs * 4).map((n) => n / 4);

const timer = fc.nat(3);
const key = fc.constantFrom('a', 'b');
const many = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constantFrom(20, 80));
const delayMs = fc.oneof(fc.constant(0), quarters(3), quarters(20));

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('schedule'), timer, delayMs, many }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again'), who: fc.nat(200), timer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel'), who: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advanceClock'), timer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close'), timer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('park'), key, delayMs, many }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('notify'), key, ready: fc.constantFrom(1, 3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('throw') }) },
) as fc.Arbitrary<Act>;

const script = fc.array(fc.record({ runs: fc.nat(5), act }), { maxLength: 5 });

export const timersHistory: fc.Arbitrary<History> = fc.record({
  slices: fc.array(fc.constantFrom(1, 5, 5, Number.POSITIVE_INFINITY), { minLength: 1, maxLength: 4 }),
  hasPurgatory: fc.boolean(),
  tryMs: fc.constantFrom(0, 0, 0.5),
  pollMs: fc.constantFrom(0, 0.25, 1),
  costs: fc.array(
    fc.record({
      ms: fc.constantFrom(0, 0, 0.25, 1, 3),
      laterMs: fc.constantFrom(0, 0, 0.25, 1),
      hops: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  steps: fc.array(
    fc.record({
      ms: fc.oneof(fc.constant(0), quarters(5)),
      act,
      turns: fc.nat(2),
      waits: fc.nat(3).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 14 },
  ),
  inside: script,
  after: script,
});
