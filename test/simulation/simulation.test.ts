import { expect } from 'chai';
import { Receiver } from '../../src/bus/receiver.ts';
import { play, shorten } from './play.ts';

const SEEDS = 100;
const BLOCK = 20;
/** Its buses lose what others publish before they have heard of them: a second sweep makes it good. */
const BLIND = 1241;
/** An item comes back while the timer is full, and then its caller goes. */
const FULL = 2500618752;

describe('A simulated world', () => {
  for (let from = 1; from <= SEEDS; from += BLOCK) {
    it(`keeps all promises with the seeds ${from} to ${from + BLOCK - 1}`, async () => {
      for (let seed = from; seed < from + BLOCK; seed++) {
        const { violation, world } = await play(seed);
        expect(violation, `npm run simulate -- --from ${seed}`).to.equal(undefined);
        expect(world.waits.made).to.be.above(0);
      }
    });
  }

  it(`keeps all promises with blindness alone: seed ${BLIND}`, async () => {
    expect((await play(BLIND)).violation, `npm run simulate -- --from ${BLIND}`).to.equal(undefined);
  });

  it(`keeps all promises where an item comes back to a full timer: seed ${FULL}`, async () => {
    expect((await play(FULL)).violation, `npm run simulate -- --from ${FULL}`).to.equal(undefined);
  });

  it('is the same for the same seed', async () => {
    const runs = [await play(20), await play(20), await play(21)];
    const [a, b, other] = runs.map(({ world: { time } }) => [time.hash, time.steps]);
    expect(b).to.deep.equal(a);
    expect(other).to.not.deep.equal(a);
  });

  it('finds a bus that forgets what was parked in its gap, and the shortest history that shows it', async () => {
    const { becameLive } = Receiver.prototype;
    Receiver.prototype.becameLive = () => {};
    try {
      let seed = 1;
      let played = await play(seed);
      while (played.violation === undefined) played = await play(++seed);
      const shortest = await shorten(played, Number.POSITIVE_INFINITY);
      const { violation } = await play(seed, shortest);
      expect(violation?.what).to.equal(played.violation.what);
      expect(shortest.acts.length, 'acts').to.be.within(1, played.plan.acts.length / 4);
      expect(shortest.faults.length, 'faults').to.be.within(1, played.plan.faults.length);
    } finally {
      Receiver.prototype.becameLive = becameLive;
    }
  });
});
