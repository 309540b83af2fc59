import { expect } from 'chai';
import { LocalHub } from '../src/bus/index.ts';
import { Purgatory } from '../src/index.ts';
import { LiveSources } from '../src/live-sources.ts';
import { SharedWaits } from '../src/shared/index.ts';
import { ThresholdPurgatory } from '../src/threshold/index.ts';

describe('the sources that an observer reads', () => {
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
