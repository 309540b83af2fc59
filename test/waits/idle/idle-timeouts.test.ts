import { expect } from 'chai';
import { createSandbox } from 'sinon';
import { ManualClock, SystemTimer } from '../../../src/index.ts';
import { IdleTimeouts, type IdleTimeoutsOptions } from '../../../src/waits/idle/index.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { codeOf } from '../../support/code-of.ts';
import { HostClock } from '../../support/host-clock.ts';
import { refuses } from '../../support/refusals.ts';
import { manual } from '../../support/task.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';

function setUp<E = string>(options: Partial<IdleTimeoutsOptions<E>> = {}, startMs = 0) {
  const clock = new ManualClock(startMs);
  const timer = new SystemTimer({ clock });
  const log: string[] = [];
  const idle = new IdleTimeouts<E>('idle', {
    timeoutMs: 100,
    timer,
    onIdle: (element) => log.push(`${String(element)}@${clock.now()}`),
    ...options,
  });
  return { clock, timer, log, idle };
}

describe('IdleTimeouts', () => {
  it('leaves its task where it is on a touch: it is filed once a timeout', () => {
    const { clock, timer } = manual();
    const add = createSandbox().spy(timer, 'add');
    const idle = new IdleTimeouts<string>('idle', { timeoutMs: 100, timer });
    for (let ms = 0; ms < 1_000; ms++) {
      idle.touch('a');
      clock.advance(1);
    }
    expect(add.callCount).to.equal(11);
  });

  it('reports the throw of its listener, and goes on', () => {
    const log: unknown[] = [];
    const { clock, idle } = setUp({
      onIdle: (element) => {
        log.push(`1 ${element}`);
        throw new Error('first');
      },
      onError: (error, element) => log.push(`${(error as Error).message} ${element}`),
    });
    for (const element of ['a', 'b']) idle.touch(element);
    clock.advance(100);
    expect(log).to.deep.equal(['1 a', 'first a', '1 b', 'first b']);
  });

  it('passes what the promise of a listener rejects with to onError, or throws it in a later turn', async () => {
    const reported: unknown[] = [];
    const onIdle = async (element: string): Promise<never> => {
      throw `no release of ${element}`;
    };
    const first = setUp({ onIdle, onError: (error, element) => reported.push(error, element) });
    const second = setUp({ onIdle });
    const errors = await uncaughtDuring(1, () => {
      for (const { idle, clock } of [first, second]) {
        idle.touch('a');
        clock.advance(100);
      }
    });
    expect(reported).to.deep.equal(['no release of a', 'a']);
    expect(errors).to.deep.equal(['no release of a']);
  });

  it('counts from the last touch or refresh, by the timeout given last, and not after a remove', () => {
    const { clock, timer, log, idle } = setUp();
    for (const element of ['short', 'common', 'own', 'renewed', 'removed']) idle.touch(element);
    idle.touch('short', 10);
    clock.advance(90);
    idle.touch('common');
    idle.touch('own', 30);
    expect([idle.refresh('renewed', 50), idle.refresh('unknown', 50)]).to.deep.equal([true, false]);
    expect([idle.remove('removed'), idle.remove('removed'), idle.size]).to.deep.equal([true, false, 3]);
    clock.advance(25);
    expect([idle.refresh('own'), idle.remainingMs('own'), idle.remainingMs('common')]).to.eql([true, 30, 75]);
    clock.advance(100);
    expect(log).to.deep.equal(['short@10', 'renewed@140', 'own@145', 'common@190']);
    expect([idle.size, timer.size]).to.deep.equal([0, 0]);
  });

  it('needs a place of a full timer for a new deadline, and none for another one', () => {
    const { clock, timer } = manual({ maxPending: 1 });
    const log: string[] = [];
    const idle = new IdleTimeouts<string>('idle', {
      timeoutMs: 100,
      timer,
      onIdle: (each) => log.push(each),
    });
    idle.touch('a');
    refuses(() => idle.touch('b'), 'ERR_PURGATORY_FULL');
    refuses(() => idle.hold('b'), 'ERR_PURGATORY_FULL');
    expect(idle.has('b')).to.equal(false);
    idle.touch('a', 50);
    clock.advance(40);
    idle.refresh('a', Number.POSITIVE_INFINITY);
    clock.advance(60); // when it looks, its place is free
    idle.touch('b');
    refuses(() => idle.refresh('a', 5), 'ERR_PURGATORY_FULL');
    expect([idle.remainingMs('a'), timer.size]).to.deep.equal([Number.POSITIVE_INFINITY, 1]);
    clock.advance(100);
    idle.refresh('a', 5);
    clock.advance(5);
    expect(log).to.deep.equal(['b', 'a']);
  });

  it('keeps the own timeout of an element that its listener touches: a heart-beat goes on', () => {
    const { clock, log, idle } = setUp<unknown>({
      timeoutMs: 10_000,
      onIdle: (element) => {
        log.push(`${String(element)}@${clock.now()}`);
        expect([idle.has(element), idle.refresh(element)]).to.deep.equal([false, false]);
        if (log.length < 4) idle.touch(element);
      },
    });
    idle.touch(NaN, 50);
    clock.advance(1_000);
    expect(log).to.deep.equal(['NaN@50', 'NaN@100', 'NaN@150', 'NaN@200']);
    idle.touch(NaN);
    expect(idle.remainingMs(NaN)).to.equal(10_000);
  });

  it('rests while an element is held, and begins anew at the last release, which counts once', () => {
    const { clock, timer, log, idle } = setUp();
    const first = idle.hold('a');
    const second = idle.hold('a');
    clock.advance(150);
    expect([first(), first(), idle.remainingMs('a')]).to.deep.equal([true, false, Number.POSITIVE_INFINITY]);
    expect(idle.snapshot()).to.deep.include({ tracked: 1, held: 1 });
    expect(idle.snapshot().quietest[0].remainingMs).to.equal(null);
    idle.touch('a', 60);
    clock.advance(500);
    expect([second(), second(), idle.remainingMs('a'), idle.snapshot().held]).to.eql([true, false, 60, 0]);
    clock.advance(59);
    expect(log).to.deep.equal([]);
    clock.advance(1);
    expect([log, timer.size]).to.deep.equal([['a@710'], 0]);
  });

  it('lets go of nothing that was removed while it was held, or is tracked anew', () => {
    const { clock, timer, log, idle } = setUp();
    const old = idle.hold('a');
    idle.remove('a');
    const now = idle.hold('a');
    expect([old(), idle.snapshot().held]).to.deep.equal([false, 1]);
    clock.advance(1_000);
    expect([idle.close(), now(), idle.snapshot().held, timer.size, log]).to.eql([['a'], false, 0, 0, []]);
    refuses(() => idle.hold('a'), 'ERR_PURGATORY_CLOSED');
  });

  it('tracks elements of any type, each by identity', () => {
    const gone: unknown[] = [];
    const { clock, idle } = setUp<unknown>({ onIdle: (element) => gone.push(element) });
    const object = Object.freeze({});
    const elements = [
      object,
      Object.create(object),
      new Proxy(object, {}),
      Symbol('s'),
      'text',
      0,
      NaN,
      null,
    ];
    for (const element of [...elements, ...elements]) idle.touch(element);
    expect(idle.size).to.equal(elements.length);
    clock.advance(100);
    expect([gone.every((each, i) => Object.is(each, elements[i])), idle.size]).to.deep.equal([true, 0]);
  });

  it('counts from the last touch though the clock goes back meanwhile', () => {
    const clock = new HostClock();
    const timer = new SystemTimer({ clock, reaper: false });
    const log: string[] = [];
    const idle = new IdleTimeouts<string>('idle', {
      timeoutMs: 100,
      timer,
      onIdle: (element) => log.push(element),
    });
    idle.touch('a');
    clock.time = 90;
    idle.touch('a');
    clock.time = 100;
    expect(timer.now()).to.equal(100);
    clock.time = 50;
    timer.advanceClock();
    expect(idle.remainingMs('a')).to.equal(90);
    clock.time = 189;
    timer.advanceClock();
    expect([log, idle.remainingMs('a')]).to.deep.equal([[], 1]);
    clock.time = 200;
    timer.advanceClock();
    expect(log).to.deep.equal(['a']);
  });

  it('ends with close: returns who was tracked, takes its tasks off a shared timer, which goes on', () => {
    const { clock, timer, log, idle } = setUp();
    let ran = 0;
    timer.schedule(() => ran++, 100);
    idle.touch('a');
    idle.touch('b');
    expect(idle.isClosed).to.equal(false);
    expect(idle.close()).to.deep.equal(['a', 'b']);
    expect(idle.close()).to.deep.equal([]);
    expect(idle.isClosed).to.equal(true);
    expect([idle.size, timer.size]).to.deep.equal([0, 1]);
    refuses(() => idle.touch('c'), 'ERR_PURGATORY_CLOSED');
    clock.advance(200);
    expect([log, ran]).to.deep.equal([[], 1]);
    checkTimerInvariants(timer);
  });

  it('needs no common timeout when each element is given one of its own', () => {
    const clock = new ManualClock();
    const idle = new IdleTimeouts<string>('idle', { clock, onIdle: (element) => log.push(element) });
    const log: string[] = [];
    expect(idle.timeoutMs).to.equal(undefined);
    refuses(() => idle.touch('a'), 'ERR_INVALID_ARG_TYPE');
    expect(() => idle.touch('a')).to.throw('where the option timeoutMs is left out. Received undefined');
    expect(idle.size).to.equal(0);
    idle.touch('a', 100);
    idle.touch('b', 50);
    clock.advance(40);
    idle.touch('b'); // once more, with its own timeout
    clock.advance(49);
    expect(log).to.deep.equal([]);
    clock.advance(1);
    expect(log).to.deep.equal(['b']);
    clock.advance(10);
    expect(log).to.deep.equal(['b', 'a']);
    expect(new IdleTimeouts('idle').timeoutMs).to.equal(undefined);
  });

  it('refuses bad arguments before anything has changed', () => {
    const make = (options: unknown) => () => new IdleTimeouts('idle', options as IdleTimeoutsOptions<string>);
    refuses(make(null), 'ERR_INVALID_ARG_TYPE');
    refuses(make({ timeoutMs: '1' }), 'ERR_INVALID_ARG_TYPE');
    for (const timeoutMs of [0, -1, NaN, -Infinity]) {
      expect(codeOf(make({ timeoutMs })), `${timeoutMs}`).to.equal('ERR_OUT_OF_RANGE');
    }
    expect(make({ timeoutMs: 0 })).to.throw(
      'must be a number > 0 and <= Number.MAX_SAFE_INTEGER, or Infinity. Received 0',
    );
    for (const bad of [{ onIdle: 1 }, { onError: 1 }, { timer: {} }, { clock: {} }]) {
      expect(codeOf(make({ timeoutMs: 1, ...bad })), Object.keys(bad)[0]).to.equal('ERR_INVALID_ARG_TYPE');
    }
    const { idle, timer, clock } = setUp();
    const otherClock = { timeoutMs: 1, timer, clock: new ManualClock() };
    refuses(make(otherClock), 'ERR_INVALID_ARG_VALUE');
    expect(make({ ...otherClock, clock })).to.not.throw();
    refuses(() => idle.touch('a', NaN), 'ERR_OUT_OF_RANGE');
    const text = 'The "element" argument must be an object, such as a socket, or the id of one';
    refuses(() => idle.touch(undefined as never, 5), 'ERR_INVALID_ARG_TYPE', text);
    expect(idle.size).to.equal(0);
  });
});

