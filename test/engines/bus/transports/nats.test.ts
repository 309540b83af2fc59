import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect } from 'chai';
import type { Bus } from '../../../../src/bus/bus-options.ts';
import { natsBus, natsTransport } from '../../../../src/bus/transports/nats.ts';
import { ManualClock, Purgatory } from '../../../../src/index.ts';
import { livePair, refused, untilHeard, untilLive } from '../../../bus/live.ts';
import { codeOf } from '../../../support/code-of.ts';
import { type Engine, engines, SECOND_TRY, startNats, TcpProxy } from '../../../support/engines.ts';
import { describeWith } from '../../../support/needs.ts';
import { until } from '../../../support/turns.ts';
import { survivesKill } from './survives-kill.ts';

describeWith(engines.nats, 'a bus over NATS', () => {
  let nats: Engine;
  const config = join(tmpdir(), `purgatory-nats-${process.pid}.conf`);
  let proxy: TcpProxy | undefined;
  const buses: Bus[] = [];
  const connections: NatsConnection[] = [];
  const connection = async (options = {}): Promise<NatsConnection> => {
    const made = await connect({
      servers: `127.0.0.1:${nats.port}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 20,
      user: 'all',
      pass: 'x',
      ...options,
    });
    connections.push(made);
    return made;
  };
  const track = (bus: Bus): Bus => {
    buses.push(bus);
    return bus;
  };

  before(async () => {
    writeFileSync(
      config,
      `authorization { users = [
        {user: all, password: x}
        {user: mute, password: x, permissions: {publish: "other", subscribe: ">"}}
        {user: deaf, password: x, permissions: {publish: ">", subscribe: "other"}}
        {user: narrow, password: x, permissions: {publish: "purgatory", subscribe: "purgatory"}}
        {user: wide, password: x, permissions: {
          publish: ["purgatory", "purgatory.*"], subscribe: ["purgatory", "purgatory.*"]
        }}
      ] }`,
    );
    nats = await startNats(['-c', config]);
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    await Promise.all(connections.splice(0).map((one) => one.close()));
    await proxy?.stop();
    proxy = undefined;
  });
  after(async () => {
    await nats.stop();
    rmSync(config);
  });

  it('refuses what is no connection, and a prefix that is no subject', async () => {
    for (const no of [undefined, null, {}, 'nats://localhost']) {
      expect(codeOf(() => natsBus(no as never))).to.equal('ERR_INVALID_ARG_TYPE');
    }
    const one = await connection();
    for (const prefix of ['.a', 'a.', 'a..b']) {
      expect(
        codeOf(() => natsBus(one, { prefix })),
        prefix,
      ).to.equal('ERR_INVALID_ARG_VALUE');
    }
  });

  it('refuses a connection with noEcho: it would never hear its echo', async () => {
    const one = await connection({ noEcho: true });
    expect(() => natsBus(one)).to.throw(TypeError, 'must be made without noEcho');
  });

  for (const bytes of [7_500, 8_192]) {
    it(`sends frames that a server with a max_payload of ${bytes} takes`, async () => {
      const file = `${config}.${bytes}`;
      writeFileSync(file, `max_payload: ${bytes}`);
      const small = await startNats(['-c', file]);
      try {
        const open = async (): Promise<NatsConnection> => connection({ servers: `127.0.0.1:${small.port}` });
        const [a, b] = [track(natsBus(await open())), track(natsBus(await open()))];
        const { others: listener, publish } = await livePair(a, b);
        const keys = Array.from({ length: 2_000 }, (_, key) => `${key} ${'k'.repeat(20)}`);
        for (const key of keys) publish(key);
        await until(() => listener.heard.length === keys.length);
        expect(listener.heard).to.deep.equal(keys);
        expect(a.snapshot().totals.gaps.publish).to.equal(0);
      } finally {
        await small.stop();
        rmSync(file);
      }
    });
  }

  it('refuses a server whose max_payload is below what a frame needs', async () => {
    const file = `${config}.small`;
    writeFileSync(file, 'max_payload: 7499');
    const small = await startNats(['-c', file]);
    try {
      const one = await connection({ servers: `127.0.0.1:${small.port}` });
      expect(() => natsBus(one)).to.throw(TypeError, 'max_payload of at least 7500, and its is 7499');
    } finally {
      await small.stop();
      rmSync(file);
    }
  });

  it('survives kill -9 of the server', async () => {
    const options = { echoMs: 200, echoTimeoutMs: 500 };
    const bus = async (): Promise<Bus> => track(natsBus(await connection(), options));
    await survivesKill(nats, await bus(), await bus());
  }).retries(SECOND_TRY);

  for (const user of ['mute', 'deaf']) {
    it(`is refused, once and for all, without the permission for its subject (${user})`, async () => {
      const one = await connection({ user });
      const errors = await refused((onError) => track(natsBus(one, { onError })));
      expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_PURGATORY_BUS_REFUSED']);
    });
  }

  it('is refused without the permission for its channels, and works with the line of the docs', async () => {
    const errors: Error[] = [];
    const open = async (user: string): Promise<Bus> =>
      track(
        natsBus(await connection({ user }), {
          routing: 'interest',
          onError: (error) => errors.push(error as Error),
        }),
      );
    const [narrow, wide] = [await open('narrow'), await open('wide')];
    const purgatories = [narrow, wide].map((bus) => new Purgatory<string>('acl', { bus }));
    for (const purgatory of purgatories) {
      void purgatory.waitFor(['k'], () => undefined, { timeoutMs: 60_000 }).catch(() => {});
    }
    const isRouting = (): boolean => wide.state === 'live' && wide.snapshot().subscriptions === 1;
    await until(() => narrow.state === 'closed' && isRouting());
    expect(errors.map(({ message }) => message).join()).to.match(/does not permit what the bus needs/);
    for (const purgatory of purgatories) purgatory.close();
  });

  it('ends the subscriptions of thousands of channels over several turns', async () => {
    const one = await connection();
    const transport = natsTransport(one, 'many');
    await new Promise<void>((resolve) => {
      transport.connect({ up: resolve, received: () => {}, down: () => {}, retry: () => {} });
    });
    const channels = Array.from({ length: 2_048 }, (_, channel) => `${channel}`);
    for (let next = 0; next < channels.length; next += 512) {
      await transport.subscribe?.(channels.slice(next, next + 512));
    }
    const hears = async (channel: string): Promise<boolean> => {
      const asked = one.request(`many.~${channel}`, '', { timeout: 300 });
      const reason = await asked.then(String, (error: Error) => error.message);
      return !reason.includes('no responders');
    };
    expect(await hears('2047')).to.equal(true);
    let turns = 0;
    const count = (): void => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await transport.disconnect();
    clearImmediate(next);
    expect(turns).to.be.within(3, 5);
    expect([await hears('0'), await hears('2047')]).to.deep.equal([false, false]);
  });

  for (const [how, options, steps] of [
    ['by itself, after an attempt that nobody answered', {}, [5_000, 5_000, 63, 15_000, 125, 250]],
    ['by the options of its client', { pingInterval: 100, maxPingOut: 1 }, []],
  ] as const) {
    it(`is live again though its connection was half open: ${how}`, async () => {
      proxy = await new TcpProxy(nats.port).start();
      const clock = new ManualClock();
      const one = await connection({ ...options, servers: `127.0.0.1:${proxy.port}` });
      const errors: string[] = [];
      const onError = (error: unknown): void => void errors.push(String(error));
      const [bus, other] = [track(natsBus(one, { clock, onError })), track(natsBus(await connection()))];
      const { mine, others, publish, publishThere } = await livePair(bus, other);
      proxy.forget(); // as NAT does: nothing is closed
      for (const ms of steps) clock.advance(ms);
      await until(() => expect(bus.state).to.equal('gap'), 'the bus is in a gap');
      publish('kept');
      expect(/pingInterval: 2000, maxPingOut: 2/.test(errors.join())).to.equal(steps.length > 0);
      await until(async () => {
        clock.advance(10); // it tries again and again
        return bus.state === 'live';
      });
      await untilHeard(others, 'kept');
      publishThere('back');
      await untilHeard(mine, 'back');
    });
  }

  it('ends with a connection that the user closes, and leaves alone one that the user keeps', async () => {
    const [kept, closed] = [await connection(), await connection()];
    const errors: { code?: string }[] = [];
    const a = track(natsBus(closed, { onError: (error) => errors.push(error as { code?: string }) }));
    const b = track(natsBus(kept));
    await untilLive(a, b);
    await closed.close();
    await until(() => expect(a.state).to.equal('closed'), 'the bus is closed');
    expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_PURGATORY_BUS_REFUSED']);
    await b.close();
    await kept.flush();
  });
});
