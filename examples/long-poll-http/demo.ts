// `npm run demo -- --workers 4`: the chat as four processes under load. It kills a worker, and the
// engine where there is one.
//
//   --bus redis|nats|postgres   starts that engine for the demo, and kills it too. A URL uses an
//                               engine that is there, and leaves it alone
//   --seconds 20                at least: the worker must be back
//   --readers 300
import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
// The demo is part of this repository, where the tests start engines as well.
import { type Engine, engines, startNats, startPostgres, startRedis } from '../../test/support/engines.ts';
import { Unusable } from '../workers/command-line.ts';
import { Load } from './demo/load.ts';
import { type OwnEngine, parseDemoOptions } from './demo/options.ts';

const ENGINE_IS_GONE_MS = 3_000;
/** More than the deadline of a request. */
const ARRIVE_MS = 6_000;

const own: Record<OwnEngine, { start: () => Promise<Engine>; url: (port: number) => string }> = {
  redis: {
    start: () => startRedis(['--appendonly', 'yes', '--appendfsync', 'always']), // the messages outlive it
    url: (port) => `redis://127.0.0.1:${port}`,
  },
  nats: { start: startNats, url: (port) => `nats://127.0.0.1:${port}` },
  postgres: { start: startPostgres, url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres` },
};

async function main(): Promise<void> {
  const { workers, bus, seconds, readers } = parseDemoOptions(process.argv.slice(2));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  const engine = typeof bus === 'string' ? await startOwn(bus) : undefined;
  const url = typeof bus === 'string' ? own[bus].url((engine as Engine).port) : bus?.url;
  let chat: Chat | undefined;
  try {
    chat = await startChat(workers, url);
    const load = new Load(chat.url, readers);
    const reports = setInterval(() => report(load, readers), 1_000);
    const acts = act(chat, engine, seconds, stop.signal);
    await Promise.race([acts, once(stop.signal, 'abort')]);
    await load.end(ARRIVE_MS);
    clearInterval(reports);
    const missing = load.missing();
    console.log(
      `\n${load.posts} messages, ${load.answers} polls answered, ${load.failures} requests made again; ${missing} messages missed`,
    );
    if (missing > 0) process.exitCode = 1;
  } finally {
    chat?.child.kill('SIGINT');
    await chat?.ended;
    await engine?.stop();
  }
}

async function startOwn(name: OwnEngine): Promise<Engine> {
  if (!engines[name].isThere())
    throw new Unusable(`There is no ${name} server here: install it, or give the URL of one.`);
  return own[name].start();
}

/** What the demo does to the processes, and its reports. */
async function act(
  chat: Chat,
  engine: Engine | undefined,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const part = (seconds * 1_000) / (engine === undefined ? 2 : 3);
  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => {});
  await pause(part);
  if (signal.aborted) return;
  console.log('-- kill -9 of worker 1');
  const isBack = chat.prints(/^worker 1 is back, /);
  process.kill(chat.pids[0], 'SIGKILL');
  await Promise.all([isBack, pause(part)]);
  if (engine === undefined || signal.aborted) return;
  console.log('-- kill -9 of the engine');
  await engine.kill();
  await pause(ENGINE_IS_GONE_MS);
  console.log('-- the engine is started again');
  await engine.start();
  await pause(Math.max(2_000, part - ENGINE_IS_GONE_MS));
}

interface Chat {
  readonly url: string;
  readonly pids: readonly number[];
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** Resolves with the next line that matches, or when the chat has ended. */
  prints(pattern: RegExp): Promise<void>;
}

/** Starts the chat as its README says, and prints its output. */
async function startChat(workers: number, bus: string | undefined): Promise<Chat> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const args = ['--import', 'tsx', main, '0', '--workers', `${workers}`, '--inspect'];
  // In a group of its own, because Ctrl-C is for the demo. The demo ends the chat when its readers
  // are done.
  const child = spawn(process.execPath, [...args, ...(bus === undefined ? [] : ['--bus', bus])], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout);
  const prints = async (pattern: RegExp): Promise<void> => {
    for await (const [line] of on(lines, 'line', { close: ['close'] })) if (pattern.test(line)) return;
  };
  const pids: number[] = [];
  let url = '';
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      console.log(line);
      url ||= /^ready (.*)$/.exec(line)?.[1] ?? '';
      const pid = /^worker \d+ is process (\d+)$/.exec(line)?.[1];
      if (pid !== undefined && pids.push(Number(pid)) === workers) resolve();
    });
  });
  const failed = ended.then(() => {
    throw new Unusable('The chat has ended.');
  });
  await Promise.race([ready, failed]);
  failed.catch(() => {});
  return { url, pids, child, ended, prints };
}

function report(load: Load, readers: number): void {
  const latencies = load.latencies();
  const times =
    latencies === undefined
      ? 'no answers'
      : `from post to answer ${latencies.map((ms) => ms.toFixed(1)).join(' ms (p50), ')} ms (p99)`;
  console.log(`   ${readers} readers, ${load.posts} messages, ${load.answers} polls answered, ${times}`);
}

main().catch((error) => {
  console.error(error instanceof Unusable ? error.message : error);
  process.exitCode = error instanceof Unusable ? 2 : 1;
});
