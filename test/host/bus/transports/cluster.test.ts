import { expect } from 'chai';
import { transportConformance } from '../../../../src/bus/transports/conformance.ts';
import { workersTransport } from '../../../../src/bus/transports/workers.ts';
import { runSource } from '../../../support/child.ts';

const runCluster = (mode: string): ReturnType<typeof runSource> =>
  runSource(['test/host/bus/children/cluster.ts', mode]);

describe('a bus over node:cluster', () => {
  it('relays between workers as every transport must', async () => {
    const { code, stdout, stderr } = await runCluster('relay');
    const titles = transportConformance(() => workersTransport('titles')).map(({ title }) => title);
    expect(stdout.trim().split('\n')).to.deep.equal([
      'clusterBus in the primary: ERR_PURGATORY_NO_RELAY',
      'a second relay: ERR_PURGATORY_ALREADY_JOINED',
      'relayBus in a worker: ERR_PURGATORY_NO_RELAY',
      ...titles.map((title) => `ok ${title}`),
    ]);
    expect([stderr, code]).to.deep.equal(['', 0]);
  });

  it('reports that the primary does not relay, and is live as soon as it does', async () => {
    const { code, stdout, stderr } = await runCluster('silent');
    expect(stdout.trim().split('\n')).to.deep.equal([
      'clusterBus in the primary: ERR_PURGATORY_NO_RELAY',
      'ERR_PURGATORY_NO_RELAY while connecting',
      'no relay',
      'live',
    ]);
    expect([stderr, code]).to.deep.equal(['', 0]);
  });

  it('closes within echoTimeoutMs while the primary reads nothing, and warns of what it could not send', async () => {
    const { code, stdout, stderr } = await runCluster('stopped');
    expect(stdout.trim().split('\n').at(-1)).to.equal('closed');
    expect(stderr).to.match(/ERR_PURGATORY_HINTS_LOST.*"orders".*within 1000 ms/);
    expect(code).to.equal(0);
  });

  it('is in the primary, too, has one listener a worker, and survives messages that are none of its', async () => {
    const { code, stdout, stderr } = await runCluster('both');
    const lines = stdout.trim().split('\n');
    expect(lines.slice(2)).to.deep.equal([
      'listeners: 2',
      'go',
      'the worker heard from the primary',
      'listeners: 0',
      'that is all',
      'live from the worker',
    ]);
    expect([stderr, code]).to.deep.equal(['', 0]);
  });

  it('ends in a worker that disconnects, and says why', async () => {
    const { code, stdout, stderr } = await runCluster('leaving');
    expect(stdout).to.contain('closed: The worker has disconnected from its primary');
    expect(stderr).to.contain('ERR_PURGATORY_BUS_REFUSED');
    expect(code).to.equal(0);
  });
});
