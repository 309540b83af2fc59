import { getEventListeners, once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { ManualClock, SystemTimer } from 'purgatory';
import { RpcClient } from '../../examples/rpc-deadlines/client.ts';
import { RpcServer } from '../../examples/rpc-deadlines/server.ts';
import { runExample } from '../support/example-server.ts';
import { until } from '../support/turns.ts';

const HOUR = { timeoutMs: 3_600_000 };

/** How the promise was rejected. */
function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error('was not rejected'),
    (error: unknown) => error,
  );
}

describe('examples/rpc-deadlines', () => {
  let server: RpcServer;
  let port: number;
  let client: RpcClient;
  let clock: ManualClock;
  let timer: SystemTimer;
  /** The signals of the handlers that hang, and what they stopped for. */
  let hanging: AbortSignal[];

  beforeEach(async () => {
    hanging = [];
    server = new RpcServer({
      double: async (n) => Number(n) * 2,
      fail: async () => {
        throw new Error('no such luck');
      },
      hang: (_, signal) => {
        hanging.push(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    clock = new ManualClock();
    timer = new SystemTimer({ clock });
    port = await server.listen(0);
    client = new RpcClient(connect(port, '127.0.0.1'), timer);
  });

  afterEach(async () => {
    client.close();
    await server.close();
  });

  it('stops the deadline of a call with its reply', async () => {
    const calls = [1, 2, 3].map((n) => client.call('double', n, HOUR));
    expect([client.pending, timer.size]).to.deep.equal([3, 3]);
    expect(await Promise.all(calls)).to.deep.equal([2, 4, 6]);
    expect([client.pending, timer.size, server.timer.size]).to.deep.equal([0, 0, 0]);
  });

  it('rejects at the deadline and tells the server, which stops', async () => {
    const call = refusal(client.call('hang', null, { timeoutMs: 100_000 }));
    await until(() => hanging.length === 1);
    clock.advance(99_999);
    expect(client.pending).to.equal(1);
    clock.advance(1);
    expect(await call).to.include({
      code: 'ERR_PURGATORY_TIMEOUT',
      message: 'No reply of "rpc" to 1 ("hang") within 100 s',
    });
    await until(() => hanging[0].aborted);
    expect(hanging[0].reason.message).to.equal('the caller gave up');
    await until(() => server.timer.size === 0);
    expect(await client.call('double', 4, HOUR)).to.equal(8);
  });

  it('stops on the server by the budget of the call even where the caller says nothing', async () => {
    const call = refusal(client.call('hang', null, { timeoutMs: 20 }));
    await until(() => hanging[0]?.aborted);
    expect(hanging[0].reason).to.have.property('name', 'TimeoutError');
    expect(client.pending).to.equal(1);
    clock.advance(20);
    expect(await call).to.have.property('code', 'ERR_PURGATORY_TIMEOUT');
  });

  it('gives a call up on abort and leaves no listener behind', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    expect(await client.call('double', 1, { ...HOUR, signal })).to.equal(2);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
    const call = refusal(client.call('hang', null, { ...HOUR, signal }));
    await until(() => hanging.length === 1);
    controller.abort(new Error('enough'));
    expect(await call).to.equal(signal.reason);
    await until(() => hanging[0].aborted);
    expect([client.pending, timer.size]).to.deep.equal([0, 0]);
  });

  it('passes errors of the server on, unknown methods and bad deadlines included', async () => {
    expect(await refusal(client.call('fail', null, HOUR))).to.have.property('message', 'no such luck');
    expect(await refusal(client.call('none', null, HOUR))).to.have.property(
      'message',
      'there is no method none',
    );
    const bad = client.call('double', 1, { timeoutMs: Number.NaN });
    expect(await refusal(bad)).to.have.property('code', 'ERR_OUT_OF_RANGE');
    expect([client.pending, timer.size]).to.deep.equal([0, 0]);
  });

  it('fails every pending call, and every later one, when the connection is lost', async () => {
    const calls = [client.call('hang', null, HOUR), client.call('hang', null, HOUR)].map(refusal);
    await until(() => hanging.length === 2);
    await server.close();
    for (const call of calls) expect(await call).to.have.property('message', 'the connection was lost');
    expect([client.pending, timer.size]).to.deep.equal([0, 0]);
    await until(() => hanging.every(({ aborted }) => aborted));
    expect(await refusal(client.call('double', 1, HOUR))).to.have.property(
      'message',
      'the connection was lost',
    );
  });

  it('drops a peer that does not speak the protocol and goes on serving the others', async () => {
    const stranger = connect(port, '127.0.0.1');
    stranger.on('error', () => {});
    stranger.write('GET / HTTP/1.1\r\n\r\n');
    await once(stranger, 'close');
    expect(await client.call('double', 21, HOUR)).to.equal(42);
  });

  it('runs as its README says', async () => {
    const lines = await runExample('rpc-deadlines', '1000');
    const [answered, expired] = /: (\d+) answered, (\d+) expired$/.exec(lines[0])?.slice(1).map(Number) ?? [];
    expect(answered + expired).to.equal(1000);
    expect(expired).to.be.at.least(20);
    expect(lines[1]).to.match(/^most deadlines pending at once: \d+, left: 0$/);
    expect(lines[2]).to.match(/^handlers told to stop: \d+$/);
  });
});
