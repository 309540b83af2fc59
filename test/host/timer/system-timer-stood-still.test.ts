import { once } from 'node:events';
import { expect } from 'chai';
import type { GivenUp } from '../../../bench/harness/stand-still.ts';
import { Purgatory, systemClock } from '../../../src/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { type Lease, Queues } from '../../../src/waits/queues/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { runNode } from '../../support/child.ts';
import { type Connection, closeConnections, connected } from '../../support/sockets.ts';
import { microtasks, turn, until } from '../../support/turns.ts';

/** Connections, of which some fall silent before the stop. */
const CONNECTIONS = 50;
const SILENT = 10;
const TIMEOUT_MS = 1_000;

/** Nothing runs for so long. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const POLL_MS = 200;

/** Two connections, and polls that end when the talker sends. */
interface Stage {
  readonly stopper: Connection;
  readonly talker: Connection;
  readonly polls: Purgatory;
  /** A poll of POLL_MS. */
  poll(): Promise<unknown>;
  /** The talker sends, and nothing runs until after POLL_MS. */
  standStill(): void;
}

/**
 * Plays a stop that begins before its deadline, which is POLL_MS after the start. On a slow machine
 * it may come later: then it is played again.
 */
async function playInTime(play: (stage: Stage) => Promise<void>, deadlineMs = POLL_MS): Promise<void> {
  for (let isInTime = false; !isInTime; ) {
    const [stopper, talker] = [await connected(), await connected()];
    const polls = new Purgatory('polls');
    let hasArrived = false;
    talker.socket.on('data', () => {
      hasArrived = true;
      polls.notify('news');
    });
    await turn();
    const startMs = systemClock.now();
    const stage: Stage = {
      stopper,
      talker,
      polls,
      poll: () => polls.waitFor(['news'], () => hasArrived, { timeoutMs: POLL_MS }),
      standStill: () => {
        isInTime = systemClock.now() < startMs + deadlineMs;
        talker.client.write('now');
        block(1.5 * POLL_MS);
      },
    };
    try {
      await play(stage);
    } catch (error) {
      if (isInTime) throw error;
    }
    closeConnections();
  }
}

