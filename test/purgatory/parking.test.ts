import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { Purgatory, PurgatoryError, SystemTimer } from '../../src/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { counts, EMPTY, hall, isEmpty, labels, Op } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';

describe('behaviour 14: no lost wake-up: tried, then watched on all keys', () => {
  const events: Record<string, (purgatory: Purgatory<unknown, Op>) => unknown> = {
    notify: (purgatory) => purgatory.notify('l'),
    checkAndComplete: (purgatory) => purgatory.checkAndComplete('l'),
  };
  for (const [name, event] of Object.entries(events)) {
    it(`tries it once more, on all its keys, where its own try has caused an event by ${name}`, () => {
      const { purgatory } = hall();
      const seen: unknown[] = [];
      const op = new Op('a', {
        delayMs: 50,
        onTry: (self) => {
          seen.push(counts(purgatory));
          if (self.tries === 1) event(purgatory);
          self.ready = self.tries === 2;
        },
      });
      expect(purgatory.tryCompleteElseWatch(op, ['k', 'l', 'm'])).to.equal(true);
      expect(seen).to.deep.equal([EMPTY, { watched: 3, watchedKeys: 3, numDelayed: 1 }]);
      expect(op.completions).to.equal(1);
      isEmpty(purgatory);
    });
  }

  it('does not try one once more that a listener has cancelled at its parking', () => {
    const { purgatory } = hall();
    const op = new Op('a', { delayMs: 50, onTry: () => purgatory.notify('k') });
    const cancel = (): void => void op.cancel();
    subscribe('purgatory:operation:parked', cancel);
    try {
      expect(purgatory.tryCompleteElseWatch(op, ['k'])).to.equal(false);
    } finally {
      unsubscribe('purgatory:operation:parked', cancel);
    }
    expect(op.tries).to.equal(1);
    isEmpty(purgatory);
  });
});

