// Run by wrapped-host.test.ts: connections wait by each class while the process stands still, and
// herds are answered and time out, on a host whose timers and whose Date are not its own:
// `wrapped-host WRAPPER DATE [PATH_OF_ZONE_JS]`. Prints what was lost, and whether the loop turned.
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { closeConnections, connected } from '../../support/sockets.ts';
import { wrapTimers } from '../wrap-timers.ts';

const [, , wrapper, date, zone] = process.argv;

const HostDate = Date;
const dates: Record<string, () => void> = {
  own: () => {},
  ticking: () => {
    globalThis.Date = class extends HostDate {} as DateConstructor;
  },
  frozen: () => {
    const atMs = HostDate.now();
    globalThis.Date = class extends HostDate {
      static override now(): number {
        return atMs;
      }
    } as DateConstructor;
  },
};

if (wrapper === 'before') wrapTimers();
if (wrapper === 'before, without further arguments') wrapTimers({ dropsArguments: true });
if (wrapper === 'zone.js') await import(zone);
const { Purgatory, SystemTimer } = await import('../../../src/index.ts');
const { IdleTimeouts } = await import('../../../src/waits/idle/index.ts');
const { Replies } = await import('../../../src/waits/replies/index.ts');
if (wrapper === 'after') wrapTimers();
dates[date]();

const CONNECTIONS = 30;
const SILENT = 10;
const TIMEOUT_MS = 300;
const HERD = 1_000;

/**
 * How many of those that had sent were given up, by each class, once all silent ones were. Undefined
 * where the machine was so slow that they have sent too late.
 */
async function standStill(): Promise<Record<string, number> | undefined> {
  const heard = new Set<number>();
  const polls = new Purgatory<number>('polls');
  const calls = new Replies<number, void>('replies');
  const givenUp: Record<string, number[]> = { waitFor: [], replies: [], idle: [] };
  const idle = new IdleTimeouts<number>('idle', {
    timeoutMs: TIMEOUT_MS,
    onIdle: (index) => void givenUp.idle.push(index),
  });
  const clients: Socket[] = [];
  for (let index = 0; index < CONNECTIONS; index++) {
    const { client, socket } = await connected();
    clients.push(client);
    socket.on('data', () => {
      heard.add(index);
      polls.notify(index);
      calls.resolve(index);
      idle.touch(index);
    });
  }
  const startMs = performance.now();
  for (let index = 0; index < CONNECTIONS; index++) {
    void polls
      .waitFor([index], () => heard.has(index), { timeoutMs: TIMEOUT_MS })
      .then(({ expired }) => expired && givenUp.waitFor.push(index));
    calls.expect(index, { timeoutMs: TIMEOUT_MS }).catch(() => givenUp.replies.push(index));
    idle.touch(index);
  }
  await turn();
  for (const client of clients.slice(SILENT)) client.write('now');
  const isInTime = performance.now() < startMs + TIMEOUT_MS;
  block(2 * TIMEOUT_MS);
  await Promise.race(Object.values(givenUp).map(allSilent));
  const lost = Object.entries(givenUp).map(([name, all]) => [
    name,
    all.filter((index) => index >= SILENT).length,
  ]);
  await Promise.all(Object.values(givenUp).map(allSilent));
  idle.close();
  closeConnections();
  return isInTime ? Object.fromEntries(lost) : undefined;
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function allSilent(givenUp: readonly number[]): Promise<void> {
  while (givenUp.filter((index) => index < SILENT).length < SILENT) await turn();
}

/** Whether the loop turned before the last of `HERD` calls of what `start` is given. */
async function turnsWithin(start: (end: () => void) => void): Promise<boolean> {
  let ended = 0;
  let hasTurned = false;
  start(() => {
    for (const endMs = performance.now() + 0.05; performance.now() < endMs; ); // all take many slices
    ended++;
    if (ended === 1) setImmediate(() => (hasTurned = ended < HERD));
  });
  while (ended < HERD) await turn();
  return hasTurned;
}

async function event(): Promise<boolean> {
  const polls = new Purgatory('polls');
  let hasCome = false;
  return turnsWithin((end) => {
    const wait = (): Promise<unknown> => polls.waitFor(['news'], () => hasCome, { timeoutMs: 60_000 });
    for (let i = 0; i < HERD; i++) void wait().then(end);
    hasCome = true;
    polls.notify('news');
  });
}

async function timeouts(): Promise<boolean> {
  const timer = new SystemTimer();
  return turnsWithin((end) => {
    for (let i = 0; i < HERD; i++) timer.schedule(end, 50);
    block(100); // all are due in one pass
  });
}

let lost: Record<string, number> | undefined;
while (lost === undefined) lost = await standStill();
const result = { lost, turns: { event: await event(), timeouts: await timeouts() } };
process.stdout.write(JSON.stringify(result));
