import { expect } from 'chai';
import { ManualClock, Purgatory, type WaitForOptions } from '../../src/index.ts';
import { codeOf } from '../support/code-of.ts';
import { hall, Op } from '../support/op.ts';
import { turn } from '../support/turns.ts';

const FOREVER = { timeoutMs: Number.POSITIVE_INFINITY } as const;

/** A semaphore on the key `free`. It logs each attempt and each end. */
function semaphore(free = 0) {
  const clock = new ManualClock();
  const purgatory = new Purgatory<string>('semaphore', { clock });
  const log: string[] = [];
  const units = { free };
  /** Waits for `want` units. */
  function acquire(
    label: string,
    options: Partial<WaitForOptions> & { want?: number; keys?: string[] } = {},
  ) {
    const { want = 1, keys = ['free'], ...rest } = options;
    const attempt = (): unknown => {
      log.push(`try ${label}`);
      if (units.free < want) return undefined;
      units.free -= want;
      return label;
    };
    const end = purgatory.waitFor(keys, attempt, { ...FOREVER, inTurn: true, ...rest });
    const told = end.then(
      ({ expired }) => log.push(`${label} ${expired ? 'expires' : 'has it'}`),
      () => log.push(`${label} gives up`),
    );
    return told;
  }
  /** As the recipe does. */
  function release(count = 1, atMost: number | undefined = count): void {
    units.free += count;
    purgatory.notify('free', atMost === undefined ? {} : { atMost });
  }
  /** What has happened since the last call. */
  async function next(): Promise<string> {
    await turn();
    return log.splice(0).join(', ');
  }
  return { clock, purgatory, log, units, acquire, release, next };
}

describe('behaviour 31: one that waits in turn', () => {
  it('is tried at once where nobody stands before it', async () => {
    const { acquire, next } = semaphore(1);
    acquire('a');
    expect(await next()).to.equal('try a, a has it');
  });

  it('is parked without a try where somebody waits in turn on its key', async () => {
    const { acquire, next, units } = semaphore();
    acquire('a');
    units.free = 1;
    acquire('b');
    expect(await next()).to.equal('try a, try a');
  });

  it('is parked without a try where somebody waits on its key, though not in turn', async () => {
    const { acquire, next, units } = semaphore();
    acquire('plain', { inTurn: false });
    units.free = 1;
    acquire('a');
    expect(await next()).to.equal('try plain, try plain');
  });

  it('is parked without a try where somebody waits on one of its keys', async () => {
    const { acquire, next, units } = semaphore();
    acquire('a', { keys: ['other'] });
    units.free = 1;
    acquire('b', { keys: ['free', 'other'] });
    expect(await next()).to.equal('try a, try a');
  });

  it('is parked behind an event that is pending, and tried by it, whatever its limit', async () => {
    const { acquire, release, log, next } = semaphore(2);
    release(1);
    for (const label of ['a', 'b', 'c', 'd']) acquire(label);
    expect(log).to.deep.equal([]);
    expect(await next()).to.equal('try a, try b, try c, try d, a has it, b has it, c has it');
  });

  it('is parked behind an event that is under way, and tried after it', async () => {
    const { purgatory, park } = hall();
    const late = new Op('late', { ready: true });
    const first = park('first', ['k'], {
      onCompleted: () => {
        purgatory.tryCompleteElseWatch(late, ['k'], { inTurn: true });
        expect(late.tries).to.equal(0);
      },
    });
    first.ready = true;
    purgatory.notify('k', { atMost: 1 });
    await turn();
    expect(late.tries).to.equal(1);
    expect(late.isCompleted).to.equal(true);
  });

  it('is so with tryCompleteElseWatch, which says that it has completed nothing', () => {
    const { purgatory, park } = hall();
    park('first', ['k']);
    const second = new Op('second', { ready: true });
    expect(purgatory.tryCompleteElseWatch(second, ['k'], { inTurn: true })).to.equal(false);
    expect(second.tries).to.equal(0);
    expect(purgatory.watchersOf('k')).to.equal(2);
    const alone = new Op('alone', { ready: true });
    expect(purgatory.tryCompleteElseWatch(alone, ['l'], { inTurn: true })).to.equal(true);
  });

  it('is no other than the rest for cancelForKey, close and the counts', async () => {
    const { acquire, purgatory, next } = semaphore();
    for (const label of ['a', 'b', 'c'])
      acquire(label, { keys: label === 'c' ? ['other'] : ['free', 'other'] });
    expect([purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys]).to.deep.equal([3, 5, 2]);
    purgatory.cancelForKey('free');
    purgatory.close();
    expect(await next()).to.match(/a gives up, b gives up, c gives up$/);
    expect([purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys]).to.deep.equal([0, 0, 0]);
  });

  it('takes a boolean and nothing else for the option', async () => {
    const { purgatory } = hall();
    const inTurn = 'yes' as unknown as boolean;
    const invalid = 'ERR_INVALID_ARG_TYPE';
    expect(codeOf(() => purgatory.tryCompleteElseWatch(new Op('a'), ['k'], { inTurn }))).to.equal(invalid);
    const refused = await purgatory
      .waitFor(['k'], () => 1, { timeoutMs: 1, inTurn })
      .catch(({ code }) => code);
    expect(refused).to.equal(invalid);
  });
});

