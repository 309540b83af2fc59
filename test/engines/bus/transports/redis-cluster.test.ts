import { once } from 'node:events';
import { expect } from 'chai';
import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import type { Bus } from '../../../../src/bus/bus-options.ts';
import type { Transport } from '../../../../src/bus/transport.ts';
import { transportConformance } from '../../../../src/bus/transports/conformance.ts';
import { type RedisClient, redisBus, redisTransport } from '../../../../src/bus/transports/redis.ts';
import { closedAfterEach, listening, livePair, untilHeard, untilLive } from '../../../bus/live.ts';
import { Listener } from '../../../bus/rig.ts';
import { type Engine, engines, SECOND_TRY } from '../../../support/engines.ts';
import { LIMIT_MS } from '../../../support/limit.ts';
import { describeWith } from '../../../support/needs.ts';
import {
  addressOf,
  hears,
  idOf,
  knowsAllSlots,
  manage,
  moveSlots,
  startClusterNode,
  startRedisCluster,
} from '../../../support/redis-cluster.ts';
import { until } from '../../../support/turns.ts';
import { interestCases } from './interest-cases.ts';

describeWith(engines.redis, 'a bus over Redis Cluster', () => {
  const nodes: Engine[] = [];
  let ports: number[];
  const { track, later } = closedAfterEach();

  const startNode = async (): Promise<Engine> => {
    const node = await startClusterNode();
    nodes.push(node);
    return node;
  };

  before(async () => {
    nodes.push(...(await startRedisCluster(3)));
    ports = nodes.map(({ port }) => port);
  });

  after(async () => {
    for (const node of nodes) await node.stop();
  });

  const ioCluster = (): Cluster => {
    const made = new Cluster(
      ports.map((port) => ({ host: '127.0.0.1', port })),
      { clusterRetryStrategy: () => 50 },
    );
    made.on('error', () => {});
    later(() => made.disconnect());
    return made;
  };

  describe('by ioredis', () => {
    // A bus tries again while its client gets to know its nodes; this suite does not.
    const make = async (): Promise<Transport> => {
      const client = ioCluster();
      await once(client, 'ready');
      return redisTransport(client, 'cluster');
    };
    const conformance = transportConformance(make, { patienceMs: LIMIT_MS });
    for (const { title, run } of [...conformance, ...interestCases(make)]) it(title, run);
  });

  it('takes a replica of a cluster, which passes on what is published there, whatever it may ask', async () => {
    const replica = await startNode();
    manage('add-node', addressOf(replica), addressOf(nodes[0]), '--cluster-slave');
    const admin = new Redis(replica.port, '127.0.0.1');
    later(() => admin.disconnect());
    await until(async () => String(((await admin.call('ROLE')) as unknown[])[0]) === 'slave');
    const rights = 'on >secret resetchannels -@all +subscribe +publish +role &purgatory';
    await admin.call('ACL', 'SETUSER', 'lean', ...rights.split(' '));
    const login = { username: 'lean', password: 'secret', enableReadyCheck: false };
    const single = new Redis(replica.port, '127.0.0.1', login);
    later(() => single.disconnect());
    const bus = track(redisBus(single, { echoMs: 50 }));
    const { others, publish } = await livePair(bus, track(redisBus(ioCluster())));
    await until(() => {
      publish('from the replica');
      return others.heard.includes('from the replica');
    });
    expect(bus.snapshot().totals.gaps.connection).to.equal(0);
  });

  const nodeCluster = async (): Promise<RedisClient> => {
    const made = createCluster({ rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })) });
    made.on('error', () => {});
    await made.connect();
    later(() => made.destroy());
    return made;
  };

  for (const family of ['ioredis', 'node-redis']) {
    it(`leaves a node that is removed, as it serves on alone, and lands on it no more (${family})`, async () => {
      const leaver = await startNode();
      manage('add-node', addressOf(leaver), addressOf(nodes[0]));
      const [leaving, staying] = [leaver, nodes[0]].map(({ port }) => idOf(port));
      await until(() => knowsAllSlots(leaver.port));
      moveSlots(nodes[0], staying, leaving);
      await until(() => [...ports, leaver.port].every(knowsAllSlots));
      const client = family === 'ioredis' ? ioCluster() : await nodeCluster();
      if (client instanceof Cluster) await once(client, 'ready');
      const { errors, onError } = listening();
      const options = { prefix: family, echoMs: 200, onError };
      const buses: Bus[] = [];
      const listensThere = (): boolean => hears(leaver.port, family);
      do {
        buses.push(track(redisBus(client, options)));
        await untilLive(...buses);
      } while (!listensThere());

      moveSlots(nodes[0], leaving, staying);
      manage('del-node', addressOf(nodes[0]), leaving);
      await until(() => !listensThere(), 'nobody listens on it');
      const cutOff = errors.filter(({ message }) => message.includes('cut off its cluster'));
      expect(cutOff, 'it says why').not.to.be.empty;
      for (let more = 0; more < 5; more++) buses.push(track(redisBus(client, options)));
      await untilLive(...buses);
      expect(listensThere(), 'nobody is live there').to.equal(false);
      const listener = new Listener('orders');
      buses[0].join(listener);
      const others = buses.slice(1).map((bus) => bus.join(new Listener('orders')));
      for (const [from, { publish }] of others.entries()) publish(`from ${from}`);
      for (const from of others.keys()) await untilHeard(listener, `from ${from}`);
    });
  }

  it('is in a gap on a master that is with the minority, and live again with the cluster', async () => {
    const options = { prefix: 'minority', echoMs: 200, onError: () => {} };
    const bus = track(redisBus(ioCluster(), options));
    await untilLive(bus);
    const own = nodes.find(({ port }) => hears(port, 'minority')) as Engine;
    const rest = nodes.filter((node) => node !== own);
    for (const { pid } of rest) process.kill(pid, 'SIGSTOP');
    try {
      await until(() => expect(bus.state).to.equal('gap'), 'it is in a gap');
      expect(bus.snapshot().lastGap?.error).to.contain('cut off its cluster');
    } finally {
      for (const { pid } of rest) process.kill(pid, 'SIGCONT');
    }
    const { others, publish } = await livePair(bus, track(redisBus(ioCluster(), options)));
    await until(() => {
      publish('back');
      return others.heard.includes('back');
    });
  });

  // After the suite: a node dies.
  describe('of several clients', () => {
    it('hears across nodes, whoever they are connected to, and when their node dies', async () => {
      const clients = [ioCluster(), ioCluster(), await nodeCluster()];
      const all = clients.map((client) => track(redisBus(client)));
      const listeners = all.map(() => new Listener('orders'));
      const members = all.map((bus, index) => bus.join(listeners[index]));
      await untilLive(...all);
      // The nodes of a young cluster do not forward to each other at once.
      const allHear = (count: number): Promise<unknown> =>
        until(() => {
          for (const [index, { publish }] of members.entries()) publish(`from ${index}`);
          return listeners.every(({ heard }) => new Set(heard).size === count);
        });
      await allHear(2);
      for (const { heard } of listeners) heard.length = 0;
      await nodes[0].kill();
      await allHear(2);
    }).retries(SECOND_TRY);
  });
});
