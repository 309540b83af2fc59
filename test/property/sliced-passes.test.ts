import fc, { type Arbitrary } from 'fast-check';
import { act, mixed } from './draw.ts';
import { longRuns, runs } from './runs.ts';
import type { Act, History } from './sliced-acts.ts';
import { SlicedHistory } from './sliced-history.ts';

const key = fc.constantFrom('a', 'b', 'c');
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3 });
const atMost = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined });
const ready = fc.constantFrom(0, 0, 1, 3);
const who = fc.nat(1_000);
const delayMs = fc.oneof(
  fc.constant(Number.POSITIVE_INFINITY),
  fc.constant(Number.POSITIVE_INFINITY),
  fc.integer({ min: 1, max: 60 }),
);

const anyAct = mixed<Act>(
  [3, act('park', { keys, many: fc.integer({ min: 1, max: 6 }), delayMs, ready })],
  [6, act(['cancel', 'force', 'ready', 'parkAgain'], { who })],
  [5, act(['notify', 'notify', 'check'], { key, atMost })],
  [1, act('leaveMany', { keepEach: fc.integer({ min: 2, max: 20 }) })],
  [1, act('cancelForKey', { key })],
  [2, act('advance', { ms: fc.constantFrom(1, 7, 30, 1_100) })],
  [2, act(['throw', 'served'])],
  [1, act(['close', 'throw', 'throw', 'throw'])],
);

/** Many leave, and the purgatory gives memory back, though it does not rest. */
const shrinking = fc
  .record({ tries: fc.nat(60), keepEach: fc.integer({ min: 5, max: 20 }) })
  .map(({ tries, keepEach }): History['inside'] => [
    { tries, act: { do: 'leaveMany', keepEach } },
    { tries: 0, act: { do: 'advance', ms: 1_100 } },
  ]);

/** Herds and an event first, so that most histories have a pass under way from the beginning. */
function history(most: number, herd: number, isShrinking = false): Arbitrary<History> {
  const herds = act('park', { keys, many: fc.integer({ min: 1, max: herd }), delayMs, ready });
  const event = act('notify', { key, atMost });
  const turns = fc.constantFrom(0, 0, 1, 1, 2, 4);
  return fc.record({
    tryMs: fc.constantFrom(0, 0.3, 1, 1, 2),
    steps: fc
      .tuple(
        fc.array(fc.record({ turns: fc.constant(0), act: herds }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.record({ turns: fc.constant(0), act: event }), { minLength: 1, maxLength: 2 }),
        fc.array(fc.record({ turns, act: anyAct }), { maxLength: most }),
      )
      .map((parts) => parts.flat()),
    inside: fc
      .tuple(
        fc.array(fc.record({ tries: fc.nat(20), act: anyAct }), { maxLength: 4 }),
        isShrinking ? shrinking : fc.constant([]),
        fc.array(fc.record({ tries: fc.nat(20), act: anyAct }), { maxLength: most }),
      )
      .map((parts) => parts.flat()),
  });
}

describe('Property: events that span turns try whom the rules say, whatever happens meanwhile', function () {
  this.timeout(0);

  it('in short histories', async () => {
    await fc.assert(
      fc.asyncProperty(history(12, 40), (each) => new SlicedHistory(each).play()),
      runs(300),
    );
  });

  it('in histories of herds, whose memory is given back under a pass that is held', async () => {
    await fc.assert(
      fc.asyncProperty(history(20, 200, true), (each) => new SlicedHistory(each).play()),
      longRuns(100),
    );
  });
});
