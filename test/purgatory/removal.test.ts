import { expect } from 'chai';
import { counts, EMPTY, hall, isEmpty, type Op } from '../support/op.ts';

describe('behaviour 15: what completes, expires or is cancelled leaves every list and the timer in that call', () => {
  const ways: Record<string, (op: Op, h: ReturnType<typeof hall>) => void> = {
    'checkAndComplete of one of its keys': (op, { purgatory }) => {
      op.ready = true;
      purgatory.checkAndComplete('l');
    },
    forceComplete: (op) => void op.forceComplete(),
    'its deadline': (_, { clock }) => clock.advance(50),
    cancel: (op) => void op.cancel(),
    'cancelForKey of one of its keys': (_, { purgatory }) => void purgatory.cancelForKey('m'),
    'remove of the timer': (op, { timer }) => void timer.remove(op),
    'close of the purgatory': (_, { purgatory }) => void purgatory.close(),
    'close of the timer': (_, { timer }) => void timer.close(),
  };

  for (const [way, leave] of Object.entries(ways)) {
    it(`by ${way}, and is gone already when onComplete or onExpiration looks`, () => {
      const h = hall();
      const seen: unknown[] = [];
      const look = (): void => void seen.push(counts(h.purgatory), h.timer.size);
      const op = h.park('a', ['k', 'l', 'm'], { delayMs: 50, onCompleted: look, onExpired: look });
      expect(counts(h.purgatory)).to.deep.equal({ watched: 3, watchedKeys: 3, numDelayed: 1 });
      leave(op, h);
      isEmpty(h.purgatory);
      expect(op.isPending).to.equal(false);
      const looks = Array.from({ length: op.completions + op.expirations }, () => [EMPTY, 0]);
      expect(seen).to.deep.equal(looks.flat());
    });
  }
});
