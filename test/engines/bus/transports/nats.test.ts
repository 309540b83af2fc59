import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect } from 'chai';
import type { Bus } from '../../../../src/bus/bus-options.ts';
import { natsBus, natsTransport } from '../../../../src/bus/transports/nats.ts';
import { ManualClock, Purgatory } from '../../../../src/index.ts';
import { closedAfterEach, listening, livePair, refused, untilHeard, untilLive } from '../../../bus/live.ts';
import { codeOf } from '../../../support/code-of.ts';
import {
  type Engine,
  engines,
  SECOND_TRY,
  startNats,
  startRoutedNats,
  TcpProxy,
} from '../../../support/engines.ts';
import { describeWith } from '../../../support/needs.ts';
import { until } from '../../../support/turns.ts';
import { survivesKill } from './survives-kill.ts';

describeWith(engines.nats, 'a bus over NATS', () => {
  let nats: Engine;
  let files = 0;
  const { track, later } = closedAfterEach();
  const folder = mkdtempSync(join(tmpdir(), 'purgatory-nats-'));
  /** A server with these lines of configuration. */
  const startWith = async (lines: string): Promise<Engine & { readonly config: string }> => {
    const config = join(folder, `${files++}`);
    writeFileSync(config, lines);
    return Object.assign(await startNats(['-c', config]), { config });
  };
  /** The same for one test. */
  const startOnce = async (lines: string) => {
    const server = await startWith(lines);
    later(() => server.stop());
    return {
      open: () => connection({ servers: `127.0.0.1:${server.port}` }),
      reload(changed: string) {
        writeFileSync(server.config, changed);
        process.kill(server.pid, 'SIGHUP');
      },
    };
  };
  const startProxy = async (): Promise<TcpProxy> => {
    const proxy = await new TcpProxy(nats.port).start();
    later(() => proxy.stop());
    return proxy;
  };
  const connection = async (options = {}): Promise<NatsConnection> => {
    const made = await connect({
      servers: `127.0.0.1:${nats.port}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 20,
      user: 'all',
      pass: 'x',
      ...options,
    });
    later(() => made.close());
    return made;
  };

  before(async () => {
    nats = await startWith(
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
  });
  after(async () => {
    await nats.stop();
    rmSync(folder, { recursive: true });
  });

  it('refuses a prefix that is no subject', async () => {
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

  it('sends frames that a server with a max_payload of 7,500 takes, and refuses one with less', async () => {
    const { open } = await startOnce('max_payload: 7500');
    const [a, b] = [track(natsBus(await open())), track(natsBus(await open()))];
    const { others: listener, publish } = await livePair(a, b);
    const keys = Array.from({ length: 2_000 }, (_, key) => `${key} ${'k'.repeat(20)}`);
    for (const key of keys) publish(key);
    await until(() => listener.heard.length === keys.length);
    expect(listener.heard).to.deep.equal(keys);
    expect(a.snapshot().totals.gaps.publish).to.equal(0);
    const small = await (await startOnce('max_payload: 7499')).open();
    expect(() => natsBus(small)).to.throw(TypeError, 'max_payload of at least 7500, and its is 7499');
  });

  it('survives kill -9 of the server', async () => {
    const options = { echoMs: 200, echoTimeoutMs: 500 };
    const bus = async (): Promise<Bus> => track(natsBus(await connection(), options));
    await survivesKill(nats, await bus(), await bus());
  }).retries(SECOND_TRY);

  for (const user of ['mute', 'deaf']) {
    it(`says why it is not live without the permission for its subject (${user})`, async () => {
      const { errors, onError } = listening();
      const bus = track(natsBus(await connection({ user }), { onError }));
      await until(() => errors.length > 0);
      expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_PURGATORY_BUS_UNFIT']);
      expect(bus.state).to.equal('connecting');
    });
  }

  it('is in a gap while its permissions are narrowed, says why, and is live once they are back', async () => {
    const permit = (subject: string): string =>
      `authorization { users = [{user: all, password: x, permissions: {
        publish: "${subject}", subscribe: "${subject}"
      }}] }`;
    const { open, reload } = await startOnce(permit('purgatory'));
    const { errors, onError } = listening();
    const bus = track(natsBus(await open(), { echoMs: 50, onError }));
    await untilLive(bus);
    reload(permit('other'));
    await until(() => expect(bus.state).to.equal('gap'), 'it is in a gap');
    await until(() => errors.some(({ code }) => code === 'ERR_PURGATORY_BUS_UNFIT'));
    reload(permit('purgatory'));
    await untilLive(bus);
  });

  it('leaves alone what the app may not do on its connection: that is not about the bus', async () => {
    const one = await connection({ user: 'narrow' });
    const { errors, onError } = listening();
    const bus = track(natsBus(one, { echoMs: 20, onError }));
    const { mine, publishThere } = await livePair(bus, track(natsBus(await connection())));
    const heard: string[] = [];
    void (async () => {
      for await (const { type, error } of one.status() as AsyncIterable<{ type: string; error?: Error }>) {
        if (type === 'error') heard.push(`${error?.message}`);
      }
    })();
    one.publish('billing.invoice', 'x');
    one.subscribe('billing.>', { callback: () => {} });
    await until(() => heard.length === 2);
    publishThere('on');
    await untilHeard(mine, 'on');
    expect([bus.state, errors]).to.deep.equal(['live', []]);
  });

  it('passes on what the server says in place of its acknowledgement', async () => {
    const { open } = await startOnce('max_subscriptions: 1');
    const one = await open();
    one.subscribe('of.the.app', { callback: () => {} });
    await one.flush();
    const { errors, onError } = listening();
    track(natsBus(one, { echoTimeoutMs: 100, onError }));
    await until(() => errors.length > 0);
    expect(errors[0].message).to.match(/maximum subscriptions exceeded/i);
  });

  it('is not live while the server refuses it a channel, and says why', async () => {
    const { open } = await startOnce('max_subscriptions: 3');
    const { errors, onError } = listening();
    const bus = track(natsBus(await open(), { routing: 'interest', onError }));
    const purgatory = new Purgatory<string>('limited', { bus });
    await untilLive(bus);
    const waits = new AbortController();
    const { signal } = waits;
    for (const key of ['a', 'b', 'c']) {
      void purgatory.waitFor([key], () => undefined, { timeoutMs: 60_000, signal }).catch(() => {});
    }
    await until(() => expect(bus.state).to.equal('gap'), 'it is in a gap');
    expect(errors[0].message).to.match(/maximum subscriptions exceeded/i);
    waits.abort();
    await untilLive(bus);
    purgatory.close();
  });

  it('says that it lacks the permission for its channels, and works with the line of the docs', async () => {
    const { errors, onError } = listening();
    const open = async (user: string): Promise<Bus> =>
      track(natsBus(await connection({ user }), { routing: 'interest', onError }));
    const [narrow, wide] = [await open('narrow'), await open('wide')];
    const purgatories = [narrow, wide].map((bus) => new Purgatory<string>('acl', { bus }));
    for (const purgatory of purgatories) {
      void purgatory.waitFor(['k'], () => undefined, { timeoutMs: 60_000 }).catch(() => {});
    }
    const isRouting = (): boolean => wide.state === 'live' && wide.snapshot().subscriptions === 1;
    await until(() => errors.length > 0 && isRouting());
    expect(narrow.state).not.to.equal('live');
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
    expect(turns).to.be.at.least(3);
    // A busy machine may be slow with an answer, too.
    for (const channel of ['0', '2047']) await until(async () => !(await hears(channel)));
  });

  it('never breaks a connection of the user: it is in a gap, says what mends that, and loses nothing of the app', async () => {
    const proxy = await startProxy();
    const clock = new ManualClock();
    const one = await connection({ servers: `127.0.0.1:${proxy.port}` });
    const { errors, onError } = listening();
    const reader = await connection();
    const [bus, other] = [track(natsBus(one, { clock, onError })), track(natsBus(reader))];
    const { mine, others, publish, publishThere } = await livePair(bus, other);
    const invoices: string[] = [];
    reader.subscribe('invoices', {
      callback: (_, message) => void invoices.push(message.string().slice(0, 4)),
    });
    await reader.flush();
    proxy.hold();
    const sent = Array.from({ length: 100 }, (_, invoice) => `${invoice}`.padEnd(4));
    for (const invoice of sent) one.publish('invoices', invoice.padEnd(64_000));
    for (const ms of [5_000, 5_000, 63, 15_000, 125, 15_000, 250, 15_000]) clock.advance(ms);
    expect(bus.state).to.equal('gap');
    expect(errors).to.have.length(1);
    expect(errors[0].message).to.match(/pingInterval: 2000, maxPingOut: 2.*one of its own/);
    publish('kept');
    proxy.release();
    await until(() => {
      clock.advance(10); // it tries again and again
      return bus.state === 'live';
    });
    await untilHeard(others, 'kept');
    publishThere('back');
    await untilHeard(mine, 'back');
    await until(() => invoices.length === sent.length);
    expect(invoices).to.deep.equal(sent);
  });

  for (const [whose, options, steps] of [
    ['the one of the user, by the options of its client', { pingInterval: 100, maxPingOut: 1 }, []],
    ['its own, which it makes anew', {}, [5_000, 5_000, 63]],
  ] as const) {
    it(`is live again though a connection was half open: ${whose}`, async () => {
      const proxy = await startProxy();
      const clock = new ManualClock();
      const open = (): Promise<NatsConnection> =>
        connection({ ...options, servers: `127.0.0.1:${proxy.port}` });
      const source = steps.length === 0 ? await open() : open;
      const onError = (): void => {};
      const [bus, other] = [track(natsBus(source, { clock, onError })), track(natsBus(await connection()))];
      const { mine, others, publish, publishThere } = await livePair(bus, other);
      proxy.forget(); // as NAT does: nothing is closed
      for (const ms of steps) clock.advance(ms);
      publish('kept');
      await until(() => {
        if (steps.length === 0) clock.advance(10); // it tries again and again
        return bus.state === 'live' && bus.snapshot().lastGap !== null;
      });
      await untilHeard(others, 'kept');
      // On a busy machine the pings of its client may break it once more.
      await until(() => {
        publishThere('back');
        return mine.heard.includes('back');
      });
    });
  }

  describe('with a connection of its own', () => {
    it('keeps one that is only slow, as long as bytes come, and closes it with the bus', async () => {
      const clock = new ManualClock();
      const made: NatsConnection[] = [];
      let isSlow = false;
      /** What is published on it is still on its way. */
      const slow = (real: NatsConnection): NatsConnection =>
        new Proxy(real, {
          get: (_, name) => {
            if (isSlow && name === 'publish') return () => {};
            if (isSlow && name === 'flush') return () => new Promise(() => {});
            const value = Reflect.get(real, name, real);
            return typeof value === 'function' ? value.bind(real) : value;
          },
        });
      const open = async (): Promise<NatsConnection> => {
        made.push(await connection());
        return slow(made[made.length - 1]);
      };
      const bus = track(natsBus(open, { clock, onError: () => {} }));
      const { mine, publishThere } = await livePair(bus, track(natsBus(await connection())));
      for (const areBytes of [true, false]) {
        isSlow = true;
        clock.advance(5_000); // an echo is sent
        if (areBytes) {
          publishThere('bytes');
          await untilHeard(mine, 'bytes');
        }
        clock.advance(5_000);
        expect(bus.state).to.equal('gap');
        isSlow = false;
        clock.advance(63); // the pause
        await untilLive(bus);
        expect(made).to.have.length(areBytes ? 1 : 2);
      }
      await bus.close();
      expect(made.map((one) => one.isClosed())).to.deep.equal([true, true]);
    });

    it('makes the next one when the last was closed', async () => {
      const made: NatsConnection[] = [];
      const open = async (): Promise<NatsConnection> => {
        made.push(await connection());
        return made[made.length - 1];
      };
      const bus = track(natsBus(open, { onError: () => {} }));
      await untilLive(bus);
      await made[0].close();
      await until(() => made.length === 2 && bus.state === 'live');
    });

    it('closes when its function returns no new connection', async () => {
      const one = await connection();
      const made: NatsConnection[] = [];
      const deaf = async (): Promise<NatsConnection> => {
        made.push(await connection({ noEcho: true }));
        return made[0];
      };
      for (const source of [async () => ({}), () => undefined, deaf]) {
        const errors = await refused((onError) => track(natsBus(source as never, { onError })));
        expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_INVALID_RETURN_VALUE']);
      }
      expect(made.at(-1)?.isClosed(), 'what it has made is not left open').to.equal(true);
      const errors = await refused((onError) => {
        const bus = natsBus(async () => one, { onError });
        void untilLive(bus).then(() => one.close());
        return track(bus);
      });
      expect(errors.at(-1)).to.include({ code: 'ERR_INVALID_RETURN_VALUE' });
    });
  });

  it('says which bus has no connection, and why, where the server is away', async () => {
    const { errors, onError } = listening();
    track(natsBus(() => connect({ servers: '127.0.0.1:1' }), { prefix: 'shop', onError }));
    await until(() => errors.length > 0);
    expect(errors[0]).to.include({ code: 'ECONNREFUSED' });
    expect(errors[0].message).to.equal('connection refused (a bus over nats, prefix "shop")');
    expect(errors[0].cause).to.include({ name: 'ConnectionError' });
  });

  it('is in doubt on both sides when the routes of the servers are cut, and live with all once they are back', async () => {
    const { servers, route, stop } = await startRoutedNats();
    try {
      const options = { echoMs: 100, echoTimeoutMs: 5_000, onError: () => {} };
      const all: Bus[] = [];
      for (const { port } of [...servers, ...servers]) {
        all.push(track(natsBus(() => connection({ servers: `127.0.0.1:${port}` }), options)));
      }
      const doubts = (): unknown[] => all.map((bus) => bus.snapshot().doubt?.silent);
      await untilLive(...all);
      await until(() => expect(all.map((bus) => bus.snapshot().peers)).to.deep.equal([3, 3, 3, 3]));
      route.swallow();
      await until(() => expect(doubts()).to.deep.equal([2, 2, 2, 2]), 'all are in doubt');
      expect(all.map(({ state }) => state)).to.deep.equal(Array(4).fill('live'));
      route.pass();
      route.sever(); // the servers route anew
      await until(() => expect(doubts()).to.deep.equal(Array(4).fill(undefined)), 'the doubt is over');
    } finally {
      await stop();
    }
  });

  it('ends with a connection that the user closes, and leaves alone one that the user keeps', async () => {
    const [kept, closed] = [await connection(), await connection()];
    const { errors, onError } = listening();
    const a = track(natsBus(closed, { onError }));
    const b = track(natsBus(kept));
    await untilLive(a, b);
    await closed.close();
    await until(() => expect(a.state).to.equal('closed'), 'the bus is closed');
    expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_PURGATORY_BUS_REFUSED']);
    await b.close();
    await kept.flush();
  });
});
