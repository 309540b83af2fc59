import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { ManualClock, SystemTimer } from 'purgatory';
import { HeartbeatServer, PING } from '../../examples/idle-connections/server.ts';
import { isFull } from '../support/full.ts';
import { runExample } from '../support/run-example.ts';
import { until } from '../support/turns.ts';

describe('examples/idle-connections', () => {
  let clock: ManualClock;
  let timer: SystemTimer;
  let server: HeartbeatServer;
  let port: number;

  beforeEach(async () => {
    clock = new ManualClock();
    timer = new SystemTimer({ clock });
    server = new HeartbeatServer({ idleMs: 1000, graceMs: 300, timer });
    port = await server.listen(0);
  });

  afterEach(() => server.close());

  async function client(): Promise<Socket> {
    const open = server.connections;
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8');
    await until(() => server.connections === open + 1);
    return socket;
  }

  /** Sends a sign of life and waits until the server has it. */
  async function beat(socket: Socket): Promise<void> {
    const { heartbeats } = server.counts;
    socket.write('.');
    await until(() => server.counts.heartbeats > heartbeats);
  }

  it('keeps a connection that shows signs of life, without a ping', async () => {
    const socket = await client();
    for (let i = 0; i < 5; i++) {
      clock.advance(900);
      await beat(socket);
    }
    expect([server.connections, server.counts.pings, server.counts.reaped]).to.deep.equal([1, 0, 0]);
    socket.destroy();
  });

  it('pings an idle connection, and closes it if no answer comes', async () => {
    const socket = await client();
    clock.advance(999);
    expect(server.counts.pings).to.equal(0);
    clock.advance(1);
    expect(server.counts.pings).to.equal(1);
    expect((await once(socket, 'data'))[0]).to.equal(PING);
    clock.advance(299);
    expect(server.connections).to.equal(1);
    clock.advance(1);
    await once(socket, 'close');
    expect([server.connections, server.counts.reaped, timer.size]).to.deep.equal([0, 1, 0]);
  });

  it('keeps a connection that answers its ping, for the whole timeout again', async () => {
    const socket = await client();
    clock.advance(1000);
    await once(socket, 'data');
    await beat(socket);
    clock.advance(999);
    expect([server.connections, server.counts.pings]).to.deep.equal([1, 1]);
    clock.advance(1);
    expect(server.counts.pings).to.equal(2);
    socket.destroy();
  });

  it('keeps nothing of a connection that its client closes', async () => {
    const socket = await client();
    socket.destroy();
    await until(() => server.connections === 0);
    expect(timer.size).to.equal(0);
  });

  // Without an argument there are 10,000.
  const count = isFull ? 10_000 : 2_000;
  const args = isFull ? [] : [`${count}`];
  it(`keeps half of ${count} real connections and reaps the half that falls silent`, async () => {
    const lines = await runExample('idle-connections', ...args);
    expect(lines).to.have.length(3);
    expect(lines[0]).to.equal(`${count} connections are open, each with a heartbeat every 500 ms`);
    expect(lines[1]).to.equal(`${count / 2} fall silent`);
    const kept = `${count / 2} were reaped, ${count / 2} are kept`;
    expect(lines[2]).to.match(new RegExp(`^${kept}; \\d+ heartbeats, \\d+ pings$`));
  }).timeout(40_000);
});
