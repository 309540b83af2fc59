// A Semaphore against a reference that keeps a plain list and scans all of it.
import fc from 'fast-check';
import { type Act, KEYS, plays } from './lines-stage.ts';
import { runs } from './runs.ts';
import { type SemaphoreAct, SemaphoreStage } from './semaphore-stage.ts';

const key = fc.constantFrom(...KEYS);
const timeoutMs = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Number.POSITIVE_INFINITY));

function acts(units: number): fc.Arbitrary<Act<SemaphoreAct>> {
  const some = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: Math.min(units, 3) }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: units }) },
  );
  const many = fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: units }) },
  );
  const acquire = fc.record({
    do: fc.constant('acquire' as const),
    key,
    units: some,
    timeoutMs,
    many,
    isLabelled: fc.boolean(),
  });
  const tryAcquire = fc.record({ do: fc.constant('tryAcquire' as const), key, units: some });
  const release = fc.record({ do: fc.constant('release' as const), which: fc.nat(200), many });
  const resize = fc.record({ do: fc.constant('resize' as const), units: fc.nat(units) });
  const abort = fc.record({ do: fc.constant('abort' as const), which: fc.nat(300) });
  const cancelForKey = fc.record({ do: fc.constant('cancelForKey' as const), key });
  // What a pass of the timer adds with a delay of 0 waits for the next pass: a reference would need one.
  const later = acquire.map((act) => ({ ...act, timeoutMs: Math.max(act.timeoutMs, 1) }));
  const inside = fc.oneof<fc.Arbitrary<Act<SemaphoreAct>>[]>(
    later,
    tryAcquire,
    release,
    resize,
    abort,
    cancelForKey,
  );
  return fc.oneof<{ weight: number; arbitrary: fc.Arbitrary<Act<SemaphoreAct>> }[]>(
    { weight: 12, arbitrary: acquire },
    { weight: 3, arbitrary: tryAcquire },
    { weight: 10, arbitrary: release },
    { weight: 2, arbitrary: resize },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('idle' as const) }) },
    { weight: 3, arbitrary: abort },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('force' as const), which: fc.nat(5) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(4) }) },
    { weight: 1, arbitrary: cancelForKey },
    { weight: 8, arbitrary: fc.record({ do: fc.constant('endTurn' as const) }) },
    { weight: 3, arbitrary: inside.map((act): Act<SemaphoreAct> => ({ do: 'listen', act })) },
  );
}

describe('Semaphore, whatever is done to it (behaviours 31 to 34)', () => {
  it('gives what a list that is scanned from end to end gives', async () => {
    const history = fc.integer({ min: 1, max: 4 }).chain((units) =>
      fc.record({
        units: fc.constant(units),
        maxParked: fc.constantFrom(3, Number.POSITIVE_INFINITY),
        acts: fc.array(acts(units), { minLength: 10, maxLength: 60 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(history, ({ units, maxParked, acts }) =>
        plays(new SemaphoreStage(units, maxParked), acts),
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
