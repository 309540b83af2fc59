// One wait, its event in a socket before its deadline, and the loop blocked past it: whatever the
// condition reads before it answers, the wait is answered.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { Purgatory } from '../../../src/index.ts';
import { type Connection, closeConnections, connected } from '../../support/sockets.ts';
import { block, microtasks, turn } from '../../support/turns.ts';

const ROUNDS = 5;
const TIMEOUT_MS = 50;
/** A deadline waits for so long. */
const HOLD_MS = 100;

/** A question over a loopback socket, whose other end answers at once. */
function ask({ client, socket }: Connection): Promise<void> {
  socket.once('data', () => socket.write('!'));
  return new Promise((resolve) => {
    client.once('data', () => resolve());
    client.write('?');
  });
}

const file = (): Promise<unknown> => readFile('package.json');

/** What a condition reads before it answers. */
const reads: Record<string, (store: Connection) => Promise<unknown> | undefined> = {
  nothing: () => undefined,
  'in microtasks': () => microtasks(),
  'for two turns': () => turn().then(turn),
  'for four turns': () => turn().then(turn).then(turn).then(turn),
  'a file': file,
  'over a socket': ask,
  'over a socket, and then a file': (store) => ask(store).then(file),
};

/** Where the loop is blocked. Then the host reads its sockets before, or after, its timers. */
const places: Record<string, (stop: Connection, standStill: () => void) => void> = {
  'a timer': (_, standStill) => void setTimeout(standStill, 5),
  'a handler of a socket': ({ client, socket }, standStill) => {
    socket.once('data', standStill);
    client.write('stop');
  },
};

describe('behaviours 30, 36: an event that came in time, for a condition that reads', () => {
  afterEach(closeConnections);

  for (const [place, whenAt] of Object.entries(places)) {
    for (const [what, read] of Object.entries(reads)) {
      it(`is not given up where ${place} has blocked past the deadline: it reads ${what}`, async () => {
        const [stop, news, store] = [await connected(), await connected(), await connected()];
        const polls = new Purgatory('polls');
        let hasArrived = false;
        let isSent = false;
        news.socket.on('data', () => {
          hasArrived = true;
          polls.notify('news');
        });
        const condition = (): unknown => {
          if (!hasArrived) return undefined;
          return read(store)?.then(() => 'news') ?? 'news';
        };
        let slow = 0;
        for (let round = 0; round < ROUNDS; ) {
          hasArrived = false;
          isSent = false;
          let blockedMs = 0;
          const dueMs = performance.now() + TIMEOUT_MS;
          const wait = polls.waitFor(['news'], condition, { timeoutMs: TIMEOUT_MS });
          whenAt(stop, () => {
            news.client.write('now');
            isSent = performance.now() < dueMs;
            block(dueMs + 5 - performance.now());
            blockedMs = performance.now();
          });
          const { expired } = await wait;
          // Of a machine that is too slow for the sockets, or for the read, it says nothing.
          const isSlow = !isSent || performance.now() - blockedMs > HOLD_MS / 2;
          if (isSlow && ++slow < 1_000) continue;
          expect(expired, `round ${round}`).to.equal(false);
          round++;
        }
      });
    }
  }
});