describe('behaviour 32: of those that wait in turn', () => {
  it('each is tried by an event only when those before it have left, those that want less too', async () => {
    const { acquire, release, next } = semaphore();
    acquire('two', { want: 2 });
    acquire('one');
    acquire('other');
    await next();
    release(1, undefined);
    expect(await next()).to.equal('try two');
    release(1);
    expect(await next()).to.equal('try two, two has it');
    release(2);
    expect(await next()).to.equal('try one, try other, one has it, other has it');
  });

  it('one that releases and asks again does not overtake', async () => {
    const { acquire, release, next } = semaphore();
    for (const label of ['a', 'b']) acquire(label);
    await next();
    release();
    acquire('again');
    expect(await next()).to.equal('try a, a has it');
    release();
    expect(await next()).to.equal('try b, b has it');
    release();
    expect(await next()).to.equal('try again, again has it');
  });

  it('one whose attempt returned a promise holds up those behind it until that has settled', async () => {
    const { purgatory } = semaphore();
    const reads: ((value: unknown) => void)[] = [];
    const tried: string[] = [];
    for (const label of ['a', 'b']) {
      const attempt = (): Promise<unknown> => {
        tried.push(label);
        return new Promise((resolve) => reads.push(resolve));
      };
      void purgatory.waitFor(['free'], attempt, { ...FOREVER, inTurn: true });
    }
    purgatory.notify('free');
    await turn();
    expect(tried.join()).to.equal('a');
    reads[0](undefined);
    await turn();
    expect(tried.join(), 'the event that came during the attempt').to.equal('a,a');
    reads[1]('it');
    await turn();
    expect(tried.join()).to.equal('a,a,b');
    purgatory.close();
  });

  it('one is behind those whom its own first try has parked', async () => {
    const { purgatory } = hall();
    const inner = new Op('inner');
    const outer = new Op('outer', {
      onTry: (op) => {
        if (op.tries === 1) purgatory.tryCompleteElseWatch(inner, ['k'], { inTurn: true });
        op.ready = op.tries > 1;
      },
    });
    purgatory.tryCompleteElseWatch(outer, ['k'], { inTurn: true });
    expect(outer.tries).to.equal(1);
    inner.cancel();
    await turn();
    expect(outer.isCompleted).to.equal(true);
  });

  it('none holds up a wait that is not in turn', async () => {
    const { acquire, release, next } = semaphore();
    acquire('two', { want: 2 });
    acquire('behind');
    acquire('plain', { inTurn: false });
    await next();
    release();
    expect(await next()).to.equal('try two, try plain, plain has it');
  });

  it('an operation whose try throws stays first, and holds up those behind it', async () => {
    const { purgatory, park, errors } = hall();
    park('first', ['k']);
    let throws = true;
    const thrower = new Op('thrower', {
      onTry: () => {
        if (throws) throw new Error('planned');
      },
    });
    const behind = new Op('behind', { ready: true });
    for (const op of [thrower, behind]) purgatory.tryCompleteElseWatch(op, ['k'], { inTurn: true });
    purgatory.notify('k');
    await turn();
    expect([errors.length, thrower.tries, behind.tries]).to.deep.equal([1, 1, 0]);
    throws = false;
    thrower.ready = true;
    purgatory.notify('k');
    await turn();
    expect(behind.isCompleted).to.equal(true);
  });

  it('an operation whose try throws uses its event up, and the unit of that goes to the next', async () => {
    const { purgatory, park } = hall();
    park('first', ['k']);
    let units = 0;
    let isThrowing = true;
    const take = (op: Op): void => {
      if (op.label === 'thrower' && isThrowing) throw new Error('planned');
      op.ready = units > 0;
      if (op.ready) units--;
    };
    const ops = ['thrower', 'next', 'last'].map((label) => new Op(label, { onTry: take }));
    for (const op of ops) purgatory.tryCompleteElseWatch(op, ['k'], { inTurn: true });
    for (isThrowing of [true, false]) {
      units++;
      purgatory.notify('k', { atMost: 1 });
      await turn();
    }
    expect(ops.map((op) => op.isCompleted)).to.deep.equal([true, true, false]);
  });

  it('each is first for itself on each of its keys: an event tries the first on its key', async () => {
    const { acquire, purgatory, units, next } = semaphore();
    acquire('a', { keys: ['a'] });
    acquire('both', { keys: ['a', 'b'] });
    await next();
    units.free = 1;
    purgatory.notify('b');
    expect(await next()).to.equal('try both, both has it');
  });

  it('a walk over all that is parked, as of a bus that is live again, tries the first only', async () => {
    const { ParkedWalk } = await import('../../src/purgatory/parked-walk.ts');
    const { acquire, purgatory, next } = semaphore();
    for (const label of ['a', 'b']) acquire(label);
    acquire('plain', { inTurn: false });
    acquire('c', { keys: ['free', 'other'] });
    await next();
    const walk = new ParkedWalk(purgatory.$parked as never);
    walk.begin();
    while (walk.left > 0) walk.step();
    expect(await next()).to.equal('try a, try plain, try c');
  });
});

