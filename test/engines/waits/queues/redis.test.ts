// Queues beside the lists of a real redis-server: BLPOP, RPUSH, LPUSH and LPOP.
import { expect } from 'chai';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { ManualClock } from '../../../../src/index.ts';
import { Queues } from '../../../../src/waits/queues/index.ts';
import { runs } from '../../../property/runs.ts';
import { checkPurgatoryInvariants } from '../../../support/checks/purgatory.ts';
import { type Engine, engines, startRedis } from '../../../support/engines.ts';
import { describeWith } from '../../../support/needs.ts';
import { turn, until } from '../../../support/turns.ts';

const NEVER = { timeoutMs: Number.POSITIVE_INFINITY };
const CLIENTS = 4;

type Act =
  | { do: 'take'; client: number; keys: string[] }
  | { do: 'unblock'; client: number }
  | { do: 'put'; key: string; many: number }
  | { do: 'putBack'; key: string }
  | { do: 'tryTake'; key: string };

const key = fc.constantFrom('a', 'b', 'c');
const client = fc.nat(CLIENTS - 1);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('take' as const), client, keys: fc.uniqueArray(key, { minLength: 1 }) }),
  fc.record({ do: fc.constant('put' as const), key, many: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('putBack' as const), key }),
  fc.record({ do: fc.constant('tryTake' as const), key }),
  fc.record({ do: fc.constant('unblock' as const), client }),
);

/** What a client waits for, on both sides: `key item`, or `nothing` where the wait was ended. */
interface Waiting {
  readonly ours: Promise<string>;
  readonly theirs: Promise<string>;
  readonly stop: AbortController;
  /** Whether ours has ended. */
  isOver: boolean;
}

describeWith(engines.redis, 'Queues beside a redis-server', () => {
  let redis: Engine;
  let admin: Redis;
  const clients: Redis[] = [];
  const ids: number[] = [];

  before(async () => {
    redis = await startRedis();
    admin = new Redis(redis.port, '127.0.0.1');
    for (let i = 0; i < CLIENTS; i++) {
      const made = new Redis(redis.port, '127.0.0.1');
      clients.push(made);
      ids.push(await made.client('ID'));
    }
  });
  after(async () => {
    for (const each of [admin, ...clients]) each.disconnect();
    await redis.stop();
  });

  async function blocked(): Promise<number> {
    return Number(/blocked_clients:(\d+)/.exec(await admin.info('clients'))?.[1]);
  }

  async function play(acts: readonly Act[]): Promise<void> {
    await admin.flushall();
    const queues = new Queues<string>('model', { clock: new ManualClock() });
    const waiting = new Map<number, Waiting>();
    let items = 0;

    const take = async (index: number, keys: readonly string[]): Promise<void> => {
      const stop = new AbortController();
      const wait: Waiting = {
        ours: queues.take(keys, { ...NEVER, signal: stop.signal }).then(
          (taken) => `${taken.key} ${taken.value}`,
          () => 'nothing',
        ),
        theirs: clients[index].blpop(...keys, 0).then((popped) => popped?.join(' ') ?? 'nothing'),
        stop,
        isOver: false,
      };
      waiting.set(index, wait);
      void wait.ours.then(() => {
        wait.isOver = true;
      });
      await turn();
      // The server knows of it before the next act.
      if (wait.isOver) await wait.theirs;
      else await until(async () => (await blocked()) === queues.numDelayed);
    };

    for (const each of acts) {
      const wait = 'client' in each ? waiting.get(each.client) : undefined;
      if (each.do === 'take' && wait === undefined) await take(each.client, each.keys);
      if (each.do === 'unblock' && wait !== undefined) {
        wait.stop.abort();
        await admin.client('UNBLOCK', ids[each.client]);
      }
      if (each.do === 'put') {
        const put = Array.from({ length: each.many }, () => `${items++}`);
        queues.putAll(each.key, put);
        await admin.rpush(each.key, ...put);
      }
      if (each.do === 'putBack') {
        const item = `${items++}`;
        queues.putBack(each.key, item);
        await admin.lpush(each.key, item);
      }
      if (each.do === 'tryTake') {
        expect(queues.tryTake([each.key])?.value ?? null).to.equal(await admin.lpop(each.key));
      }
      await turn();
      for (const [index, { ours, theirs, isOver }] of waiting) {
        if (!isOver) continue;
        expect(await theirs).to.equal(await ours);
        waiting.delete(index);
      }
      expect(await blocked()).to.equal(queues.numDelayed);
      for (const name of ['a', 'b', 'c']) expect(await admin.llen(name)).to.equal(queues.sizeOf(name));
      checkPurgatoryInvariants(queues);
    }
    queues.close();
    for (const index of waiting.keys()) await admin.client('UNBLOCK', ids[index]);
    for (const { theirs } of waiting.values()) await theirs;
  }

  it('give each item to the client that BLPOP gives it to (behaviours 31 and 32)', async () => {
    await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), play), runs(90));
  });

  it('hand over in the call of put, where a MULTI serves nobody before it ends', async () => {
    // In `RPUSH k x; DEL k` of a transaction the item is gone before a blocked client sees it.
    const queues = new Queues<string>('multi', { clock: new ManualClock() });
    const ours = queues.take(['k'], NEVER);
    const theirs = clients[0].blpop('k', 0);
    await until(async () => (await blocked()) === 1);
    expect(queues.put('k', 'x')).to.equal(true);
    expect(queues.tryTake(['k'])).to.equal(undefined);
    await admin.multi().rpush('k', 'x').del('k').exec();
    expect((await ours).value).to.equal('x');
    expect(await blocked()).to.equal(1);
    await admin.client('UNBLOCK', ids[0]);
    expect(await theirs).to.equal(null);
  });
});
