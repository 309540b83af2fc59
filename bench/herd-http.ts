/**
 * One event, ten thousand HTTP answers: the server of examples/long-poll-http in a process of its
 * own, as many real connections with a long poll each, and one post that answers all of them. The
 * server's longest block is measured in the server (harness/block-meter.ts).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Tells, Told } from './harness/block-meter.ts';
import type { Measured } from './harness/types.ts';

const isSource = import.meta.url.endsWith('.ts');
const root = new URL(isSource ? '../' : '../../', import.meta.url);
const meter = new URL(`harness/block-meter${isSource ? '.ts' : '.js'}`, import.meta.url);

/** Connections that are opened at once: less than a listener keeps waiting. */
const AT_ONCE = 200;
const POLL = 'GET /messages?room=lobby&wait=60000 HTTP/1.1\r\nhost: bench\r\n\r\n';
const BODY = JSON.stringify({ room: 'lobby', author: 'bench', text: 'hello' });
const POST = `POST /messages HTTP/1.1\r\nhost: bench\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

/** How long the server blocks its loop while it answers so many polls, in ms. */
export async function httpPolls(polls: number): Promise<Measured> {
  const child = fork(fileURLToPath(new URL('examples/long-poll-http/main.ts', root)), ['0'], {
    cwd: root,
    execArgv: ['--expose-gc', '--import', 'tsx', '--import', meter.href],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const sockets: Socket[] = [];
  try {
    const port = await portOf(child);
    const parked = wordAfter(child, { awaitParked: polls });
    while (sockets.length < polls) await openSome(sockets, Math.min(AT_ONCE, polls - sockets.length), port);
    await parked;
    await wordAfter(child, 'begin');
    const answers = sockets.map(answerOf);
    const startMs = performance.now();
    const [poster] = await opened([connect(port, '127.0.0.1')]);
    sockets.push(poster);
    poster.write(POST);
    await Promise.all(answers);
    const allMs = performance.now() - startMs;
    const { longestMs, cpuMs } = (await wordAfter(child, 'end')) as Exclude<Tells, string>;
    return { 'http polls': longestMs, 'http polls, CPU': cpuMs, 'http polls, until the last': allMs };
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  for await (const line of createInterface(child.stdout!)) {
    const port = /^ready http:\/\/[^:]+:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('examples/long-poll-http has not started');
}

/** Tells the server's meter a word, and returns its answer. */
async function wordAfter(child: ChildProcess, word: Told): Promise<Tells> {
  const answer = once(child, 'message');
  child.send(word);
  return (await answer)[0] as Tells;
}

async function openSome(sockets: Socket[], count: number, port: number): Promise<void> {
  const more = await opened(Array.from({ length: count }, () => connect(port, '127.0.0.1')));
  for (const socket of more) socket.write(POLL);
  sockets.push(...more);
}

async function opened(sockets: Socket[]): Promise<Socket[]> {
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

/** @throws Error unless the first answer on `socket` is 200. */
async function answerOf(socket: Socket): Promise<void> {
  const [data] = (await once(socket, 'data')) as [Buffer];
  const [line] = data.toString().split('\r\n', 1);
  if (line !== 'HTTP/1.1 200 OK') throw new Error(`a poll is answered with ${line}`);
}
