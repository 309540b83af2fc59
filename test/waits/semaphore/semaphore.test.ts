import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import sinon from 'sinon';
import { ManualClock, PurgatoryError, SystemTimer } from '../../../src/index.ts';
import { listen } from '../../../src/observe/events/index.ts';
import { type AcquireOptions, type Permit, Semaphore } from '../../../src/waits/semaphore/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { codeOf } from '../../support/code-of.ts';
import { fullRun, itWith } from '../../support/needs.ts';
import { refuses, rejects } from '../../support/refusals.ts';
import { codeOfRejection, rejection } from '../../support/rejection.ts';
import { microtasks, turn } from '../../support/turns.ts';

const SOON = { timeoutMs: 100 };
const NEVER = { timeoutMs: Number.POSITIVE_INFINITY };

function semaphore(units: number): { clock: ManualClock; timer: SystemTimer; permits: Semaphore } {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock });
  return { clock, timer, permits: new Semaphore('db', { units, timer }) };
}

/** Acquires, and writes the label into `log` when the permit comes. */
function logging(permits: Semaphore, log: string[], label: string, more: Partial<AcquireOptions> = {}) {
  return permits.acquire({ ...NEVER, ...more }).then((permit: Permit) => {
    log.push(label);
    return permit;
  });
}

