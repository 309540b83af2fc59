import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { BlpopServer } from '../../examples/blpop-server/server.ts';
import { runs } from '../property/runs.ts';
import { type Engine, engines, startRedis } from '../support/engines.ts';
import { startExample } from '../support/example-server.ts';
import { describeWith } from '../support/needs.ts';
import { turn, until } from '../support/turns.ts';

const opened: Redis[] = [];
const client = (port: number): Redis => {
  const made = new Redis(port, '127.0.0.1', { retryStrategy: null });
  opened.push(made);
  return made;
};
const disconnectAll = (): void => {
  for (const each of opened.splice(0)) each.disconnect();
};

describe('examples/blpop-server', () => {
  let server: BlpopServer;
  let port: number;
  const parked = (count: number): Promise<unknown> =>
    until(() => expect(server.pops.waiting.numDelayed).to.equal(count));

  beforeEach(async () => {
    server = new BlpopServer();
    port = await server.listen(0);
  });
  afterEach(async () => {
    disconnectAll();
    await server.close();
    expect(server.pops.waiting.watched).to.equal(0);
  });

  it('answers null after a timeout with a fraction, and never early', async () => {
    const start = performance.now();
    expect(await client(port).blpop('a', 0.05)).to.equal(null);
    expect(performance.now() - start).to.be.at.least(49);
  });

  it('leaves an item where it is when the client that waited for it has gone', async () => {
    const [worker, producer] = [client(port), client(port)];
    worker.blpop('a', 0).catch(() => {});
    await parked(1);
    worker.disconnect();
    await parked(0);
    await producer.rpush('a', 'x');
    expect(await producer.llen('a')).to.equal(1);
  });

  it('keeps keys and items of any bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const one = client(port);
    await one.rpush(bytes, bytes, 'ü');
    expect(await one.lpopBuffer(bytes)).to.deep.equal(bytes);
    expect(await one.lpop(bytes)).to.equal('ü');
  });

  it('refuses databases, transactions and what it does not know', async () => {
    const one = client(port);
    expect(await one.select(0)).to.equal('OK');
    for (const [command, text] of [
      [['select', '1'], /no database but 0/],
      [['multi'], /no MULTI/],
      [['set', 'a', 'x'], /unknown command 'set'/],
      [['constructor'], /unknown command/],
    ] as const) {
      const refused = await one.call(command[0], ...command.slice(1)).catch((error: Error) => error.message);
      expect(refused).to.match(text);
    }
    expect(await one.ping('still here')).to.equal('still here');
  });

  it('closes a connection that sends no request, after its answers', async () => {
    for (const [bytes, answer] of [
      ['*1\r\n$4\r\nPING\r\nGET / HTTP/1.1\r\n', "+PONG\r\n-ERR Protocol error: expected '*', got 'G'\r\n"],
      ['*1\r\n$99999999\r\n', "-ERR Protocol error: invalid length after '$'\r\n"],
      [`*${'1'.repeat(40)}`, "-ERR Protocol error: invalid length after '*'\r\n"],
      ['*1\r\n$4\r\nQUIT\r\n*1\r\n$4\r\nPING\r\n', '+OK\r\n'],
    ]) {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      let got = '';
      socket.on('data', (text) => {
        got += text;
      });
      socket.write(bytes);
      await once(socket, 'close');
      expect(got).to.equal(answer);
    }
  });

  it('reads requests that come byte by byte', async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
    let got = '';
    socket.on('data', (text) => {
      got += text;
    });
    for (const byte of '*2\r\n$4\r\nPING\r\n$2\r\n\r\n\r\n*1\r\n$4\r\nPING\r\n') {
      socket.write(byte);
      await turn();
    }
    await until(() => expect(got).to.equal('$2\r\n\r\n\r\n+PONG\r\n'));
    socket.destroy();
  });

  it('closes a connection with thousands of requests behind one that waits', async () => {
    const worker = client(port);
    worker.on('error', () => {});
    const replies = [worker.blpop('a', 0), ...Array.from({ length: 10_001 }, () => worker.ping())];
    const ended = await Promise.allSettled(replies);
    expect(ended.every(({ status }) => status === 'rejected')).to.equal(true);
    await parked(0);
  });

  it('serves node-redis as well, which speaks RESP3', async () => {
    const worker = createClient({ socket: { host: '127.0.0.1', port } });
    await worker.connect();
    const popped = worker.blPop(['a', 'b'], 0);
    await parked(1);
    await client(port).rpush('b', 'x');
    expect(await popped).to.deep.equal({ key: 'b', element: 'x' });
    expect(await worker.blPop('a', 0.01)).to.equal(null);
    expect(await worker.lPop('a')).to.equal(null);
    worker.destroy();
  });

  it('runs as its README says', async () => {
    const example = await startExample('blpop-server', ['0']);
    const one = client(Number(new URL(example.url).port));
    await one.rpush('a', 'x');
    expect(await one.blpop('a', 1)).to.deep.equal(['a', 'x']);
    one.disconnect();
    expect(await example.stop()).to.equal(0);
  });
});

