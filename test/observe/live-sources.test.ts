import { expect } from 'chai';
import { LocalHub } from '../../src/bus/index.ts';
import { Purgatory } from '../../src/index.ts';
import { LiveSources } from '../../src/observe/live-sources.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';

describe('the sources that an observer reads', () => {
  it('are looked at once for the events of each that is not among them', () => {
    const [ours, late, ...others] = ['ours', 'late', 'a', 'b'].map((name) => new Purgatory(name));
    const shown = [ours];
    let looks = 0;
    const purgatories = (): Purgatory[] => {
      looks++;
      return shown;
    };
    const sources = new LiveSources({ purgatories, timers: [], buses: [] });
    for (let i = 0; i < 3; i++) {
      expect([ours, late, ...others].map((each) => sources.nameOf(each))).to.deep.equal([
        'ours',
        undefined,
        undefined,
        undefined,
      ]);
    }
    expect(looks).to.equal(4);
    shown.push(late);
    sources.look();
    expect(sources.nameOf(late)).to.equal('late');
    expect(looks).to.equal(5);
  });

  it('have the buses of their purgatories, and none that a namesake has joined', async () => {
    const hub = new LocalHub();
    const [own, namesakes, feeds, loads] = [hub.bus(), hub.bus(), hub.bus(), hub.bus()];
    const orders = new Purgatory('orders', { bus: own });
    const namesake = new Purgatory('orders', { bus: namesakes });
    const feed = new ThresholdPurgatory('feed', { bus: feeds });
    const waits = new SharedWaits('state', { load: async () => new Map(), bus: loads });
    const alone = new Purgatory('alone');
    const purgatories = [orders, feed, waits, alone];
    const sources = new LiveSources({ purgatories, timers: [], buses: [] });
    expect(sources.look().buses).to.deep.equal([
      ['orders', own],
      ['feed', feeds],
      ['state', loads],
    ]);
    expect(sources.nameOf(namesakes)).to.equal(undefined);
    waits.close();
    await feeds.close();
    expect(sources.look().buses).to.deep.equal([['orders', own]]);
    for (const each of [orders, namesake, feed, alone]) each.close();
    await Promise.all([own, namesakes, loads].map((bus) => bus.close()));
  });
});