describe('Semaphore', () => {
  it('takes the units of a permit back once', async () => {
    const { permits } = semaphore(1);
    const permit = await permits.acquire(NEVER);
    expect([permit.release(), permit.release(), permits.available()]).to.deep.equal([true, false, 1]);
    const another = await permits.acquire(NEVER);
    expect([permit.release(), permits.available()]).to.deep.equal([false, 0]);
    another[Symbol.dispose]();
    another[Symbol.dispose]();
    expect(permits.available()).to.equal(1);
  });

  it('holds up those behind one that wants more, also by tryAcquire (behaviour 31)', async () => {
    const { permits } = semaphore(3);
    const log: string[] = [];
    const held = [await permits.acquire(NEVER), await permits.acquire(NEVER), await permits.acquire(NEVER)];
    const large = logging(permits, log, 'large', { units: 2 });
    const small = logging(permits, log, 'small');
    held[0].release();
    await microtasks();
    expect([log, permits.available()]).to.deep.equal([[], 1]);
    expect(permits.tryAcquire()).to.equal(undefined);
    held[1].release();
    (await large).release();
    await small;
    expect(log).to.deep.equal(['large', 'small']);
  });

  it('hands over in the call of the release, or of a resize (behaviour 32)', async () => {
    const { timer, permits } = semaphore(1);
    const held = await permits.acquire(NEVER);
    const stop = new AbortController();
    const next = permits.acquire({ ...SOON, signal: stop.signal });
    expect([permits.numDelayed, timer.size, getEventListeners(stop.signal, 'abort').length]).to.deep.equal([
      1, 1, 1,
    ]);
    held.release();
    expect([permits.numDelayed, timer.size, permits.available()]).to.deep.equal([0, 0, 0]);
    expect(getEventListeners(stop.signal, 'abort')).to.deep.equal([]);
    stop.abort(new Error('too late')); // it is final: an abort in between changes nothing
    expect((await next).isHeld).to.equal(true);
    const last = permits.acquire(SOON);
    permits.resize(2);
    expect([permits.numDelayed, (await last).isHeld]).to.deep.equal([0, true]);
  });

  it('rejects at the deadline, with who holds the units', async () => {
    const { clock, permits } = semaphore(2);
    await permits.acquire({ ...NEVER, label: 'report 16', key: 'other' });
    await permits.acquire({ ...NEVER, label: 'report 17' });
    clock.advance(71_000);
    await permits.acquire({ ...NEVER, label: 'report 18' });
    const waits = [permits.acquire(SOON), permits.acquire({ ...SOON, units: 2 })].map(rejection);
    clock.advance(100);
    const [one, two] = (await Promise.all(waits)) as PurgatoryError[];
    expect(one).to.be.instanceOf(PurgatoryError);
    expect([one.code, one.message]).to.deep.equal([
      'ERR_PURGATORY_TIMEOUT',
      'No permit of "db" within 100 ms: 2 of 2 units are held, the longest for 71 s by "report 17"',
    ]);
    expect(two.message).to.contain('2 of 2 units are held, and 2 were asked for, the longest for 71 s');
  });

  it('accuses nobody while units are held without a label: those may be held longer', async () => {
    const { clock, permits } = semaphore(4);
    await permits.acquire({ ...NEVER, units: 2 }); // a leak that nobody can name
    clock.advance(71_000);
    await permits.acquire({ ...NEVER, units: 2, label: 'report 19' });
    const waits = [permits.acquire(SOON), permits.acquire({ ...SOON, units: 2 })].map(rejection);
    clock.advance(100);
    const [one, two] = (await Promise.all(waits)) as PurgatoryError[];
    expect(one.message).to.equal(
      'No permit of "db" within 100 ms: 4 of 4 units are held, 2 without a label; ' +
        'of those with a label, the longest for 100 ms by "report 19"',
    );
    expect(two.message).to.contain('held, 2 without a label, and 2 were asked for; of those with a label');
    checkPurgatoryInvariants(permits);
  });

  it('says so when no permit with a label is held, and for which key', async () => {
    const { clock, permits } = semaphore(1);
    await permits.acquire({ ...NEVER, key: 'order-7' });
    const wait = rejection(permits.acquire({ ...SOON, key: 'order-7' }));
    clock.advance(100);
    expect(((await wait) as Error).message).to.equal(
      'No permit of "db" for the key order-7 within 100 ms: 1 of 1 units are held, none by a permit with a label',
    );
  });

  it('refuses the waits of one deadline with one error (behaviour 29)', async () => {
    const { clock, permits } = semaphore(1);
    await permits.acquire(NEVER);
    const waits = Array.from({ length: 1_000 }, () => rejection(permits.acquire(SOON)));
    const other = rejection(permits.acquire({ timeoutMs: 200 }));
    clock.advance(200);
    expect(new Set(await Promise.all(waits)).size).to.equal(1);
    expect(((await other) as Error).message).to.contain('within 200 ms');
  });

  it('keeps no memory of a key that is idle (behaviour 34)', async () => {
    const { permits } = semaphore(2);
    for (let i = 0; i < 1_000; i++) {
      const key = `order-${i}`;
      const permit = await permits.acquire({ ...NEVER, key });
      const stop = new AbortController();
      const wait = rejection(permits.acquire({ ...NEVER, key, units: 2, signal: stop.signal }));
      stop.abort();
      await wait;
      const other = permits.tryAcquire({ key: `other-${i}` }); // so that both lines are filed
      expect(permits.available(key)).to.equal(1);
      permit.release();
      other?.release();
      checkPurgatoryInvariants(permits); // that only one idle line is kept
    }
  });

  it('uses the name as the key of those who name none, and refuses a key that is undefined', async () => {
    const { permits } = semaphore(1);
    await permits.acquire(NEVER);
    expect([permits.available(), permits.available('db')]).to.deep.equal([0, 0]);
    const order: { id?: string } = {};
    await rejects(permits.acquire({ ...NEVER, key: order.id as string }), 'ERR_INVALID_ARG_VALUE');
    refuses(() => permits.tryAcquire({ key: order.id as string }), 'ERR_INVALID_ARG_VALUE');
  });

  it('takes keys of any kind, as a Map does', () => {
    const permits = new Semaphore<unknown>('kinds', { units: 1 });
    const emitWarning = sinon.stub(process, 'emitWarning'); // an object is one of them
    for (const key of [Number.NaN, 0, '0', null, permits, Symbol('key')]) {
      expect(permits.tryAcquire({ key })?.units).to.equal(1);
      expect(permits.available(key)).to.equal(0);
      expect(permits.tryAcquire({ key })).to.equal(undefined);
    }
    expect(permits.tryAcquire({ key: -0 })).to.equal(undefined);
    emitWarning.restore();
    permits.close();
  });

  it('runs work with a permit, and releases it also when the work throws', async () => {
    const { permits } = semaphore(1);
    const held: number[] = [];
    const work = (): string => {
      held.push(permits.available());
      return 'done';
    };
    expect(await permits.run(SOON, work)).to.equal('done');
    const failed = new Error('failed');
    const fails = (): Promise<void> => Promise.reject(failed);
    expect(await rejection(permits.run(SOON, fails))).to.equal(failed);
    expect([held, permits.available()]).to.deep.equal([[0], 1]);
    await rejects(permits.run(SOON, 7 as never), 'ERR_INVALID_ARG_TYPE');
    expect(permits.available()).to.equal(1);
  });

  it('does not begin work whose signal has aborted since the permit was given', async () => {
    const { permits } = semaphore(1);
    const stop = new AbortController();
    const held = await permits.acquire(SOON);
    let calls = 0;
    const run = rejection(permits.run({ ...SOON, signal: stop.signal }, () => calls++));
    held.release(); // hands over
    stop.abort('gone');
    expect(await run).to.equal('gone');
    expect([calls, permits.available()]).to.deep.equal([0, 1]);
  });

  it('serves many keys that a resize frees: 64 waits in the call, the others soon after (behaviour 32)', async () => {
    const { permits } = semaphore(1);
    const keys = Array.from({ length: 1_000 }, (_, i) => `${i}`);
    for (const key of keys) permits.tryAcquire({ key });
    let given = 0;
    const waits = keys.map((key) => permits.acquire({ ...NEVER, key }).then(() => given++));
    permits.resize(2);
    expect(permits.numDelayed).to.equal(1_000 - 64);
    await Promise.all(waits);
    expect([given, permits.numDelayed]).to.deep.equal([1_000, 0]);
  });

  it('stops waiting for idle at a deadline and on abort, also when its own timer is closed', async () => {
    const clock = new ManualClock();
    const permits = new Semaphore('db', { units: 1, clock });
    const held = await permits.acquire(NEVER);
    permits.close();
    const stop = new AbortController();
    const late = permits.idle({ timeoutMs: 100 });
    const aborted = rejection(permits.idle({ signal: stop.signal, timeoutMs: 200 }));
    const inTime = permits.idle({ timeoutMs: 200, signal: new AbortController().signal });
    clock.advance(100);
    stop.abort('enough');
    expect([await late, await aborted]).to.deep.equal([{ expired: true }, 'enough']);
    held.release();
    expect([await inTime, await permits.idle({ timeoutMs: 0 })]).to.deep.equal([
      { expired: false },
      { expired: false },
    ]);
    expect(getEventListeners(stop.signal, 'abort')).to.deep.equal([]);
    expect(await rejection(permits.idle({ signal: stop.signal }))).to.equal('enough');
    await rejects(permits.idle({ timeoutMs: '5' as never }), 'ERR_INVALID_ARG_TYPE');
  });

  it('asks a function for the units of each key: when nobody uses it yet, and by resize', async () => {
    const windows = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    const asked: string[] = [];
    const units = (key: string): number => {
      asked.push(key);
      return windows.get(key) ?? 1;
    };
    const permits = new Semaphore('windows', { units, clock: new ManualClock() });
    const held = [1, 2].map(() => permits.tryAcquire({ key: 'a' }) as Permit);
    expect([permits.tryAcquire({ key: 'a' }), permits.available('a'), permits.available('b')]).to.deep.equal([
      undefined,
      0,
      1,
    ]);
    expect(asked).to.deep.equal(['a', 'b']);
    const waits = [1, 2].map(() => permits.acquire({ ...NEVER, key: 'a' }));
    windows.set('a', 3);
    permits.resize('a');
    expect([permits.numDelayed, permits.units, permits.snapshot().units.each]).to.eql([1, Number.NaN, null]);
    await rejects(permits.acquire({ ...NEVER, key: 'a', units: 4 }), 'ERR_OUT_OF_RANGE');
    windows.set('a', 1);
    permits.resize('a');
    permits.resize('nobody uses it');
    for (const permit of held) permit.release();
    expect(permits.numDelayed).to.equal(1);
    (await waits[0]).release();
    (await waits[1]).release();
    asked.length = 0;
    expect(permits.available('a')).to.equal(1); // its window is asked for anew
    permits.tryAcquire({ key: 'a' })?.release();
    expect(asked).to.deep.equal(['a', 'a']);
    checkPurgatoryInvariants(permits);
  });

  it('survives a function of units that throws, gives no number, or acquires itself', async () => {
    let give: () => unknown = () => 0;
    const permits = new Semaphore('windows', { units: () => give() as number, clock: new ManualClock() });
    refuses(() => permits.tryAcquire({ key: 'a' }), 'ERR_INVALID_RETURN_VALUE');
    await rejects(permits.acquire({ ...NEVER, key: 'a' }), 'ERR_INVALID_RETURN_VALUE');
    const failed = new Error('no window');
    give = () => {
      throw failed;
    };
    expect(await rejection(permits.acquire({ ...NEVER, key: 'a' }))).to.equal(failed);
    expect(() => permits.available('a')).to.throw(failed);
    const inner: unknown[] = [];
    give = () => {
      give = () => 1;
      inner.push(permits.tryAcquire({ key: 'b' }), permits.tryAcquire({ key: 'a' }));
      return 1;
    };
    expect([permits.tryAcquire({ key: 'a' }), permits.available('b')]).to.deep.equal([undefined, 0]);
    for (const permit of inner) (permit as Permit).release();
    expect([permits.available('a'), permits.available('b')]).to.deep.equal([1, 1]);
    checkPurgatoryInvariants(permits);
  });

  it('refuses bad arguments with the codes of Node, before anything has changed', async () => {
    for (const options of [
      undefined,
      {},
      { units: 0 },
      { units: 1.5 },
      { units: Number.POSITIVE_INFINITY },
    ]) {
      const code = codeOf(() => new Semaphore('db', options as never));
      expect(code, JSON.stringify(options)).to.be.oneOf(['ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE']);
    }
    refuses(() => new Semaphore(7 as never, { units: 1 }), 'ERR_INVALID_ARG_TYPE');
    const text = '"options.units" property must be of type number or function';
    refuses(() => new Semaphore('db', { units: '1' as never }), 'ERR_INVALID_ARG_TYPE', text);
    const { timer, permits } = semaphore(2);
    refuses(() => new Semaphore('db', { units: 1, timer, tickMs: 5 }), 'ERR_INVALID_ARG_VALUE');
    const bad: [unknown, string][] = [
      [{ ...SOON, units: 3 }, 'ERR_OUT_OF_RANGE'],
      [{ ...SOON, units: 0 }, 'ERR_OUT_OF_RANGE'],
      [{ ...SOON, units: '1' }, 'ERR_INVALID_ARG_TYPE'],
    ];
    for (const [options, code] of bad) {
      await rejects(permits.acquire(options as never), code);
    }
    refuses(() => permits.tryAcquire({ units: 3 }), 'ERR_OUT_OF_RANGE');
    for (const units of [0, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      refuses(() => permits.resize(units), 'ERR_OUT_OF_RANGE');
    }
    refuses(() => permits.resize('2' as never), 'ERR_INVALID_ARG_TYPE');
    refuses(() => permits.resize(undefined as never), 'ERR_INVALID_ARG_TYPE', 'Received undefined');
    refuses(() => permits.tryAcquire({ label: 7 as never }), 'ERR_INVALID_ARG_TYPE');
    expect([permits.available(), permits.numDelayed]).to.deep.equal([2, 0]);
  });

  it('refuses everybody after close, and takes permits back', async () => {
    const { timer, permits } = semaphore(1);
    const held = await permits.acquire(NEVER);
    const wait = codeOfRejection(permits.acquire(SOON));
    expect(permits.close()).to.deep.equal([]);
    expect(await wait).to.equal('ERR_PURGATORY_CLOSED');
    await rejects(permits.acquire(SOON), 'ERR_PURGATORY_CLOSED');
    refuses(() => permits.tryAcquire(), 'ERR_PURGATORY_CLOSED');
    expect([held.release(), permits.available(), timer.isClosed]).to.deep.equal([true, 1, false]);
  });

  it('shows the units that are held, and the permits with a label, the one held longest first', async () => {
    const { clock, permits } = semaphore(3);
    expect(permits.snapshot().units).to.eql({ each: 3, held: 0, given: 0, heldLongest: null, holders: [] });
    await permits.acquire({ ...NEVER, key: 'a' });
    const longest = await permits.acquire({ ...NEVER, key: 'b', label: 'first', units: 2 });
    clock.advance(50);
    await permits.acquire({ ...NEVER, key: 'c', label: 'second' });
    clock.advance(50);
    const first = { key: 'b', label: 'first', units: 2, ageMs: 100 };
    const second = { key: 'c', label: 'second', units: 1, ageMs: 50 };
    const told = { each: 3, held: 4, given: 3, heldLongest: first };
    expect(permits.snapshot().units).to.deep.equal({ ...told, holders: [first, second] });
    expect(permits.snapshot({ top: 1 }).units).to.deep.equal({ ...told, holders: [first] });
    expect(permits.snapshot({ top: 0 }).units).to.deep.equal({ ...told, holders: [] });
    longest.release();
    expect(permits.snapshot().units).to.deep.include({ held: 2 });
    expect(permits.snapshot().units.heldLongest).to.deep.include({ label: 'second', ageMs: 50 });
    checkPurgatoryInvariants(permits);
  });

  it('is a purgatory to all that looks on (behaviour 35)', async () => {
    const { permits } = semaphore(1);
    const seen: string[] = [];
    const stops = (['parked', 'completed', 'cancelled'] as const).map((how) =>
      listen(`purgatory:operation:${how}`, (event) => {
        seen.push(`${event.purgatory.name} ${how}`);
        const { operation } = event;
        expect([operation.tryComplete(), operation.forceComplete()]).to.deep.equal([false, false]); // no units
      }),
    );
    const held = await permits.acquire({ ...NEVER, key: 'a' });
    const served = permits.acquire({ ...NEVER, key: 'a' });
    const cancelled = ['a', 'b', 'a'].map((key) => codeOfRejection(permits.acquire({ ...NEVER, key })));
    expect([permits.watchersOf('a'), permits.watched, permits.watchedKeys]).to.deep.equal([3, 3, 1]);
    expect(permits.snapshot().hottestKeys).to.deep.equal([{ key: 'a', watchers: 3 }]);
    held.release();
    expect((await served).isHeld).to.equal(true);
    expect(permits.cancelForKey('a')).to.deep.equal([]);
    expect(permits.snapshot().totals).to.deep.include({ parked: 3, completed: 1, cancelled: 2 });
    expect(await Promise.all([cancelled[0], cancelled[2]])).to.deep.equal([
      'ERR_PURGATORY_CANCELLED',
      'ERR_PURGATORY_CANCELLED',
    ]);
    for (const stop of stops) stop();
    const ends = ['completed', 'cancelled', 'cancelled'];
    expect(seen).to.deep.equal(['parked', 'parked', 'parked', ...ends].map((how) => `db ${how}`));
  });

  it('names the label of a permit that was waited for', async () => {
    const { permits } = semaphore(1);
    const held = await permits.acquire(NEVER);
    const wait = permits.acquire({ ...NEVER, label: 'report 17' });
    expect(permits.snapshot().oldest[0]).to.deep.include({ label: 'report 17', keys: ['db'] });
    held.release();
    expect(permits.snapshot().units.heldLongest).to.deep.include({ label: 'report 17' });
    expect((await wait).isHeld).to.equal(true);
  });

  it('looks at no more than 16,384 keys in a snapshot', async () => {
    const { permits } = semaphore(1);
    for (let key = 0; key <= 16_384; key++) {
      permits.tryAcquire({ key: `${key}` });
      void rejection(permits.acquire({ ...NEVER, key: `${key}` }));
    }
    for (const key of ['16383', '16384']) void rejection(permits.acquire({ ...NEVER, key }));
    expect(permits.watchersOf('16384')).to.equal(2);
    expect(permits.snapshot().hottestKeys.filter(({ watchers }) => watchers > 1)).to.deep.equal([
      { key: '16383', watchers: 2 },
    ]);
    permits.close();
  });

  itWith(
    fullRun,
    'gives the memory of a burst of keys back when the last of their units come back (behaviour 25)',
    async () => {
      const { permits } = semaphore(1);
      const keys = Array.from({ length: 60_000 }, (_, i) => `${i}`);
      const held = keys.map((key) => permits.tryAcquire({ key }));
      const waits = keys.map((key) => permits.acquire({ ...NEVER, key }));
      for (const permit of held) permit?.release();
      const handedOver = await Promise.all(waits);
      expect(permits.$parked.lists.isSparse).to.equal(false); // so many lines are not visited
      for (const permit of handedOver) permit.release();
      const { lists } = permits.$parked;
      const { moves } = lists;
      for (let i = 0; i < 3; i++) await turn();
      expect(lists.moves).to.equal(moves + 1);
      permits.close();
    },
  );

  it('keeps the order of deadlines that were held back for a unit (behaviour 33)', async () => {
    const { clock, permits } = semaphore(65);
    const all = await permits.acquire({ ...NEVER, units: 65 });
    const ended: number[] = [];
    const wait = (timeoutMs: number): Promise<unknown> =>
      permits.acquire({ timeoutMs }).catch(() => {
        if (ended.push(timeoutMs) === 1) clock.advance(10); // while most of the others are held back
      });
    const waits = [...Array(500).fill(100), ...Array(5).fill(110)].map(wait);
    all.release(); // 64 in the call, one later
    clock.advance(100);
    await Promise.all(waits);
    expect(ended).to.deep.equal([...Array(500 - 65).fill(100), ...Array(5).fill(110)]);
    checkPurgatoryInvariants(permits);
  });

  it('keeps it also where one that held up others is among them, and they are many (behaviours 2, 31)', async () => {
    const { clock, permits } = semaphore(4);
    await permits.acquire(NEVER);
    const stop = new AbortController();
    const first = rejection(permits.acquire({ ...NEVER, units: 4, signal: stop.signal }));
    const served: string[] = [];
    const ask = (label: string, units: number, timeoutMs: number): Promise<unknown> =>
      permits.acquire({ units, timeoutMs }).then(
        () => served.push(label),
        () => {},
      );
    // When the first two have theirs, one unit is left: too few for who wants two until 9 ms.
    const waits = [ask('a', 1, 100), ask('b', 3, 7), ask('c', 1, 7), ask('d', 2, 9), ask('e', 1, 8)];
    for (let i = 0; i < 20; i++) waits.push(ask('f', 2, i < 10 ? 7 : 8));
    stop.abort(); // those behind it are served at the end of the turn
    clock.advance(10);
    await Promise.all([first, ...waits]);
    expect(served).to.deep.equal(['a', 'c']);
  });
});
