// Queues against a reference that keeps plain lists and scans all of them.
import fc from 'fast-check';
import { type Act, KEYS, plays } from './lines-stage.ts';
import { type QueuesAct, QueuesStage } from './queues-stage.ts';
import { runs } from './runs.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** @param most how many at once. */
function acts(most: number): fc.Arbitrary<Act<QueuesAct>> {
  const key = fc.constantFrom(...KEYS);
  const keys = fc.array(key, { minLength: 1, maxLength: 3 });
  const timeoutMs = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(NEVER));
  const many = fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: most }) },
  );
  // A batch is left to serve on one key only: of two, either may get who waits on both.
  const put = fc.oneof(
    fc.record({ do: fc.constant('put' as const), key, many: fc.constant(1) }),
    fc.record({ do: fc.constant('put' as const), key: most > 64 ? fc.constant('a' as const) : key, many }),
  );
  const putBack = fc.record({ do: fc.constant('putBack' as const), key });
  const giveBack = fc.record({ do: fc.constant('giveBack' as const), which: fc.nat(300) });
  const remove = fc.record({ do: fc.constant('remove' as const), key, which: fc.nat(300) });
  const clear = fc.record({ do: fc.constant('clear' as const), key });
  const max = fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: most }) },
  );
  const take = fc.record({ do: fc.constant('take' as const), keys, max, timeoutMs, many });
  const tryTake = fc.record({ do: fc.constant('tryTake' as const), keys });
  const abort = fc.record({ do: fc.constant('abort' as const), which: fc.nat(300) });
  const cancelForKey = fc.record({ do: fc.constant('cancelForKey' as const), key });
  // What a pass of the timer adds with a delay of 0 waits for the next pass: a reference would need one.
  const later = take.map((act) => ({ ...act, timeoutMs: Math.max(act.timeoutMs, 1) }));
  const inside = fc.oneof<fc.Arbitrary<Act<QueuesAct>>[]>(
    put,
    putBack,
    giveBack,
    remove,
    clear,
    later,
    tryTake,
    abort,
    cancelForKey,
  );
  return fc.oneof<{ weight: number; arbitrary: fc.Arbitrary<Act<QueuesAct>> }[]>(
    { weight: 9, arbitrary: put },
    { weight: 2, arbitrary: putBack },
    { weight: 5, arbitrary: giveBack },
    { weight: 2, arbitrary: remove },
    { weight: 1, arbitrary: clear },
    { weight: 12, arbitrary: take },
    { weight: 2, arbitrary: tryTake },
    { weight: 3, arbitrary: abort },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('force' as const), which: fc.nat(5) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(4) }) },
    { weight: 1, arbitrary: cancelForKey },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('endTurn' as const) }) },
    { weight: 3, arbitrary: inside.map((act): Act<QueuesAct> => ({ do: 'listen', act })) },
  );
}

describe('Queues, whatever is done to them (behaviours 31 to 34, and 37)', () => {
  it('give what lists that are scanned from end to end give', async () => {
    const history = fc.record({
      maxItems: fc.constantFrom(4, NEVER),
      maxParked: fc.constantFrom(3, NEVER),
      acts: fc.array(acts(3), { minLength: 10, maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(history, ({ maxItems, maxParked, acts }) =>
        plays(new QueuesStage(maxItems, maxParked), acts),
      ),
      runs(900),
    );
  });

  it('give it also to many at once, in batches', async () => {
    const history = fc.array(acts(150), { minLength: 10, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(history, (each) => plays(new QueuesStage(NEVER, NEVER), each)),
      runs(150),
    );
  });
});