type Command = readonly [name: string, ...args: string[]];
type Act = { client: number; commands: Command[] } | { unblock: number; why: string };

const CLIENTS = 4;
const KEYS = ['a', 'b', 'c'] as const;
const key = fc.constantFrom(...KEYS);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('lpush', 'rpush'),
        key,
        fc.array(fc.stringMatching(/^\w$/), { minLength: 1, maxLength: 3 }),
      )
      .map(([name, list, items]): Command => [name, list, ...items]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('blpop', 'brpop'), fc.array(key, { minLength: 1, maxLength: 3 }))
      .map(([name, lists]): Command => [name, ...lists, '0']),
  },
  fc.tuple(fc.constantFrom('lpop', 'rpop', 'llen', 'del'), key).map(([name, list]): Command => [name, list]),
  fc
    .tuple(key, fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 }))
    .map(([list, first, last]): Command => ['lrange', list, `${first}`, `${last}`]),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      client: fc.nat(CLIENTS - 1),
      commands: fc.array(command, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ unblock: fc.nat(CLIENTS - 1), why: fc.constantFrom('TIMEOUT', 'ERROR') }),
  },
);

/** Four clients of one server, and what they have been told. */
class Side {
  readonly #admin: Redis;
  readonly #clients: Redis[] = [];
  readonly #ids: number[] = [];
  #heard: string[][] = [];
  #open = 0;

  constructor(port: number) {
    this.#admin = client(port);
    for (let index = 0; index < CLIENTS; index++) this.#clients.push(client(port));
  }

  async begin(): Promise<void> {
    for (const each of this.#clients) this.#ids.push(await each.client('ID'));
  }

  call([name, ...args]: Command): Promise<unknown> {
    return this.#admin.call(name, ...args).catch((error: Error) => error.message);
  }

  /** Sends the commands of an act in one packet. What each client has heard when all has settled. */
  async act(each: Act): Promise<string[][]> {
    this.#heard = Array.from({ length: CLIENTS }, () => []);
    if ('unblock' in each) await this.#unblock(each.unblock, each.why);
    else this.#send(each.client, each.commands);
    await this.#settled();
    return this.#heard;
  }

  #send(index: number, commands: readonly Command[]): void {
    const pipeline = this.#clients[index].pipeline();
    for (const [name, ...args] of commands) {
      this.#open++;
      pipeline.call(name, ...args, (error: Error | null | undefined, reply: unknown) => {
        this.#open--;
        this.#heard[index].push(JSON.stringify(error == null ? reply : error.message));
      });
    }
    pipeline.exec().catch(() => {});
  }

  #unblock(index: number, why: string): Promise<unknown> {
    return this.call(['client', 'UNBLOCK', `${this.#ids[index]}`, why]);
  }

  /** The answer to the second PING comes in a turn of the server after the one of the act. */
  async #settled(): Promise<void> {
    await this.#admin.ping();
    await this.#admin.ping();
    await turn();
  }

  /** Ends all that waits, and empties the lists. */
  async end(): Promise<void> {
    while (this.#open > 0) {
      for (let index = 0; index < CLIENTS; index++) await this.#unblock(index, 'TIMEOUT');
    }
    await this.call(['del', ...KEYS]);
  }
}

describeWith(engines.redis, 'examples/blpop-server beside a redis-server', () => {
  const server = new BlpopServer();
  let redis: Engine;
  let ours: Side;
  let theirs: Side;

  before(async () => {
    redis = await startRedis();
    ours = new Side(await server.listen(0));
    theirs = new Side(redis.port);
    await Promise.all([ours.begin(), theirs.begin()]);
  });
  after(async () => {
    disconnectAll();
    await server.close();
    await redis.stop();
  });

  it('gives the same answers to the same clients, pipelined and blocked, in random histories', async () => {
    const play = async (acts: readonly Act[]): Promise<void> => {
      try {
        for (const each of acts) {
          const [heard, expected] = await Promise.all([ours.act(each), theirs.act(each)]);
          expect(heard).to.deep.equal(expected);
          for (const list of KEYS) {
            const range: Command = ['lrange', list, '0', '-1'];
            expect(await ours.call(range)).to.deep.equal(await theirs.call(range));
          }
        }
      } finally {
        await Promise.all([ours.end(), theirs.end()]);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 20 }), play), runs(240));
  });

  it('refuses bad arguments in the same words', async () => {
    const bad: Command[] = [
      ['blpop', 'a', '-1'],
      ['blpop', 'a', 'soon'],
      ['blpop', 'a', ''],
      ['blpop', 'a'],
      ['BRPOP', '0'],
      ['lpush', 'a'],
      ['lrange', 'a', '0', 'x'],
      ['del'],
      ['client', 'unblock'],
      ['client', 'unblock', 'x'],
      ['client', 'unblock', '1', 'WHY'],
      ['client', 'unblock', '999999'],
    ];
    for (const each of bad) expect(await ours.call(each)).to.equal(await theirs.call(each));
  });
});
