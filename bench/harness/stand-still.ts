/**
 * A process that stands still while its connections send, and what it gives up then.
 *
 * The connections are real, from a process of their own (talkers.ts). Each sends ten beats a second.
 * What is tested begins a wait at each beat, which the next beat ends. Then the process stands still
 * for longer than the timeout of the waits, and all that time the beats arrive.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { turn } from './measure.ts';
import type { Ask } from './talkers.ts';

/** What is silent is given up by then, or never. */
const LONGEST_MS = 60_000;

/** A connection of the process under test. */
export interface Talker {
  readonly index: number;
  readonly socket: Socket;
  /** How many beats have come. */
  beats: number;
}

/**
 * Begins to wait for beats of a connection, and calls `giveUp` at a timeout. What it returns is
 * called at each beat.
 */
export type Watch = (talker: Talker, timeoutMs: number, giveUp: () => void) => () => void;

export interface StandStill {
  readonly connections: number;
  /** How many of them fall silent, a timeout before the stop ends. Default 0. */
  readonly silent?: number;
  readonly timeoutMs: number;
  /** How long it stands still. */
  readonly stopMs: number;
  /** `block`: an immediate that takes so long. `stop`: SIGSTOP and SIGCONT, by another process. */
  readonly how: 'block' | 'stop';
  /** Is called at each beat of a connection, before those who wait for it. */
  readonly onBeat?: (index: number) => void;
}

export interface GivenUp {
  /** Connections whose beats had arrived. */
  readonly alive: number;
  /** Connections that had fallen silent. */
  readonly silent: number;
  /** When the last of those was given up, in ms after the stop. */
  readonly lastMs: number;
}

/**
 * What each of `watches` gives up, all on the same connections. Undefined where the machine was too
 * slow for beats in time: then it says nothing.
 */
export async function standStill<Name extends string>(
  watches: Readonly<Record<Name, Watch>>,
  { connections, silent = 0, timeoutMs, stopMs, how, onBeat }: StandStill,
): Promise<Record<Name, GivenUp> | undefined> {
  const names = Object.keys(watches) as Name[];
  const givenUp = new Map<string, { readonly by: Name; readonly index: number; readonly atMs: number }>();
  const talkers: Talker[] = [];
  const server = createServer((socket) => {
    const talker: Talker = { index: talkers.length, socket, beats: 0 };
    talkers.push(talker);
    const { index } = talker;
    const beating = names.map((by) =>
      watches[by](talker, timeoutMs, () => {
        givenUp.set(`${by} ${index}`, { by, index, atMs: performance.now() });
      }),
    );
    socket
      .on('error', () => {})
      .on('data', () => {
        talker.beats++;
        onBeat?.(index);
        for (const beat of beating) beat();
      });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 511 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const script = fileURLToPath(new URL(`./talkers${extname(import.meta.url)}`, import.meta.url));
  const child = fork(script, [port, connections, silent].map(String));
  const ask = (what: Ask): boolean => child.send(what);
  const own = new Pauses();
  try {
    while (talkers.length < connections || talkers.some(({ beats }) => beats === 0)) await sleep(10);
    if (givenUp.size > 0) return undefined;
    if (silent > 0) {
      ask({ kind: 'silence' });
      await once(child, 'message');
      await sleep(timeoutMs / 2); // their last beats are answered, on a busy machine too
    }
    own.begin();
    if (how === 'block') {
      await turn();
      own.leaveOut(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stopMs));
    } else {
      const askedMs = performance.now();
      ask({ kind: 'stop', ms: stopMs });
      await stopped(stopMs, askedMs);
    }
    const endMs = performance.now();
    const most = names.length * silent;
    const isDone = (): boolean => [...givenUp.values()].filter(({ index }) => index < silent).length >= most;
    while (!isDone() && performance.now() - endMs < LONGEST_MS) await sleep(10);
    const all = [...givenUp.values()];
    ask({ kind: 'pause' });
    const [pauseMs] = await once(child, 'message');
    // Besides the stop that it was told to make, a process may not stand still either.
    if (pauseMs > timeoutMs / 2 || (how === 'block' && own.longestMs > timeoutMs / 2)) return undefined;
    return Object.fromEntries(
      names.map((name): [Name, GivenUp] => {
        const mine = all.filter(({ by }) => by === name);
        const dead = mine.filter(({ index }) => index < silent);
        const lastMs = Math.max(0, ...dead.map(({ atMs }) => atMs - endMs));
        return [name, { alive: mine.length - dead.length, silent: dead.length, lastMs }];
      }),
    ) as Record<Name, GivenUp>;
  } finally {
    own.end();
    child.disconnect();
    for (const { socket } of talkers) socket.destroy();
    server.close();
  }
}

/** For how long this process gets no turn. */
export class Pauses {
  longestMs = 0;
  #lastMs = 0;
  #looks: NodeJS.Timeout | undefined;

  begin(): void {
    this.#lastMs = performance.now();
    this.#looks = setInterval(() => this.#look(), 10);
  }

  /** What is meant to take long: in an immediate, then timers come before the sockets are read. */
  leaveOut(pause: () => void): void {
    this.#look();
    pause();
    this.#lastMs = performance.now();
  }

  end(): void {
    clearInterval(this.#looks);
  }

  #look(): void {
    const nowMs = performance.now();
    this.longestMs = Math.max(this.longestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }
}

/** Resolves once the process has been stopped for `ms`, which it was asked to at `sinceMs`. */
async function stopped(ms: number, sinceMs: number): Promise<void> {
  for (let lastMs = sinceMs; ; ) {
    await turn();
    const nowMs = performance.now();
    if (nowMs - lastMs > ms / 2) return;
    lastMs = nowMs;
  }
}
