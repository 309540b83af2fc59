import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Bus, BusOptions } from '../../../../src/bus/bus-options.ts';
import { redisBus } from '../../../../src/bus/transports/redis.ts';
import { Purgatory } from '../../../../src/index.ts';
import { closedAfterEach, listening } from '../../../bus/live.ts';
import { type Engine, engines, SECOND_TRY, startRedis } from '../../../support/engines.ts';
import { describeWith } from '../../../support/needs.ts';
import { until } from '../../../support/turns.ts';

describeWith(engines.redis, 'interest routing over Redis', () => {
  let redis: Engine;
  const { track, later } = closedAfterEach();

  before(async () => {
    redis = await startRedis();
  });

  after(() => redis.stop());

  const client = (options: object = {}): Redis => {
    const made = new Redis(redis.port, '127.0.0.1', { retryStrategy: () => 10, ...options });
    made.on('error', () => {});
    later(() => made.disconnect());
    return made;
  };
  const open = (prefix: string, login?: object, options?: BusOptions): Bus =>
    track(redisBus(client(login), { prefix, routing: 'interest', echoMs: 200, ...options }));
  const routes = (bus: Bus): Promise<unknown> =>
    until(() => bus.snapshot().nowMs - bus.snapshot().sinceMs > 300 && bus.snapshot().peers > 0);

  it('loses none of 1,000 changes that race the subscription of a fresh key', async () => {
    const [here, there, ...others] = Array.from({ length: 8 }, () => open('race'));
    const waits = new Purgatory<string>('race', { bus: here });
    const writer = new Purgatory<string>('race', { bus: there });
    await Promise.all([here, there, ...others].map(routes));
    const changed = new Set<string>();
    const one = async (key: string, afterMs: number): Promise<void> => {
      setTimeout(() => {
        changed.add(key);
        writer.notify(key);
      }, afterMs);
      const attempt = (): true | undefined => (changed.has(key) ? true : undefined);
      const { expired } = await waits.waitFor([key], attempt, { timeoutMs: 600_000 });
      expect(expired, `${key} after ${afterMs} ms`).to.equal(false);
    };
    for (let i = 0; i < 1_000; i += 2) {
      await Promise.all([one(`${i}`, i % 4), one(`${i + 1}`, (i + 1) % 4)]);
    }
    expect(there.snapshot().totals.routed).to.be.above(300);
    expect(here.snapshot()).to.include({ acknowledgementsPending: 0 });
    waits.close();
    writer.close();
  });

  it('is live again and swept after CLIENT KILL and after kill -9, with all its channels', async () => {
    const bus = open('kill');
    const purgatory = new Purgatory<string>('kill', { bus });
    let isReady = false;
    const waiting = Array.from({ length: 2_000 }, (_, i) =>
      purgatory.waitFor([`${i}`], () => (isReady ? true : undefined), { timeoutMs: 600_000 }),
    );
    await until(() => bus.state === 'live' && bus.snapshot().acknowledgementsPending === 0);
    const { subscriptions } = bus.snapshot();
    expect(subscriptions).to.be.within(1_900, 2_000);
    const gaps = (): number => bus.snapshot().totals.gaps.connection;
    await client().call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(() => gaps() === 1 && bus.state === 'live');
    expect(bus.snapshot().subscriptions).to.equal(subscriptions);
    await redis.kill();
    await until(() => gaps() === 2);
    isReady = true;
    await redis.start();
    expect((await Promise.all(waiting)).every(({ expired }) => !expired)).to.equal(true);
    await until(() => expect(bus.state).to.equal('live'), 'the bus is live, with its echo in time');
    purgatory.close();
  }).retries(SECOND_TRY);

  it('says that it lacks the permission for its channels, and works with the line of the docs', async () => {
    const admin = client();
    await admin.call('ACL', 'SETUSER', 'narrow', 'on', '>pw', '+@all', 'resetchannels', '&acl');
    await admin.call('ACL', 'SETUSER', 'wide', 'on', '>pw', '+@all', 'resetchannels', '&acl', '&acl/*');
    const { errors, onError } = listening();
    const [narrow, wide] = ['narrow', 'wide'].map((username) =>
      open('acl', { username, password: 'pw' }, { onError }),
    );
    const purgatories = [narrow, wide].map((bus) => new Purgatory<string>('acl', { bus }));
    for (const purgatory of purgatories) {
      void purgatory.waitFor(['k'], () => undefined, { timeoutMs: 60_000 }).catch(() => {});
    }
    await until(() => errors.length > 0 && wide.state === 'live' && wide.snapshot().subscriptions === 1);
    expect(errors.map(({ message }) => message).join()).to.match(/below it \(prefix\/\*\).*NOPERM/);
    expect(narrow.state).to.not.equal('live');
    for (const purgatory of purgatories) purgatory.close();
  });
});