describe('behaviour 33: a hand-off to those who wait in turn', () => {
  it('that is in vain costs one try, and steps to nobody else', async () => {
    const { acquire, purgatory, next } = semaphore();
    for (let i = 0; i < 100; i++) acquire(`${i}`);
    await next();
    const lists = purgatory.$parked.lists as unknown as { stepInTurn(pass: object): object | undefined };
    const { stepInTurn } = lists;
    let steps = 0;
    lists.stepInTurn = (pass) => {
      steps++;
      return stepInTurn.call(lists, pass);
    };
    purgatory.notify('free');
    expect(await next()).to.equal('try 0');
    expect(steps).to.equal(1);
  });

  it('with `atMost: 1` costs one try, however many wait', async () => {
    const { acquire, release, next } = semaphore();
    for (let i = 0; i < 2_000; i++) acquire(`${i}`);
    await next();
    for (let i = 0; i < 100; i++) {
      release();
      acquire('again');
      expect(await next()).to.equal(`try ${i}, ${i} has it`);
    }
  });

  it('with `atMost` of as many units as are released answers all whom they suffice', async () => {
    const { acquire, release, next } = semaphore(4);
    for (const [label, want] of Object.entries({ five: 5, two: 2, one: 1, three: 3 }))
      acquire(label, { want });
    await next();
    release(4);
    expect(await next()).to.equal(
      'try five, try two, try one, try three, five has it, two has it, one has it',
    );
    release(3);
    expect(await next()).to.equal('try three, three has it');
  });
});