describe('behaviour 36: a process that stood still', () => {
  afterEach(closeConnections);

  for (const [how, name] of [
    ['block', 'whose loop was blocked'],
    ['stop', 'that was stopped by SIGSTOP'],
  ] as const) {
    it(`${name} times out only what has not arrived, whatever waits for it`, async () => {
      const args = [how, CONNECTIONS, SILENT, TIMEOUT_MS].map(String);
      // From its sources, since it starts the other end by its path.
      const child = ['--import', 'tsx', 'test/host/children/stood-still.ts', ...args];
      let result: Record<string, GivenUp> | null = null;
      for (let tries = 0; tries < 10 && result === null; tries++) {
        const { code, stdout, stderr } = await runNode(child);
        expect([code, stderr]).to.deep.equal([0, '']);
        result = JSON.parse(stdout);
      }
      expect(result, 'the beats came in time').not.to.equal(null);
      const { nodeSocket, nodeTimeout, ...ours } = result as Record<string, GivenUp>;
      expect(Object.keys(ours)).to.have.lengthOf(6);
      for (const [kind, { alive, silent }] of Object.entries(ours)) {
        expect([alive, silent], kind).to.deep.equal([0, SILENT]);
      }
      // A stop may come in the middle of a poll. Then Node reads first, too. Bun always does.
      const isNode = process.versions.bun === undefined && process.versions.deno === undefined;
      for (const host of isNode && how === 'block' ? [nodeSocket, nodeTimeout] : []) {
        expect(host).to.deep.include({ alive: CONNECTIONS - SILENT, silent: SILENT });
      }
    });
  }

  // A busy timer has a wake-up in nearly every turn: its pass comes after what blocks that turn.
  it('that stood still in a handler of a socket, before the pass of a wake-up, is no exception', () =>
    playInTime(async ({ stopper, polls, poll, standStill }) => {
      stopper.socket.on('data', standStill);
      const ended = poll();
      polls.timer.schedule(() => {}, 20);
      setTimeout(() => stopper.client.write('go'), 10);
      block(40); // both are due in one turn: the timeout of the host, then the wake-up
      expect(await ended).to.deep.equal({ expired: false, value: true });
    }));

  it('between two parts of a pass, in a handler that then starts something, is no exception', () =>
    playInTime(async ({ stopper, polls, poll, standStill }) => {
      let isFirstPartOver = false;
      let isOver = false;
      stopper.socket.on('data', () => {
        isFirstPartOver = !isOver;
        standStill();
        polls.timer.schedule(() => {}, 1_000).cancel(); // its wake-up stays
      });
      const ended = poll();
      polls.timer.schedule(() => {
        stopper.client.write('go');
        block(20); // longer than a slice
      }, 20);
      polls.timer.schedule(() => {
        isOver = true;
      }, 20);
      block(40); // both are due in one pass
      expect(await ended).to.deep.equal({ expired: false, value: true });
      await until(() => isOver, 'the second part has run');
      expect(isFirstPartOver).to.equal(true);
    }));

  it('before the end of a lease is no exception: an ack that lay in the socket counts', () =>
    playInTime(async ({ talker, standStill }) => {
      using jobs = new Queues<string>('jobs');
      jobs.put('a', 'job');
      const lease = (await jobs.lease(['a'], { timeoutMs: 0, leaseMs: POLL_MS })) as Lease<string>;
      const acked = once(talker.socket, 'data').then(() => lease.ack());
      await turn();
      standStill();
      expect([await acked, jobs.size, jobs.snapshot().items.lapsed]).to.deep.equal([true, 0, 0]);
    }));

  it('before it looks at elements that may be idle, is no exception', () =>
    playInTime(async ({ stopper, talker, standStill }) => {
      let touchedMs = Number.POSITIVE_INFINITY;
      const idleMs: number[] = [];
      using elements = new IdleTimeouts<string>('idle', {
        timeoutMs: POLL_MS,
        onIdle: () => idleMs.push(systemClock.now()),
      });
      talker.socket.on('data', () => {
        touchedMs = systemClock.now();
        elements.touch('talker');
      });
      stopper.socket.on('data', standStill);
      elements.touch('talker'); // looked at when this would be idle
      block(0.5 * POLL_MS);
      elements.touch('talker');
      stopper.client.write('go');
      block(0.6 * POLL_MS); // then the timers of the host come first, and then its sockets
      await until(() => idleMs.length > 0, 'the talker is idle');
      expect(idleMs[0]).to.be.at.least(touchedMs + POLL_MS);
    }, 1.5 * POLL_MS));

  it('tries first what the events of that turn have notified, however many (behaviour 30)', async () => {
    const { client, socket } = await connected();
    const polls = new Purgatory<number>('polls');
    const keys = Array.from({ length: 20_000 }, (_, key) => key);
    let hasArrived = false;
    socket.on('data', () => {
      hasArrived = true;
      for (const key of keys) polls.notify(key);
    });
    await turn();
    const results = keys.map((key) => polls.waitFor([key], () => hasArrived, { timeoutMs: 300 }));
    client.write('now');
    block(500);
    const ended = await Promise.all(results);
    expect(ended.filter(({ expired }) => expired)).to.have.lengthOf(0);
  });

  it('offers first what the load of a row has brought, however many wait for the row', async () => {
    const { client, socket } = await connected();
    const load = async (keys: readonly string[]): Promise<Map<string, boolean>> => {
      await once(socket, 'data');
      return new Map(keys.map((key) => [key, true]));
    };
    const rows = new SharedWaits<boolean>('rows', { load });
    const isDone = (row: boolean | undefined): boolean | undefined => {
      for (const endMs = performance.now() + 0.02; performance.now() < endMs; );
      return row;
    };
    await turn();
    const results = Array.from({ length: 2_000 }, () => rows.waitUntil('row', isDone, { timeoutMs: 300 }));
    await microtasks(); // the load has begun
    client.write('now');
    block(500);
    const ended = await Promise.all(results);
    expect(ended.filter(({ expired }) => expired)).to.have.lengthOf(0);
  });
});
