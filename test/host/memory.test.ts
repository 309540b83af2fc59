import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';

describe('behaviour 15: the engine keeps no reference and no memory', () => {
  const titles: Record<string, string> = {
    references: 'to an operation, key, waiter or task that left, in whatever way',
    closed: 'to what was parked in a purgatory that is closed',
    'a burst of operations': 'of a burst of operations that were parked and completed',
    'a burst of operations of which one in a thousand stays':
      'of a burst of which one in a thousand is still parked',
    'a burst of lone watchers of which one in a thousand stays':
      'of a burst with a key each of which one in a thousand is still parked',
    'a burst of operations that one event completes, but for one in a thousand':
      'of a burst of which one event completes all but one in a thousand',
    'a burst of operations on a hot key of which one in a thousand stays':
      'of a burst on a hot key of which one in a thousand is still parked',
    'a burst of operations on a hot key that one event completes, but for one in a thousand':
      'of a burst on a hot key of which one event completes all but one in a thousand',
    'a burst of tasks': 'of a burst of tasks that ran or were cancelled',
    'a burst of tasks of one tick': 'of a burst of tasks that were due together',
    'a steady flow': 'of a steady flow of operations, however long it lasts',
    'permits that go round': 'of waits that end in the continuations of others, however long that lasts',
    'items that go round': 'of items that are taken in the continuations of others, however long that lasts',
  };

  for (const [scene, title] of Object.entries(titles)) {
    it(title, async () => {
      const result = await runChild('memory', [scene], ['--expose-gc']);
      expect(summary(result)).to.deep.equal(ok('all well'));
    });
  }
});
