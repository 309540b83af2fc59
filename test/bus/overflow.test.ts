import { expect } from 'chai';
import { createBus } from '../../src/bus/index.ts';
import { listen } from '../../src/observe/events/index.ts';
import { codeOf } from '../support/code-of.ts';
import { HeldSender } from './held-sender.ts';
import { Listener, Rig } from './rig.ts';

describe('more hints than a bus keeps', () => {
  it('become one sweep in the process that hears them, and an event in both', () => {
    const heard: unknown[] = [];
    const stops = [
      listen('purgatory:bus:overflow', ({ direction }) => heard.push(direction)),
      listen('purgatory:bus:swept', ({ member, tried }) => heard.push([member, tried])),
    ];
    try {
      const rig = new Rig();
      const [a, b] = [rig.process(), rig.process({ maxPendingKeys: 10 })];
      b.listener.endSweep(0);
      heard.length = 0;
      const sweeps = b.listener.sweeps;
      for (let key = 0; key < 11; key++) a.publish(`${key}`);
      rig.clock.advance(100);
      expect(b.listener.sweeps).to.equal(sweeps + 1);
      b.listener.endSweep(7);
      expect(heard).to.deep.equal(['in', ['orders', 7]]);
    } finally {
      for (const stop of stops) stop();
    }
  });

  it('are put back as "try everything", which hints that are pending become part of', () => {
    const [orders, jobs, parcels] = ['orders', 'jobs', 'parcels'].map((name) => new Listener(name));
    const sender = new HeldSender();
    sender.publish(jobs, '1');
    for (let key = 0; key < 10; key++) sender.publish(orders, `${key}`);
    expect(sender.overflowed).to.equal(11);
    expect(sender.send().all).to.deep.equal(['jobs', 'orders']);
    sender.publish(orders, '1');
    sender.publish(parcels, '1');
    sender.lose();
    expect(sender.pendingKeys, 'the hint for another name stays').to.equal(3);
    expect(sender.overflowed).to.equal(11);
    sender.publish(orders, '2');
    expect(sender.overflowed).to.equal(12);
    const { all, hints } = sender.send();
    expect([all, hints.map(({ name }) => name)]).to.deep.equal([['jobs', 'orders'], ['parcels']]);
  });
});

describe('createBus', () => {
  it('refuses what is no transport', () => {
    for (const transport of [undefined, {}, { connect() {}, publish() {} }]) {
      expect(codeOf(() => createBus(transport as never))).to.equal('ERR_INVALID_ARG_TYPE');
    }
  });
});