describe('behaviour 34: no turn is lost', () => {
  const WAYS: Record<string, (rig: ReturnType<typeof semaphore>, give: AbortController) => unknown> = {
    'its deadline': ({ clock }) => clock.advance(10),
    'an abort': (_, controller) => controller.abort(),
    'cancelForKey of another key': ({ purgatory }) => purgatory.cancelForKey('own'),
  };
  for (const [way, leave] of Object.entries(WAYS)) {
    it(`when the first leaves unanswered, by ${way}, the next ones are tried until one stays`, async () => {
      const rig = semaphore(2);
      const { acquire, next } = rig;
      const controller = new AbortController();
      const { signal } = controller;
      acquire('three', { want: 3, timeoutMs: 10, signal, keys: ['free', 'own'] });
      for (const label of ['a', 'b', 'c', 'd']) acquire(label);
      await next();
      leave(rig, controller);
      expect(await next()).to.match(/try a, try b, try c, .*a has it, b has it/);
    });
  }

  it('when an attempt of the first throws', async () => {
    const { purgatory, acquire, units, next } = semaphore();
    let throws = false;
    const attempt = (): undefined => {
      if (throws) throw new Error('planned');
    };
    purgatory.waitFor(['free'], attempt, { ...FOREVER, inTurn: true }).catch(() => {});
    acquire('a');
    throws = true;
    units.free = 1;
    purgatory.notify('free', { atMost: 1 });
    expect(await next()).to.equal('try a, a has it');
  });

  it('when an operation is cancelled, or forced, or answered by its own deadline', async () => {
    for (const leave of ['cancel', 'forceComplete', 'expire'] as const) {
      const { purgatory, clock } = hall();
      const [front, behind] = [new Op('front', { delayMs: 10 }), new Op('behind', { ready: true })];
      for (const op of [front, behind]) purgatory.tryCompleteElseWatch(op, ['k'], { inTurn: true });
      if (leave === 'expire') clock.advance(10);
      else front[leave]();
      expect(behind.tries).to.equal(0);
      await turn();
      expect(behind.isCompleted, leave).to.equal(true);
    }
  });

  it('when one that is not in turn leaves unanswered before those who have had no try', async () => {
    const { acquire, units, next } = semaphore();
    const controllers = [new AbortController(), new AbortController()];
    for (const { signal } of controllers) acquire('plain', { inTurn: false, want: 5, signal });
    units.free = 1;
    acquire('a');
    acquire('b');
    await next();
    controllers[0].abort();
    expect(await next()).to.equal('try plain, try a, try b, a has it, plain gives up');
    controllers[1].abort();
    expect(await next(), 'b has had its try').to.equal('plain gives up');
  });

  it('when the first is answered by a promise, or by an event on another key', async () => {
    const { purgatory, acquire, units, next } = semaphore();
    let read = (_value: unknown): void => {};
    const attempt = (): Promise<unknown> => new Promise((resolve) => (read = resolve));
    void purgatory.waitFor(['free'], attempt, { ...FOREVER, inTurn: true });
    acquire('a', { keys: ['free', 'other'] });
    acquire('b');
    units.free = 2;
    read('it');
    expect(await next()).to.equal('try a, try b, a has it, b has it');
    acquire('c', { keys: ['free', 'other'], want: 2 });
    acquire('d');
    units.free = 3;
    purgatory.notify('other', { atMost: 1 });
    expect(await next()).to.equal('try c, try c, try c, try d, c has it, d has it');
  });

  it('when the next one has other keys, of which the event says nothing', async () => {
    const { purgatory, next, log } = semaphore();
    const free: Record<string, number> = { gpu: 0, cpu: 1 };
    const acquire = (label: string, keys: string[]): unknown =>
      purgatory.waitFor(
        keys,
        () => {
          log.push(`try ${label}`);
          const key = keys.find((each) => free[each] > 0);
          if (key === undefined) return undefined;
          free[key]--;
          return key;
        },
        { ...FOREVER, inTurn: true },
      );
    acquire('a', ['gpu']);
    acquire('either', ['gpu', 'cpu']);
    await next();
    free.gpu++;
    purgatory.notify('gpu', { atMost: 1 });
    expect(await next()).to.equal('try a, try either');
    expect(free).to.deep.equal({ gpu: 0, cpu: 0 });
  });

  it('when one comes during an event that ends before it', async () => {
    const { purgatory } = hall();
    const late = new Op('late', { ready: true });
    const behind = new Op('behind');
    const first = new Op('first', {
      onCompleted: () => purgatory.tryCompleteElseWatch(late, ['k'], { inTurn: true }),
    });
    for (const op of [first, behind]) purgatory.tryCompleteElseWatch(op, ['k'], { inTurn: true });
    first.ready = behind.ready = true;
    expect(purgatory.checkAndComplete('k')).to.equal(2);
    expect(late.tries).to.equal(0);
    await turn();
    expect(late.isCompleted).to.equal(true);
  });

  it('but not when one leaves behind the first, or the first has had its try', async () => {
    const { acquire, next } = semaphore();
    const controller = new AbortController();
    const { signal } = controller;
    acquire('a');
    acquire('plain', { inTurn: false, signal });
    acquire('b', { signal });
    await next();
    controller.abort();
    expect(await next()).to.equal('plain gives up, b gives up');
    const other = new AbortController();
    acquire('plain', { inTurn: false, keys: ['other'] });
    acquire('c', { keys: ['other'] });
    acquire('d', { keys: ['other'], signal: other.signal });
    await next();
    other.abort();
    expect(await next()).to.equal('d gives up');
  });

  it('after close, nobody is tried, and no event is pending', async () => {
    const { acquire, purgatory, units, next } = semaphore();
    for (const label of ['a', 'b']) acquire(label);
    await next();
    units.free = 2;
    purgatory.close();
    expect(purgatory.snapshot().events.pendingKeys).to.equal(0);
    expect(await next()).to.equal('a gives up, b gives up');
  });
});

