import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import sinon from 'sinon';
import { type RedisClient, redisBus } from '../../../../src/bus/transports/redis.ts';
import { ManualClock } from '../../../../src/clock/manual-clock.ts';
import { closedAfterEach, listening, livePair, refused, untilHeard, untilLive } from '../../../bus/live.ts';
import { Listener } from '../../../bus/rig.ts';
import { type Engine, engines, SECOND_TRY, startRedis, TcpProxy } from '../../../support/engines.ts';
import { describeWith } from '../../../support/needs.ts';
import { until } from '../../../support/turns.ts';
import { survivesKill } from './survives-kill.ts';

const quiet = { retryStrategy: () => 20 };

describeWith(engines.redis, 'a bus over Redis', () => {
  let redis: Engine;
  const { track, later } = closedAfterEach();
  const client = (options = {}): Redis => {
    const made = new Redis({ port: redis.port, host: '127.0.0.1', ...quiet, ...options });
    made.on('error', () => {});
    later(() => made.disconnect());
    return made;
  };
  const clientOf = async (family: string, port: number, login = {}): Promise<RedisClient> => {
    if (family === 'ioredis') return client({ port, ...login });
    const node = createClient({ ...login, socket: { host: '127.0.0.1', port, reconnectStrategy: 20 } });
    node.on('error', () => {});
    await node.connect();
    later(() => node.destroy());
    return node;
  };

  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.stop());

  it('joins clients of all kinds on one channel', async () => {
    const node = createClient({ socket: { host: '127.0.0.1', port: redis.port } });
    await node.connect();
    const [a, b] = [track(redisBus(client())), track(redisBus(node))];
    const { others: listener, publish } = await livePair(a, b);
    publish('42', 7);
    await until(() => listener.heard.length > 0);
    expect(listener.heard).to.deep.equal([['42', 7]]);
    await b.close();
    expect(await node.ping(), "the user's client stays open").to.equal('PONG');
    node.destroy();
  });

  it('survives kill -9 of the server, and tells of it', async () => {
    const { errors, onError } = listening();
    const options = { echoMs: 200, echoTimeoutMs: 500, onError };
    await survivesKill(redis, track(redisBus(client(), options)), track(redisBus(client(), options)));
    expect(errors).not.to.be.empty;
  }).retries(SECOND_TRY);

  it('is live though its client names a database that is not there, which ends no connection', async () => {
    const bus = track(redisBus(client({ db: 99 })));
    await untilLive(bus);
    expect(bus.snapshot().lastError).to.equal(null);
  });

  it('warns when the server ends idle connections sooner than an echo comes', async () => {
    const impatient = await startRedis(['--timeout', '1']);
    const emitWarning = sinon.stub(process, 'emitWarning');
    try {
      const bus = track(redisBus(client({ port: impatient.port })));
      await until(() => emitWarning.called, 'it warns');
      expect(String(emitWarning.args[0][0])).to.match(/5 gaps within a minute: .*echoMs/);
      await bus.close();
    } finally {
      emitWarning.restore();
      await impatient.stop();
    }
  });

  for (const [rights, what] of [
    ['+@all -subscribe', 'SUBSCRIBE'],
    ['+@all -publish', 'PUBLISH'],
    ['+@all resetchannels', 'the channel'],
  ]) {
    for (const family of ['ioredis', 'node-redis']) {
      it(`says why it is not live without the permission for ${what}, and is once it has it (${family})`, async () => {
        const admin = client();
        const user = `u${Math.random().toString(36).slice(2)}`;
        await admin.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', ...rights.split(' '));
        const own = await clientOf(family, redis.port, { username: user, password: 'secret' });
        const { errors, onError } = listening();
        const bus = track(redisBus(own, { onError }));
        await until(() => errors.length > 0);
        await admin.call('ACL', 'SETUSER', user, '+@all', 'allchannels');
        await untilLive(bus);
        expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_PURGATORY_BUS_UNFIT']);
        expect(errors[0].message).to.contain('NOPERM');
        expect(errors[0].cause).to.be.instanceOf(Error);
      });
    }
  }

  it('is in a gap while the permission of its user is narrowed, says why once, and loses nothing', async () => {
    const admin = client();
    await admin.call('ACL', 'SETUSER', 'passing', 'on', '>secret', '~*', '&*', '+@all');
    const { errors, onError } = listening();
    const login = { username: 'passing', password: 'secret' };
    const [bus, other] = [track(redisBus(client(login), { echoMs: 50, onError })), track(redisBus(client()))];
    const { mine, others, publish, publishThere } = await livePair(bus, other);
    await admin.call('ACL', 'SETUSER', 'passing', 'resetchannels');
    await until(() => expect(bus.snapshot().lastError?.message).to.contain('NOPERM'), 'it says why');
    publish('kept');
    await admin.call('ACL', 'SETUSER', 'passing', 'allchannels');
    await untilLive(bus);
    await untilHeard(others, 'kept');
    publishThere('back');
    await untilHeard(mine, 'back');
    const unfit = errors.filter(({ code }) => code === 'ERR_PURGATORY_BUS_UNFIT');
    expect(unfit).to.have.length(1);
  });

  for (const family of ['ioredis', 'node-redis']) {
    it(`has two connections of its own, and makes both anew when they are half open (${family})`, async () => {
      const proxy = await new TcpProxy(redis.port).start();
      later(() => proxy.stop());
      const clock = new ManualClock();
      const { errors, onError } = listening();
      const own = await clientOf(family, proxy.port);
      const [bus, other] = [track(redisBus(own, { clock, onError })), track(redisBus(client()))];
      const { mine, others, publish, publishThere } = await livePair(bus, other);

      proxy.forget(); // as NAT does: nothing is closed
      clock.advance(5_000);
      publish('kept');
      clock.advance(5_000);
      expect([bus.state, errors.length]).to.deep.equal(['gap', 1]);
      expect(errors[0].message).to.contain('did not come back within 5000 ms');
      clock.advance(63); // the pause
      await untilLive(bus);
      await untilHeard(others, 'kept');
      publishThere('back');
      await untilHeard(mine, 'back');
    });

    it(`waits behind no command of its client (${family})`, async () => {
      const own = await clientOf(family, redis.port);
      const [bus, other] = [track(redisBus(own)), track(redisBus(client()))];
      const { others: listener, publish } = await livePair(bus, other);
      const popped = (own as unknown as Redis).blpop
        ? (own as unknown as Redis).blpop('nothing', 0)
        : (own as unknown as ReturnType<typeof createClient>).blPop('nothing', 0);
      let isBusy = true;
      const done = Promise.resolve(popped).then(() => {
        isBusy = false;
      });
      publish('meanwhile');
      await untilHeard(listener, 'meanwhile');
      expect(isBusy).to.equal(true);
      await client().lpush('nothing', 'something');
      await done;
    });

    it(`works with a Proxy around its client, and with a wrapper that only passes on (${family})`, async () => {
      const own = await clientOf(family, redis.port);
      const proxy = new Proxy(own, {});
      const wrapper: RedisClient = {
        publish: (channel, message) => own.publish(channel, message),
        duplicate: (...overrides) => own.duplicate(...overrides),
      };
      const all = [proxy, wrapper].map((each) => track(redisBus(each)));
      await untilLive(...all);
    });
  }

  it('refuses a client whose duplicate is none that it knows, and ends what that has opened', async () => {
    const admin = client();
    const opened = async (): Promise<number> =>
      Number(/connected_clients:(\d+)/.exec(await admin.info('clients'))?.[1]);
    await admin.ping();
    const before = await opened();
    /** As redis 3 has it: connected at once, with callbacks. */
    class Old extends EventEmitter {
      readonly socket = connect(redis.port, '127.0.0.1');
      end(): void {
        this.socket.destroy();
      }
      publish(): void {}
      subscribe(): void {}
    }
    const made = [
      () => new Old(),
      () => ({}),
      () => undefined,
      async () => new Old(),
      async () => {
        throw new Error('no client');
      },
      () => admin.duplicate(), // connects at once, and again
    ];
    for (const duplicate of made) {
      const old = { duplicate, publish: async () => {} };
      const errors = await refused((onError) => track(redisBus(old, { onError })));
      expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_INVALID_RETURN_VALUE']);
      expect(errors[0].message).to.contain('ioredis, iovalkey or node-redis').and.to.contain('duplicate');
    }
    await until(async () => (await opened()) === before);
  });

  describe('where the server is a replica', () => {
    let replica: Engine;
    beforeEach(async () => {
      replica = await startRedis(['--replicaof', '127.0.0.1', `${redis.port}`]);
    });
    afterEach(() => replica.stop());

    for (const [family, parsing] of [
      ['ioredis', {}],
      ['node-redis', {}],
      ['node-redis that reads Buffers', { [RESP_TYPES.BLOB_STRING]: Buffer }],
      ['node-redis that reads Maps', { [RESP_TYPES.MAP]: Map }],
    ] as const) {
      it(`says why it is not live, and is once that is promoted (${family})`, async () => {
        const own = await clientOf(family, replica.port, { commandOptions: { typeMapping: parsing } });
        const { errors, onError } = listening();
        const bus = track(redisBus(own, { onError }));
        await until(() => errors.length > 0);
        expect(bus.state).to.equal('connecting');
        await client({ port: replica.port }).call('REPLICAOF', 'NO', 'ONE');
        await untilLive(bus);
        expect(errors.map(({ code }) => code)).to.deep.equal(['ERR_PURGATORY_BUS_UNFIT']);
        expect(errors[0].message).to.contain('is a replica').and.to.contain('connect the bus to the primary');
      });
    }

    it('falls into a gap with that cause when it becomes one and keeps its connections, and comes back', async () => {
      const primary = await startRedis(['--rename-command', 'HELLO', '']); // as before Redis 6.2
      later(() => primary.stop());
      const { errors, onError } = listening();
      const bus = track(redisBus(client({ port: primary.port }), { echoMs: 50, onError }));
      const { publish } = bus.join(new Listener('orders'));
      await untilLive(bus);
      const admin = client({ port: primary.port });
      await admin.call('REPLICAOF', '127.0.0.1', `${redis.port}`);
      await until(() => expect(bus.state).to.equal('gap'), 'the bus is in a gap');
      const { lastGap, totals } = bus.snapshot();
      expect(lastGap?.error).to.contain('is a replica');
      expect(totals.gaps).to.include({ connection: 1, echo: 0 });
      publish('kept');
      await admin.call('REPLICAOF', 'NO', 'ONE');
      await untilLive(bus);
      await bus.flush();
      expect(errors.filter(({ message }) => message.includes('is a replica'))).not.to.be.empty;
    });
  });

  for (const protocol of ['ioredis', 'node-redis', 'node-redis, RESP3']) {
    it(`needs no more than SUBSCRIBE and PUBLISH, and knows a replica by HELLO then (${protocol})`, async () => {
      const server = await startRedis();
      later(() => server.stop());
      const admin = client({ port: server.port });
      const rights = 'on >secret resetchannels -@all +subscribe +publish &purgatory';
      await admin.call('ACL', 'SETUSER', 'lean', ...rights.split(' '));
      const login = { username: 'lean', password: 'secret', enableReadyCheck: false };
      const [family, version] = protocol.split(', RESP');
      const own = await clientOf(family, server.port, version === undefined ? login : { ...login, RESP: 3 });
      const bus = track(redisBus(own, { echoMs: 20, onError: () => {} }));
      await until(() => bus.state === 'live' && bus.snapshot().totals.framesSent > 3);
      expect(bus.snapshot().lastError).to.equal(null);
      await admin.call('REPLICAOF', '127.0.0.1', `${redis.port}`);
      await until(() => expect(bus.snapshot().lastError?.message).to.contain('is a replica'), 'it says so');
    });
  }

  it('leaves no connection behind when it is closed before node-redis has connected', async () => {
    const admin = client();
    const numberOf = async (section: string, field: string): Promise<number> =>
      Number(new RegExp(`${field}:(\\d+)`).exec(await admin.info(section))?.[1]);
    const node = createClient({ socket: { host: '127.0.0.1', port: redis.port } });
    await node.connect();
    const opened = await numberOf('clients', 'connected_clients');
    const accepted = await numberOf('stats', 'total_connections_received');
    const bus = redisBus(node);
    await bus.close();
    await until(async () => (await numberOf('stats', 'total_connections_received')) > accepted);
    await until(async () => expect(await numberOf('clients', 'connected_clients')).to.equal(opened));
    node.destroy();
  });
});
