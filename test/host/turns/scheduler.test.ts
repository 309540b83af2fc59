import { expect } from 'chai';
import { Purgatory } from '../../../src/index.ts';
import { herdOn, type Op } from '../../support/op.ts';
import { closeConnections, connected } from '../../support/sockets.ts';
import { until } from '../../support/turns.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';

function spin(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

describe('behaviour 25: the turns of a clock', () => {
  afterEach(closeConnections);

  it('let the host read its sockets between two slices', async () => {
    const { client, socket } = await connected();
    const purgatory = new Purgatory<string, Op>('burst');
    let tried = 0;
    let roundTrips = 0;
    socket.on('data', (data) => socket.write(data));
    client.on('data', (data) => {
      if (tried < 300) roundTrips++;
      client.write(data);
    });
    herdOn(purgatory, 'key', 300, () => {
      spin(1);
      tried++;
    });
    client.write('ping');
    purgatory.notify('key');
    await until(() => tried === 300);
    // 60 slices of 5 ms. A round trip takes two turns; a loaded machine may lose some.
    expect(roundTrips).to.be.at.least(10);
    purgatory.close();
  });

  it('let an error of a slice be thrown before the next slice', async () => {
    const purgatory = new Purgatory<string, Op>('throwing');
    let tried = 0;
    const ops = herdOn(purgatory, 'key', 40, () => {
      tried++;
      spin(2);
      if (tried === 3) throw new Error('boom');
    });
    let triedAtError = 0;
    await uncaughtDuring(1, () => {
      process.once('uncaughtException', () => {
        triedAtError = tried;
      });
      purgatory.notify('key');
    });
    expect(triedAtError).to.be.within(3, 16 + 16);
    await purgatory.served();
    expect(tried).to.equal(ops.length);
    purgatory.close();
  });
});