describe('IdleTimeouts on a shared timer', () => {
  it('hold one task in it for each element that has a deadline', () => {
    const { timer, idle } = setUp();
    for (const element of ['a', 'b', 'c']) idle.touch(element);
    idle.touch('a', 5);
    idle.remove('c');
    idle.touch('endless', Number.POSITIVE_INFINITY);
    expect([idle.size, timer.size]).to.deep.equal([3, 2]);
  });

  it('end with a listener that closes: it returns the others, and they are not told of', () => {
    const told: string[] = [];
    let closed: string[] = [];
    const { clock, timer, idle } = setUp({
      onIdle: (element) => {
        told.push(element);
        if (element === 'b') closed = idle.close();
      },
    });
    for (const element of ['a', 'b', 'c', 'd']) idle.touch(element);
    clock.advance(100);
    expect([told, closed, timer.size]).to.deep.equal([['a', 'b'], ['c', 'd'], 0]);
  });

  it('refuse each touch and refresh when it has been closed, and close() returns their elements', () => {
    const { timer } = manual();
    const idle = new IdleTimeouts<string>('idle', { timeoutMs: 100, timer });
    idle.touch('a');
    idle.touch('endless', Number.POSITIVE_INFINITY);
    expect(timer.close()).to.have.length(1);
    for (const element of ['a', 'endless']) {
      for (const timeoutMs of [undefined, 50, 500, Number.POSITIVE_INFINITY]) {
        for (const act of [() => idle.touch(element, timeoutMs), () => idle.refresh(element, timeoutMs)]) {
          refuses(act, 'ERR_PURGATORY_CLOSED', 'The timer of IdleTimeouts "idle" is closed');
        }
      }
    }
    refuses(() => idle.touch('b'), 'ERR_PURGATORY_CLOSED');
    expect([idle.size, idle.has('b'), idle.refresh('b')]).to.deep.equal([2, false, false]);
    expect(idle.close()).to.deep.equal(['a', 'endless']);
  });
});

