import { expect } from 'chai';
import { readOptions } from '../../../src/base/options.ts';
import { Sweep } from '../../../src/bus/membership/sweep.ts';
import { type Clock, ManualClock, SystemTimer } from '../../../src/index.ts';
import { ParkedWalk } from '../../../src/purgatory/parked-walk.ts';
import { Parking } from '../../../src/purgatory/parking.ts';
import { PARKING_OPTIONS, parkingParts } from '../../../src/purgatory/purgatory-options.ts';
import { Watchers } from '../../../src/purgatory/watchers.ts';
import { Op } from '../../support/op.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { until } from '../../support/turns.ts';

interface Scene {
  readonly clock: Clock & Pick<ManualClock, 'advance'>;
  readonly parking: Parking<string, Watchers<string>>;
  readonly sweep: Sweep;
  readonly ended: number[];
  park(label: string, onTry?: (op: Op, key: unknown) => void): Op;
}

function scene(overMs = 1_000, clock: Scene['clock'] = new ManualClock()): Scene {
  const options = readOptions('a test', { timer: new SystemTimer({ clock }) }, PARKING_OPTIONS);
  const parking = new Parking(parkingParts('Purgatory "test"', 'test', options), new Watchers<string>());
  parking.meter.observe(parking);
  const ended: number[] = [];
  return {
    clock,
    parking,
    ended,
    sweep: new Sweep(new ParkedWalk(parking), { sweepMs: overMs, clock, random: Math.random }),
    park(label, onTry) {
      const op = new Op(label, { onTry });
      parking.park(op, ['k', label]);
      return op;
    },
  };
}

const parkMany = ({ park }: Scene, count: number): Op[] =>
  Array.from({ length: count }, (_, i) => park(`${i}`));

describe('A sweep', () => {
  it('tries everything that is parked, once, without a key, and tells how many', () => {
    const h = scene();
    const keys = new Set<unknown>();
    const ops = Array.from({ length: 1_000 }, (_, i) => h.park(`${i}`, (_op, key) => keys.add(key)));
    for (const op of ops.slice(0, 300)) op.cancel();
    h.sweep.begin((tried) => h.ended.push(tried));
    h.clock.advance(1_100);
    expect(ops.map(({ tries }) => tries)).to.deep.equal(ops.map((_, i) => (i < 300 ? 0 : 1)));
    expect(h.ended).to.deep.equal([700]);
    expect([...keys], 'no event causes it').to.deep.equal([undefined]);
  });

  it('tries at most 64 before the microtasks, where time goes by: they are what the answered do next', async () => {
    const h = scene(0, new SlowClock());
    let ahead = 0;
    let most = 0;
    const onTry = (): void => {
      most = Math.max(most, ++ahead);
      void Promise.resolve().then(() => ahead--);
    };
    const ops = Array.from({ length: 1_000 }, (_, i) => h.park(`${i}`, onTry));
    h.sweep.begin((tried) => h.ended.push(tried));
    h.clock.advance(1);
    await until(() => h.ended.length > 0);
    expect(most).to.equal(64);
    expect(ops.every(({ tries }) => tries === 1)).to.equal(true);
    expect(h.ended).to.deep.equal([1_000]);
  });

  it('begins at a random place', () => {
    const first = new Set<string>();
    for (let time = 0; time < 20; time++) {
      const h = scene();
      for (let i = 0; i < 1_000; i++) h.park(`${i}`, (op) => first.size < 100 && started.push(op.label));
      const started: string[] = [];
      h.sweep.begin(() => {});
      h.clock.advance(5);
      first.add(started[0]);
    }
    expect(first.size).to.be.greaterThan(10);
  });

  it('leaves out nobody who stays, though most leave meanwhile and memory moves', () => {
    for (let time = 0; time < 30; time++) {
      const h = scene();
      const ops = parkMany(h, 5_000);
      const stay = ops.filter((_, i) => i % 50 === time);
      h.sweep.begin((tried) => h.ended.push(tried));
      h.clock.advance(time * 30);
      for (const [i, op] of ops.entries()) if (i % 50 !== time) op.cancel();
      for (let i = 0; i < 100; i++) h.park(`late ${i}`);
      h.clock.advance(2_000);
      expect(stay.every(({ tries }) => tries >= 1)).to.equal(true);
      expect(h.ended).to.have.length(1);
    }
  });

  it('goes round once more when it is begun again on the way, and tells the last who asked', () => {
    const h = scene();
    const ops = parkMany(h, 1_000);
    h.sweep.begin(() => h.ended.push(-1));
    h.clock.advance(500);
    const before = ops.map(({ tries }) => tries);
    h.sweep.begin((tried) => h.ended.push(tried));
    expect(h.ended).to.deep.equal([]);
    h.clock.advance(1_100);
    expect(ops.map(({ tries }, i) => tries - before[i])).to.deep.equal(ops.map(() => 1));
    expect(h.ended).to.deep.equal([ops.reduce((sum, { tries }) => sum + tries, 0)]);
  });

  it('is over at once where nothing is parked', () => {
    const h = scene();
    h.sweep.begin((tried) => h.ended.push(tried));
    expect(h.ended).to.deep.equal([]);
    h.clock.advance(1);
    expect(h.ended).to.deep.equal([0]);
  });

  it('tries nothing any more once it is stopped, by a try too', () => {
    const h = scene();
    const ops: Op[] = Array.from({ length: 100 }, (_, i) => h.park(`${i}`, () => h.sweep.stop()));
    h.sweep.begin((tried) => h.ended.push(tried));
    h.clock.advance(5_000);
    expect(ops.reduce((sum, { tries }) => sum + tries, 0)).to.equal(1);
    expect(h.ended).to.deep.equal([]);
    expect(h.clock.now()).to.equal(5_000);
  });
});
