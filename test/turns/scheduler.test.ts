// The turns of a clock that the test moves. test/host/turns has those of the host's.
import { expect } from 'chai';
import sinon from 'sinon';
import { Purgatory, SystemTimer } from '../../src/index.ts';
import { Watchers } from '../../src/purgatory/watchers.ts';
import { herdOn, type Op } from '../support/op.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { microtasks, turn, until } from '../support/turns.ts';
import { unhandledDuring } from '../support/unhandled.ts';

describe('behaviour 25: the turns of a clock', () => {
  it('begin with a reading of the clock, before the first step', async () => {
    const clock = new SlowClock();
    const purgatory = new Purgatory<string, Op>('read', { clock });
    let tried = 0;
    herdOn(purgatory, 'key', 3, () => tried++);
    const triedBefore: number[] = [];
    clock.now = () => {
      triedBefore.push(tried);
      return 0;
    };
    purgatory.notify('key');
    await until(() => tried === 3);
    expect(triedBefore).to.deep.equal([0, 3]); // and end with one
  });

  it('begin with small batches each time, whatever was learnt of steps before', async () => {
    const clock = new SlowClock();
    const purgatory = new Purgatory<string, Op>('slow after fast', { clock });
    let tried = 0;
    let tryMs = 0;
    herdOn(purgatory, 'key', 5_000, () => {
      tried++;
      clock.advance(tryMs);
    });
    purgatory.notify('key');
    await purgatory.served();
    expect(tried).to.equal(5_000);
    tryMs = 1;
    purgatory.notify('key');
    await turn();
    expect(tried - 5_000).to.be.at.most(16 + 5 + 1);
    purgatory.close();
  });

  it('begin with one step where those of the last batch were slow, at each event from the second on', async () => {
    const clock = new SlowClock();
    const purgatory = new Purgatory<string, Op>('slow', { clock });
    let tried = 0;
    herdOn(purgatory, 'key', 16, () => {
      tried++;
      clock.advance(200);
    });
    for (const most of [16, 1, 1]) {
      await turn(); // a slice begins
      tried = 0;
      purgatory.notify('key');
      await microtasks();
      expect(tried).to.equal(most);
      await purgatory.served();
      expect(tried).to.equal(16);
    }
    purgatory.close();
  });

  it('are shared by deadlines and events, a batch each, however much there is of one kind', async () => {
    const clock = new SlowClock();
    const wakeAt = clock.wakeAt.bind(clock);
    // As the system clock it says by which reading it wakes.
    clock.wakeAt = (atMs, wake: (dueMs: number) => void) => wakeAt(atMs, () => wake(clock.now()));
    const timers = Array.from({ length: 20 }, () => new SystemTimer({ clock }));
    const purgatory = new Purgatory<string, Op>('events', { clock });
    let log = '';
    const work = (kind: string) => (): void => {
      log += kind;
      clock.advance(1);
    };
    herdOn(purgatory, 'key', 60, work('e'));
    for (const timer of timers) for (let i = 0; i < 3; i++) timer.schedule(work('T'), 1);
    clock.advance(3);
    purgatory.notify('key');
    await until(() => log.length === 120);
    // Once both kinds are under way: no more of one in a row than the batches before their cost is known.
    const both = log.slice(log.indexOf('T'), Math.min(log.lastIndexOf('T'), log.lastIndexOf('e')));
    expect(both)
      .to.have.length.above(40)
      .and.not.match(/e{17}|T{4}/);
    purgatory.close();
  });

  it('have one for memory that is given back, before other work', async () => {
    const clock = new SlowClock();
    const purgatory = new Purgatory<string, Op>('sparse', { clock });
    const ops = herdOn(purgatory, 'leaves', 2_000, () => {});
    let tried = 0;
    herdOn(purgatory, 'key', 100, () => {
      tried++;
      clock.advance(1);
    });
    const triedAt: number[] = [];
    const compact = sinon.stub(Watchers.prototype, 'compact').callsFake(function (this: Watchers<string>) {
      triedAt.push(tried);
      clock.advance(10);
      compact.wrappedMethod.call(this);
    });
    try {
      purgatory.notify('key');
      await microtasks();
      const before = tried;
      for (const op of ops) op.cancel();
      expect(triedAt, 'not in the call').to.deep.equal([]);
      await turn();
      expect(triedAt).to.deep.equal([before]);
      expect(tried, 'the slice is spent by that').to.equal(before);
      await purgatory.served();
      expect(tried).to.equal(100);
    } finally {
      compact.restore();
    }
    purgatory.close();
  });

  it('go on after a throw of the clock for all who were notified in the turn', async () => {
    for (let failing = 1; failing <= 4; failing++) {
      const clock = new SlowClock();
      const purgatories = ['a', 'b', 'c'].map((name) => new Purgatory<string, Op>(name, { clock }));
      let tried = 0;
      for (const purgatory of purgatories) herdOn(purgatory, 'key', 12, () => tried++);
      let readings = 0;
      clock.now = () => {
        if (++readings === failing) throw new Error('no time');
        return 0;
      };
      const errors = await unhandledDuring(async () => {
        for (const purgatory of purgatories) purgatory.notify('key');
        for (const purgatory of purgatories) await purgatory.served();
      });
      expect([tried, errors.length], `reading ${failing}`).to.deep.equal([36, readings < failing ? 0 : 1]);
    }
  });
});
