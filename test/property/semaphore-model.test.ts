// A Semaphore against a reference that keeps a plain list and scans all of it.
import fc from 'fast-check';
import { act, mixed } from './draw.ts';
import { type Act, KEYS, plays } from './lines-stage.ts';
import { runs } from './runs.ts';
import { type SemaphoreAct, SemaphoreStage } from './semaphore-stage.ts';

const key = fc.constantFrom(...KEYS);
const timeoutMs = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Number.POSITIVE_INFINITY));

function acts(units: number): fc.Arbitrary<Act<SemaphoreAct>> {
  const some = mixed(
    [4, fc.integer({ min: 1, max: Math.min(units, 3) })],
    [1, fc.integer({ min: 1, max: units })],
  );
  const many = mixed([3, fc.constant(1)], [1, fc.integer({ min: 1, max: units })]);
  const acquire = act('acquire', { key, units: some, timeoutMs, many, isLabelled: fc.boolean() });
  const tryAcquire = act('tryAcquire', { key, units: some });
  const release = act('release', { which: fc.nat(200), many });
  const resize = act('resize', { units: fc.nat(units), key, isTold: fc.boolean() });
  const abort = act('abort', { which: fc.nat(300) });
  const cancelForKey = act('cancelForKey', { key });
  // What a pass of the timer adds with a delay of 0 waits for the next pass: a reference would need one.
  const later = acquire.map((each) => ({ ...each, timeoutMs: Math.max(each.timeoutMs, 1) }));
  const inside = fc.oneof<fc.Arbitrary<Act<SemaphoreAct>>[]>(
    later,
    tryAcquire,
    release,
    resize,
    abort,
    cancelForKey,
  );
  return mixed<Act<SemaphoreAct>>(
    [12, acquire],
    [3, tryAcquire],
    [10, release],
    [2, resize],
    [1, act('idle')],
    [3, abort],
    [1, act('force', { which: fc.nat(5) })],
    [5, act('advance', { ms: fc.nat(4) })],
    [1, cancelForKey],
    [8, act('endTurn')],
    [3, inside.map((each) => ({ do: 'listen', act: each }))],
  );
}

describe('Semaphore, whatever is done to it (behaviours 31 to 34)', () => {
  it('gives what a list that is scanned from end to end gives', async () => {
    const history = fc.integer({ min: 1, max: 4 }).chain((units) =>
      fc.record({
        units: fc.constant(units),
        maxParked: fc.constantFrom(3, Number.POSITIVE_INFINITY),
        isByKey: fc.boolean(),
        acts: fc.array(acts(units), { minLength: 10, maxLength: 60 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(history, ({ units, maxParked, isByKey, acts }) =>
        plays(new SemaphoreStage(units, maxParked, isByKey), acts),
      ),
      runs(900),
    );
  });

  it('gives it also to many at once, in batches', async () => {
    const history = fc.array(acts(150), { minLength: 10, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(history, (each) => plays(new SemaphoreStage(150, Number.POSITIVE_INFINITY), each)),
      runs(150),
    );
  });
});