describe('behaviour 19: what is parked, and what is not', () => {
  it('parks without a deadline for Infinity: in no timer, and still pending', () => {
    const { clock, timer, purgatory, park } = hall();
    const op = park('a', ['k'], { delayMs: Number.POSITIVE_INFINITY });
    expect(timer.size).to.equal(0);
    expect(op.isPending).to.equal(true);
    clock.advance(1e12);
    expect(op.isCompleted).to.equal(false);
    op.ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(1);
  });

  it('refuses to park one twice, which stays as it was', () => {
    const { clock, purgatory, park, log } = hall();
    const elsewhere = new Purgatory<unknown, Op>('elsewhere', { clock });
    for (const delayMs of [50, Number.POSITIVE_INFINITY]) {
      const op = park('a', ['k'], { delayMs });
      for (const again of [purgatory, elsewhere]) {
        expect(() => again.tryCompleteElseWatch(op, ['l']))
          .to.throw(PurgatoryError)
          .with.include({
            code: 'ERR_PURGATORY_ALREADY_WATCHED',
            message: `The Op is parked already, in Purgatory "${purgatory.name}": park each operation once`,
          });
      }
      expect(op.tries).to.equal(0);
      expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
      expect(counts(elsewhere)).to.deep.equal(EMPTY);
      op.ready = true;
      expect(purgatory.checkAndComplete('l')).to.equal(0);
      expect(purgatory.checkAndComplete('k')).to.equal(1);
    }
    expect(log).to.deep.equal(['complete a', 'complete a']);
  });

  it('refuses one that is pending in another timer, which keeps it', () => {
    const { clock, purgatory } = hall();
    const other = new SystemTimer({ clock });
    const op = new Op('a', { delayMs: 5 });
    other.add(op);
    refuses(
      () => purgatory.tryCompleteElseWatch(op, ['k']),
      'ERR_PURGATORY_ALREADY_PENDING',
      'The Op is pending in a timer as a plain task',
    );
    expect(op.tries).to.equal(0);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    clock.advance(5);
    expect(op.expirations).to.equal(1);
  });

  it('lets no timer take a parked operation, its own neither', () => {
    const { clock, timer, purgatory, park } = hall();
    const other = new SystemTimer({ clock });
    for (const delayMs of [50, Number.POSITIVE_INFINITY]) {
      const op = park('a', ['k'], { delayMs });
      const size = timer.size;
      for (const taker of [timer, other]) {
        refuses(() => taker.add(op), 'ERR_PURGATORY_ALREADY_PENDING');
      }
      expect(timer.size).to.equal(size);
      expect(other.size).to.equal(0);
      op.cancel();
    }
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('refuses one with a `run` of its own, which its deadline would call', () => {
    class Ran extends Op {
      override run(): void {}
    }
    const withField = Object.assign(new Op('field'), { run: () => {} });
    const { purgatory } = hall();
    const levels = new ThresholdPurgatory<string>('levels');
    for (const op of [new Ran('method'), withField]) {
      refuses(() => purgatory.tryCompleteElseWatch(op, ['k']), 'ERR_INVALID_ARG_VALUE');
      const marks = [{ key: 'k', threshold: 1 }];
      refuses(() => levels.tryCompleteElseWatch(op as never, marks as never), 'ERR_INVALID_ARG_VALUE');
      expect([op.tries, op.isPending]).to.deep.equal([0, false]);
    }
  });

  it('refuses one that its own first try has parked elsewhere, which stays there', () => {
    const { purgatory } = hall();
    const elsewhere = new Purgatory<unknown, Op>('elsewhere');
    const onTry = (op: Op): void => {
      if (op.tries === 1) elsewhere.tryCompleteElseWatch(op, ['l']);
    };
    const op = new Op('a', { onTry });
    refuses(() => purgatory.tryCompleteElseWatch(op, ['k']), 'ERR_PURGATORY_ALREADY_WATCHED');
    expect([purgatory.numDelayed, elsewhere.watchersOf('l'), op.isPending]).to.deep.equal([0, 1, true]);
  });

  it('lets the try of a deadline park its operation again, which then has another deadline', () => {
    const { clock, purgatory } = hall();
    const onTry = (op: Op): void => {
      if (op.tries !== 2) return; // 1: at parking; 2: for the event, at the deadline
      op.cancel();
      purgatory.tryCompleteElseWatch(op, ['l']);
    };
    const op = new Op('a', { delayMs: 5, onTry });
    purgatory.tryCompleteElseWatch(op, ['k']);
    purgatory.notify('k');
    clock.advance(5);
    expect([op.tries, op.expirations, purgatory.watchersOf('l')]).to.deep.equal([3, 0, 1]);
    clock.advance(4);
    expect(op.expirations).to.equal(0);
    clock.advance(1);
    expect([op.expirations, purgatory.numDelayed]).to.deep.equal([1, 0]);
  });

  it('tells keys apart as a Map does', () => {
    const { purgatory, park } = hall();
    const object = {};
    const keys = [1, '1', true, null, undefined, Number.NaN, object, {}, Symbol('k'), 0];
    for (const key of keys) park(String(key), [key]);
    expect(purgatory.watchedKeys).to.equal(keys.length);
    expect(labels(purgatory.cancelForKey(Number.NaN))).to.deep.equal(['NaN']);
    expect(labels(purgatory.cancelForKey(-0))).to.deep.equal(['0']);
    expect(purgatory.cancelForKey(object)).to.have.length(1);
    expect(purgatory.cancelForKey({})).to.have.length(0);
    expect(labels(purgatory.cancelForKey(undefined))).to.deep.equal(['undefined']);
  });
});

describe('The totals of a purgatory', () => {
  const endless = Number.POSITIVE_INFINITY;
  const leaves: Record<string, (op: Op) => unknown> = {
    completed: (op) => op.forceComplete(),
    cancelled: (op) => op.cancel(),
  };
  for (const [how, leave] of Object.entries(leaves)) {
    it(`go by what was parked, whatever has become of its deadline or its fields: ${how}`, () => {
      for (const [parkedMs, laterMs] of [
        [50, endless],
        [endless, 50],
      ]) {
        const { purgatory, park } = hall();
        const op = park('a', ['k'], { delayMs: parkedMs });
        Object.assign(op, { delayMs: laterMs });
        expect(purgatory.snapshot().endless.parked).to.equal(parkedMs === endless ? 1 : 0);
        leave(op);
        const { endless: left, totals } = purgatory.snapshot();
        expect([left.parked, totals[how as 'completed']]).to.deep.equal([0, 1]);
      }
      for (const delayMs of [50, endless]) {
        const { timer, purgatory, park } = hall();
        const op = park('a', ['k'], { delayMs });
        Object.freeze(op);
        for (let i = 0; i < 2; i++) expect(() => leave(op)).to.throw(TypeError);
        const { parked, endless: left, totals } = purgatory.snapshot();
        expect([parked, left.parked, totals[how as 'completed'], timer.size]).to.deep.equal([0, 0, 1, 0]);
        expect(totals.parked).to.equal(1);
      }
    });
  }
});
