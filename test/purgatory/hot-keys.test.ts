import { expect } from 'chai';
import sinon from 'sinon';
import { checkPurgatoryInvariants } from '../../src/purgatory/purgatory.ts';
import { Rosters } from '../../src/purgatory/rosters.ts';
import { counts, EMPTY, type Hall, hall, labels, type Op } from '../support/op.ts';

const parkMany = ({ park }: Hall, count: number, keys: readonly unknown[] = ['k']): Op[] =>
  Array.from({ length: count }, (_, i) => park(`${i}`, keys));

function passInVain({ purgatory }: Hall, times: number): void {
  for (let pass = 0; pass < times; pass++) expect(purgatory.checkAndComplete('k')).to.equal(0);
  checkPurgatoryInvariants(purgatory);
}

/** Events in vain on a key that 100 watch; after each, so many leave and as many come. */
function eventsAndComings(h: Hall, events: number, comings: number): void {
  const ops = parkMany(h, 100);
  for (let event = 0; event < events; event++) {
    passInVain(h, 1);
    for (const op of ops.splice(0, comings)) op.forceComplete();
    ops.push(...parkMany(h, comings));
  }
}

describe('A hot key, whose watchers are on a roster', () => {
  let opened: sinon.SinonSpy;
  let dissolved: sinon.SinonSpy;
  beforeEach(() => {
    opened = sinon.spy(Rosters.prototype, 'open');
    dissolved = sinon.spy(Rosters.prototype, 'dissolve');
  });
  afterEach(() => sinon.restore());

  it('keeps no roster when its last watcher has left', () => {
    const h = hall();
    parkMany(h, 10, ['other']);
    for (let time = 1; time <= 3; time++) {
      const ops = parkMany(h, 100);
      passInVain(h, 2);
      for (const op of ops) op.forceComplete();
      expect([opened.callCount, dissolved.callCount]).to.deep.equal([time, time]);
      checkPurgatoryInvariants(h.purgatory);
    }
  });

  it('is one whose watchers were looked at in vain, many of them and more than once', () => {
    const h = hall();
    parkMany(h, 64);
    passInVain(h, 1);
    expect(opened.callCount).to.equal(0);
    passInVain(h, 1);
    expect(opened.callCount).to.equal(1);
  });

  it('is none with few watchers, however often an event looks at them', () => {
    const h = hall();
    parkMany(h, 63);
    passInVain(h, 100);
    expect(opened.callCount).to.equal(0);
  });

  it('is none where more come than are looked at in vain', () => {
    eventsAndComings(hall(), 50, 4);
    expect(opened.callCount).to.equal(0);
  });

  it('is none any more when many have come since the last event, and its watchers keep their order', () => {
    const h = hall();
    const ops = parkMany(h, 100, ['other', 'k']);
    passInVain(h, 2);
    ops.splice(50, 1)[0].cancel();
    for (let i = 0; dissolved.callCount === 0 && i < 1_000; i++) {
      ops.push(h.park(`late ${i}`, ['k', 'another']));
      ops.splice(i % 90, 1)[0].forceComplete();
      checkPurgatoryInvariants(h.purgatory);
    }
    expect(opened.callCount).to.equal(1);
    const pairs = 2 * ops.length;
    expect(counts(h.purgatory)).to.deep.equal({ watched: pairs, watchedKeys: 3, numDelayed: ops.length });
    for (const op of ops) op.ready = true;
    h.log.length = 0;
    expect(h.purgatory.checkAndComplete('k')).to.equal(ops.length);
    expect(h.log).to.deep.equal(ops.map(({ label }) => `complete ${label}`));
    expect(counts(h.purgatory)).to.deep.equal(EMPTY);
  });

  it('stays one as long as there are more tries in vain than a number for each who comes', () => {
    eventsAndComings(hall(), 200, 3);
    expect([opened.callCount, dissolved.callCount]).to.deep.equal([1, 0]);
  });

  it('is none any more when twice as many have come as watch it, however many events there were before', () => {
    const h = hall();
    const ops = parkMany(h, 100);
    passInVain(h, 1_000);
    for (let come = 0; come < 200; come++) {
      expect(dissolved.callCount).to.equal(0);
      ops.push(h.park(`late ${come}`, ['k']));
      ops.splice(0, 1)[0].cancel();
    }
    expect(dissolved.callCount).to.equal(1);
    checkPurgatoryInvariants(h.purgatory);
  });

  it('stays one where it was cold for a moment in the middle of a pass', () => {
    const h = hall();
    const ops = parkMany(h, 100);
    passInVain(h, 2);
    ops[0].ready = true;
    sinon.stub(ops[0], 'onComplete').callsFake(() => {
      parkMany(h, 100);
      h.purgatory.checkAndComplete('k');
    });
    h.purgatory.checkAndComplete('k');
    expect([opened.callCount, dissolved.callCount]).to.deep.equal([1, 0]);
  });

  it('is made one by no event in the middle of a pass over it, which goes on along the links', () => {
    const h = hall();
    const ops = parkMany(h, 100);
    ops[0].ready = true;
    sinon.stub(ops[0], 'onComplete').callsFake(() => passInVain(h, 5));
    expect(h.purgatory.checkAndComplete('k')).to.equal(1);
    expect(ops.slice(1).map(({ tries }) => tries)).to.deep.equal(ops.slice(1).map(() => 6));
    checkPurgatoryInvariants(h.purgatory);
    passInVain(h, 2);
    expect(opened.callCount).to.equal(1);
  });

  it('stays one in the middle of a pass in which many come, and may become another while that is under way', () => {
    const h = hall();
    const ops = parkMany(h, 100);
    passInVain(h, 2);
    const late: Op[] = [];
    ops[10].ready = true;
    const completed = sinon.stub(ops[10], 'onComplete').callsFake(() => {
      late.push(...parkMany(h, 3_000));
      for (const op of late.slice(0, 2_900)) op.cancel();
      expect(dissolved.callCount).to.equal(0);
    });
    expect(h.purgatory.checkAndComplete('k')).to.equal(1);
    expect(completed.callCount).to.equal(1);
    expect(late.every(({ tries }) => tries === 0)).to.equal(true);
    expect(dissolved.callCount).to.equal(1);
    checkPurgatoryInvariants(h.purgatory);
    const left = [...ops.filter((_, i) => i !== 10), ...late.slice(2_900)];
    expect(h.purgatory.cancelForKey('k')).to.deep.equal(left);
  });

  it('becomes cold without harm though it is dropped before that shows', () => {
    const h = hall();
    parkMany(h, 2, ['first']); // so that its list is not the first cell
    const ops = parkMany(h, 100);
    passInVain(h, 2);
    ops[0].ready = true;
    sinon.stub(ops[0], 'onComplete').callsFake(() => {
      parkMany(h, 3_000);
      h.purgatory.cancelForKey('k');
      parkMany(h, 70, ['k', 'l', 'm']);
    });
    h.purgatory.checkAndComplete('k');
    passInVain(h, 2);
    expect(counts(h.purgatory)).to.deep.equal({ watched: 212, watchedKeys: 4, numDelayed: 72 });
    expect(h.purgatory.cancelForKey('m')).to.have.length(70);
    expect(h.purgatory.cancelForKey('first')).to.have.length(2);
    expect(counts(h.purgatory)).to.deep.equal(EMPTY);
  });

  it('tries thousands in park order, whoever left, and those that come in the middle the next time', () => {
    const h = hall();
    const ops = parkMany(h, 10_000, ['k', 'l']);
    passInVain(h, 2);
    const left = ops.filter((op, i) => i % 3 !== 1 || !op.cancel());
    checkPurgatoryInvariants(h.purgatory);
    const late: Op[] = [];
    const ready = left.filter((_, i) => i % 7 === 0);
    for (const op of ready) {
      op.ready = true;
      sinon.stub(op, 'onComplete').callsFake(() => {
        h.log.push(op.label);
        late.push(h.park(`after ${op.label}`, ['k']));
      });
    }
    expect(h.purgatory.checkAndComplete('k')).to.equal(ready.length);
    expect(h.log).to.deep.equal(labels(ready));
    expect(late.map(({ tries }) => tries)).to.deep.equal(late.map(() => 0));
    checkPurgatoryInvariants(h.purgatory);
    const rest = [...left.filter((op) => !op.isCompleted), ...late];
    expect(h.purgatory.cancelForKey('k')).to.deep.equal(rest);
    expect(counts(h.purgatory)).to.deep.equal(EMPTY);
  });

  it('leaves those to the next event who come after all behind one page have left in the pass', () => {
    const h = hall();
    const ops = parkMany(h, 9_000);
    passInVain(h, 2);
    for (const op of ops.slice(5_000, 6_000)) op.cancel();
    const late: Op[] = [];
    ops[0].ready = true;
    sinon.stub(ops[0], 'onComplete').callsFake(() => {
      for (const op of ops.slice(6_000)) op.cancel();
      late.push(...parkMany(h, 100));
    });
    expect(h.purgatory.checkAndComplete('k')).to.equal(1);
    expect(late.every(({ tries }) => tries === 0)).to.equal(true);
    expect(h.purgatory.checkAndComplete('k')).to.equal(0);
    expect(late.every(({ tries }) => tries === 1)).to.equal(true);
  });

  it('counts a key once that is given twice', () => {
    const h = hall();
    parkMany(h, 100);
    passInVain(h, 2);
    h.park('twice', ['k', 'k', 'l', 'k']);
    expect(h.purgatory.watched).to.equal(102);
    checkPurgatoryInvariants(h.purgatory);
  });

  it('is in the snapshot with all its watchers, and they with their keys', () => {
    const h = hall();
    parkMany(h, 3_000, ['k']);
    h.park('a', ['x', 'k', 'y']);
    passInVain(h, 2);
    h.purgatory.cancelForKey('nobody');
    const { hottestKeys, oldest } = h.purgatory.snapshot({ top: 1 });
    expect(hottestKeys).to.deep.equal([{ key: 'k', watchers: 3_001 }]);
    expect(oldest[0].keys).to.deep.equal(['k']);
    for (const op of h.purgatory.cancelForKey('k').slice(0, 3_000)) op.forceComplete();
    h.park('b', ['x', 'k', 'y']);
    expect(h.purgatory.snapshot().oldest[0].keys).to.deep.equal(['x', 'k', 'y']);
  });

  it('is found by its key after others have left and the memory that they took was given back', () => {
    const h = hall();
    const hot = parkMany(h, 200, ['k', 'l']);
    const others = Array.from({ length: 5_000 }, (_, i) => h.park(`other ${i}`, [i, -1 - i]));
    passInVain(h, 2);
    for (const op of others) op.cancel();
    for (const [i, op] of hot.entries()) if (i % 5 !== 0) op.cancel();
    checkPurgatoryInvariants(h.purgatory);
    const left = hot.filter((_, i) => i % 5 === 0);
    expect(counts(h.purgatory)).to.deep.equal({ watched: 80, watchedKeys: 2, numDelayed: 40 });
    expect(h.purgatory.snapshot().oldest[0].keys).to.deep.equal(['k', 'l']);
    for (const op of left) op.ready = true;
    expect(h.purgatory.checkAndComplete('k')).to.equal(40);
    expect(h.log).to.deep.equal(left.map(({ label }) => `complete ${label}`));
    expect(counts(h.purgatory)).to.deep.equal(EMPTY);
  });
});
