// Queues against a reference that keeps plain lists and scans all of them.
import fc from 'fast-check';
import { act, mixed } from './draw.ts';
import { type Act, KEYS, plays } from './lines-stage.ts';
import { type QueuesAct, QueuesStage } from './queues-stage.ts';
import { runs } from './runs.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** @param most how many at once. */
function acts(most: number): fc.Arbitrary<Act<QueuesAct>> {
  const key = fc.constantFrom(...KEYS);
  const keys = fc.array(key, { minLength: 1, maxLength: 3 });
  const timeoutMs = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(NEVER));
  const many = mixed([3, fc.constant(1)], [1, fc.integer({ min: 0, max: most })]);
  // A batch is left to serve on one key only: of two, either may get who waits on both.
  const put = fc.oneof(
    act('put', { key, many: fc.constant(1) }),
    act('put', { key: most > 64 ? fc.constant('a' as const) : key, many }),
  );
  const leaseMs = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(NEVER));
  const afterMs = mixed([2, fc.constant(0)], [1, fc.integer({ min: 1, max: 4 })]);
  const putWith = act('putWith', { key, timeoutMs, afterMs });
  const leave = act('leave', { which: fc.nat(300) });
  const lease = act('lease', { keys, leaseMs, timeoutMs, many });
  const ack = act('ack', { which: fc.nat(300) });
  const nack = act('nack', { which: fc.nat(300), afterMs });
  const extend = act('extend', { which: fc.nat(300), leaseMs });
  const putBack = act('putBack', { key, afterMs });
  const giveBack = act('giveBack', { which: fc.nat(300), afterMs });
  const remove = act('remove', { key, which: fc.nat(300) });
  const clear = act('clear', { key });
  const max = mixed([3, fc.constant(0)], [1, fc.integer({ min: 1, max: most })]);
  const take = act('take', { keys, max, timeoutMs, many });
  const tryTake = act('tryTake', { keys });
  const abort = act('abort', { which: fc.nat(300) });
  const cancelForKey = act('cancelForKey', { key });
  // What a pass of the timer adds with a delay of 0 waits for the next pass: a reference would need one.
  const later = fc
    .oneof<fc.Arbitrary<QueuesAct & { timeoutMs: number }>[]>(take, lease, putWith)
    .map((each) => ({ ...each, timeoutMs: Math.max(each.timeoutMs, 1) }));
  const inside = fc.oneof<fc.Arbitrary<Act<QueuesAct>>[]>(
    put,
    putBack,
    giveBack,
    remove,
    clear,
    later,
    leave,
    ack,
    nack,
    extend,
    tryTake,
    abort,
    cancelForKey,
  );
  return mixed<Act<QueuesAct>>(
    [9, put],
    [2, putBack],
    [5, giveBack],
    [2, remove],
    [1, clear],
    [5, putWith],
    [2, leave],
    [9, take],
    [7, lease],
    [4, ack],
    [3, nack],
    [2, extend],
    [2, tryTake],
    [3, abort],
    [1, act('force', { which: fc.nat(5) })],
    [5, act('advance', { ms: fc.nat(4) })],
    [1, cancelForKey],
    [6, act('endTurn')],
    [3, inside.map((each) => ({ do: 'listen', act: each }))],
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
