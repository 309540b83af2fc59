import { expect } from 'chai';
import { LocalHub } from '../../src/bus/index.ts';
import { BusLink, busesOf } from '../../src/membership/bus-link.ts';

describe('the buses that members of a name have joined', () => {
  it('are found until the member leaves, and each bus of several', async () => {
    const hub = new LocalHub();
    const [one, other] = [hub.bus(), hub.bus()];
    const [first, second] = [one, other].map((bus) => new BusLink('linked', bus, () => false, undefined));
    expect(busesOf('linked')).to.deep.equal([one, other]);
    expect(busesOf('another')).to.deep.equal([]);
    first.leave();
    first.leave();
    expect(busesOf('linked')).to.deep.equal([other]);
    second.leave();
    expect(busesOf('linked')).to.deep.equal([]);
    await Promise.all([one.close(), other.close()]);
  });

  it('leave out one that refused the member', async () => {
    const bus = new LocalHub().bus();
    const link = new BusLink('twice', bus, () => false, undefined);
    expect(() => new BusLink('twice', bus, () => false, undefined)).to.throw();
    expect(busesOf('twice')).to.deep.equal([bus]);
    link.leave();
    await bus.close();
  });
});
