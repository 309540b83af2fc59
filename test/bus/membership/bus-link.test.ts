import { expect } from 'chai';
import { LocalHub } from '../../../src/bus/index.ts';
import { BusLink } from '../../../src/bus/membership/bus-link.ts';

describe('the link of a member to its bus', () => {
  it('joins with what the member does, and frees the name when it leaves, also twice', async () => {
    const bus = new LocalHub().bus();
    const member = { name: 'linked', hinted: () => false };
    const lists = { interest: undefined };
    const join = (): BusLink | undefined => BusLink.join({ bus }, member, lists, () => undefined);
    const link = join();
    expect(link?.bus).to.equal(bus);
    expect(bus.snapshot().members).to.deep.equal(['linked']);
    expect(() => join()).to.throw('linked');
    link?.leave();
    link?.leave();
    expect(bus.snapshot().members).to.deep.equal([]);
    await bus.close();
  });
});