describe('The snapshot of IdleTimeouts', () => {
  it('says what is tracked, the quietest first, how elements ended, and what was refused', () => {
    const { clock, timer } = manual({ maxPending: 4 });
    const idle = new IdleTimeouts<unknown>('sessions', {
      timeoutMs: 100,
      timer,
      onIdle: () => {
        throw new Error('listener');
      },
      onError: () => {},
    });
    expect(idle.timer).to.equal(timer);
    for (const element of ['gone', 'ended', 'busy', { id: 7 }]) idle.touch(element);
    refuses(() => idle.touch('one too many'), 'ERR_PURGATORY_FULL');
    idle.remove('gone');
    expect([idle.remainingMs('gone'), idle.has('gone')]).to.deep.equal([undefined, false]);
    clock.advance(40);
    idle.touch('lease', Number.POSITIVE_INFINITY);
    clock.advance(20);
    idle.touch('busy');
    clock.advance(39);
    expect(idle.snapshot({ top: 2 }).quietest).to.deep.equal([
      { element: 'ended', quietMs: 99, remainingMs: 1 },
      { element: '[Object]', quietMs: 99, remainingMs: 1 },
    ]);
    clock.advance(1);
    expect(idle.snapshot()).to.deep.equal({
      name: 'sessions',
      nowMs: 100,
      tracked: 2,
      held: 0,
      timeoutMs: 100,
      totals: { tracked: 5, idle: 2, removed: 1, failed: 2 },
      refused: { ERR_PURGATORY_FULL: 1 },
      quietest: [
        { element: 'lease', quietMs: 60, remainingMs: null },
        { element: 'busy', quietMs: 40, remainingMs: 60 },
      ],
    });
    expect(idle.snapshot({ top: 0 }).quietest).to.deep.equal([]);
    refuses(() => idle.snapshot({ top: -1 }), 'ERR_OUT_OF_RANGE');
    idle.close();
    expect(() => idle.touch('later')).to.throw('IdleTimeouts "sessions" is closed');
    expect(idle.snapshot().totals).to.deep.equal({ tracked: 5, idle: 2, removed: 3, failed: 2 });
    expect(new IdleTimeouts('idle').snapshot()).to.include({ name: 'idle', timeoutMs: null });
  });
});
