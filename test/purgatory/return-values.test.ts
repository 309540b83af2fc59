import { expect } from 'chai';
import { DelayedOperation, Purgatory, type PurgatoryError } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { counts, EMPTY, hall, isEmpty, Op } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';
import { rejection } from '../support/rejection.ts';
import { turn } from '../support/turns.ts';
import { unhandledDuring } from '../support/unhandled.ts';

/** An operation whose tries return what they are told to. */
class Returning extends Op {
  result: unknown = false;

  override tryComplete(): boolean {
    this.tries++;
    return (typeof this.result === 'function' ? this.result() : this.result) as boolean;
  }
}

const bad: Record<string, unknown> = {
  'true from an operation that is not completed': true,
  'a promise of true': () => Promise.resolve(true),
  'a promise of false': () => Promise.resolve(false),
  'a promise that is rejected': () => Promise.reject(new Error('later')),
  // biome-ignore lint/suspicious/noThenProperty: a thenable is the point.
  'a thenable': () => ({ then: () => {} }),
  undefined: undefined,
  null: null,
  1: 1,
  'a text': 'yes',
};

describe('tryComplete must return a boolean, and true only of what is completed', () => {
  for (const [which, result] of Object.entries(bad)) {
    const [code, text] =
      result === true
        ? ['ERR_PURGATORY_NOT_COMPLETED', 'forceComplete']
        : ['ERR_INVALID_RETURN_VALUE', 'a boolean'];

    it(`${which} in the try at parking throws ${code}, and nothing is parked`, async () => {
      const { purgatory } = hall();
      const op = new Returning('a', { delayMs: 10 });
      op.result = result;
      const unhandled = await unhandledDuring(() => {
        refuses(() => purgatory.tryCompleteElseWatch(op, ['k']), code, text);
      });
      expect(unhandled).to.deep.equal([]);
      expect([op.tries, op.isPending, op.isCompleted]).to.deep.equal([1, false, false]);
      isEmpty(purgatory);
    });

    it(`${which} in a pass goes to onError, and the operation stays parked`, async () => {
      const { purgatory, park, errors } = hall();
      const op = new Returning('a');
      purgatory.tryCompleteElseWatch(op, ['k']);
      const after = park('b', ['k']);
      after.ready = true;
      op.result = result;
      const unhandled = await unhandledDuring(() => expect(purgatory.checkAndComplete('k')).to.equal(1));
      expect(unhandled).to.deep.equal([]);
      expect(errors.map(({ error, op: failed }) => [(error as PurgatoryError).code, failed])).to.eql([
        [code, op],
      ]);
      expect(after.isCompleted).to.equal(true);
      expect([op.isPending, op.isCompleted]).to.deep.equal([true, false]);
      op.result = () => op.forceComplete();
      expect(purgatory.checkAndComplete('k')).to.equal(1);
    });
  }
});

describe('checkAndComplete counts', () => {
  it('an operation that completed inside its own try, though the try returned false', () => {
    for (const keys of [['k'], ['k', 'l']]) {
      const { purgatory, park } = hall();
      const op = new Returning('a');
      purgatory.tryCompleteElseWatch(op, keys);
      park('b', ['l']);
      op.result = () => {
        op.forceComplete();
        return false;
      };
      expect(purgatory.checkAndComplete('k')).to.equal(1);
    }
  });

  it('none that others completed in its try, nor one that was cancelled', () => {
    const { purgatory, park } = hall();
    const other = park('other', ['l']);
    const forcing = new Returning('forcing');
    const leaving = new Returning('leaving');
    for (const op of [forcing, leaving]) purgatory.tryCompleteElseWatch(op, ['k']);
    forcing.result = () => other.forceComplete() && false;
    leaving.result = () => leaving.cancel() && false;
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(other.isCompleted).to.equal(true);
  });
});