describe('behaviour 35: at its deadline one that waits in turn', () => {
  it('is tried first if an event is pending and it is the first in line', async () => {
    const { acquire, release, clock, next } = semaphore();
    acquire('a', { timeoutMs: 10 });
    acquire('b', { timeoutMs: 10 });
    await next();
    release();
    clock.advance(10);
    expect(await next(), 'b is the first then').to.equal('try a, try b, a has it, b expires');
  });

  it('expires without a try if others in turn stand before it, with an event pending too', async () => {
    const { acquire, release, clock, next } = semaphore();
    acquire('a');
    acquire('b', { timeoutMs: 10 });
    await next();
    clock.advance(9);
    release();
    clock.advance(1);
    expect(await next()).to.equal('try a, b expires, a has it');
  });

  it('expires without a try if no event is pending', async () => {
    const { acquire, clock, units, next } = semaphore();
    acquire('plain', { inTurn: false, want: 5 });
    acquire('a', { timeoutMs: 10 });
    await next();
    units.free = 1;
    clock.advance(10);
    expect(await next()).to.equal('a expires');
  });

  it('with `timeoutMs: 0` has it at once where nobody stands before it, and expires else', async () => {
    const { acquire, clock, next } = semaphore(1);
    acquire('a', { timeoutMs: 0 });
    acquire('b', { want: 2 });
    acquire('c', { timeoutMs: 0 });
    clock.advance(0);
    expect(await next()).to.equal('try a, try b, try b, a has it, c expires');
  });

  it('with `timeoutMs: 0` is tried by an event that is pending', async () => {
    const { acquire, release, clock, next } = semaphore();
    release();
    acquire('a', { timeoutMs: 0 });
    clock.advance(0);
    expect(await next()).to.match(/^try a, a has it/);
  });
});

describe('A line', () => {
  it('is known after its memory was given back', async () => {
    const { acquire, release, purgatory, next } = semaphore();
    acquire('plain', { inTurn: false, want: 9 });
    for (const [label, keys] of Object.entries({ a: ['free'], b: ['other', 'free'], c: ['free'] })) {
      acquire(label, { keys });
    }
    await next();
    purgatory.$parked.lists.compact();
    purgatory.$parked.lists.check();
    release(2);
    expect(await next()).to.equal('try plain, try a, try b, try plain, try c, a has it, b has it');
    purgatory.$parked.lists.check();
    release(1);
    expect(await next()).to.equal('try plain, try c, c has it');
  });
});