describe('checkAndComplete counts no wait', () => {
  it('whose condition threw: it is rejected, and not completed', async () => {
    const purgatory = new Purgatory('test');
    let isBroken = false;
    const wait = purgatory.waitFor(
      ['k'],
      () => {
        if (isBroken) throw new Error('broken');
      },
      { timeoutMs: 1_000 },
    );
    isBroken = true;
    expect(purgatory.checkAndComplete('k')).to.equal(0);
    expect(await rejection(wait)).to.have.property('message', 'broken');
    expect(purgatory.snapshot().totals).to.include({ completed: 0, rejected: 1 });
    purgatory.close();
  });
});

describe('A subclass in JavaScript', () => {
  // @ts-expect-error: what TypeScript would refuse.
  class Empty extends DelayedOperation {}

  it('without tryComplete gets an error that says so, and nothing is parked', () => {
    const { purgatory } = hall();
    refuses(
      () => purgatory.tryCompleteElseWatch(new Empty(10) as Op, ['k']),
      'ERR_METHOD_NOT_IMPLEMENTED',
      'The class Empty does not implement tryComplete()',
    );
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('without onComplete gets an error that says so', () => {
    expect(() => new Empty(10).forceComplete()).to.throw('The class Empty does not implement onComplete()');
  });
});

describe('An event by call on a key whose event is under way in this call', () => {
  /** `count` operations on `key`. Those of `who` call `checkAndComplete` in each of their tries. */
  function scene(count: number, who: (index: number) => boolean) {
    const { purgatory, park, errors } = hall();
    const order: number[] = [];
    const returned: number[] = [];
    let left = 0;
    const onTry = (index: number) => (): void => {
      order.push(index);
      if (who(index) && left-- > 0) returned.push(purgatory.checkAndComplete('k'));
    };
    for (let i = 0; i < count; i++) park(`${i}`, ['k'], { onTry: onTry(i) });
    order.length = 0;
    const arm = (tries: number): void => {
      left = tries;
    };
    const rounds = (many: number): number[] => Array.from({ length: many * count }, (_, i) => i % count);
    return { purgatory, order, returned, errors, arm, rounds };
  }

  for (const [how, begin] of [
    ['by call', (all: ReturnType<typeof scene>) => void all.purgatory.checkAndComplete('k')],
    [
      'by notify, in a pass that lasts for turns',
      (all: ReturnType<typeof scene>) => all.purgatory.notify('k'),
    ],
  ] as const) {
    it(`tries none of 3,000 watchers twice in a pass, one of which causes it again, ${how}`, async () => {
      const all = scene(3_000, (index) => index === 1_500);
      const { purgatory, order, returned, errors, arm, rounds } = all;
      arm(3);
      begin(all);
      await purgatory.served();
      checkPurgatoryInvariants(purgatory);
      while (order.length < 4 * 3_000) await turn();
      expect(order).to.deep.equal(rounds(4));
      expect(returned).to.deep.equal([0, 0, 0]);
      expect(errors).to.deep.equal([]);
    });
  }

  it('does not stop the event loop, though it comes without end, and close ends it', async () => {
    const { purgatory, order, arm } = scene(2, () => true);
    arm(Number.POSITIVE_INFINITY);
    purgatory.checkAndComplete('k');
    expect(order).to.deep.equal([0, 1]);
    for (let i = 0; i < 3; i++) await turn();
    const { length } = order;
    expect(length).to.be.above(2);
    purgatory.close();
    await turn();
    expect(order).to.have.length(length);
  });

  it('is nested on other keys, as deep as there are keys', () => {
    const { purgatory, park } = hall();
    const counts: number[] = [];
    for (let i = 0; i < 300; i++) {
      park(`${i}`, [i], {
        onCompleted: () => counts.push(purgatory.checkAndComplete((i + 1) % 300)),
      }).ready = true;
    }
    expect(purgatory.checkAndComplete(0)).to.equal(1);
    expect(counts).to.deep.equal([0, ...Array.from({ length: 299 }, () => 1)]);
  });
});
