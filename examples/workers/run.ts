// Runs a server as one process, or as N workers of node:cluster that share one port.
//
// Ground rules. If the server cannot start, the reason is printed as one sentence, with exit code
// 1. Ctrl-C reaches the whole process group. Workers ignore it, and the primary tells them to stop.
import cluster from 'node:cluster';
import { relayBus } from 'purgatory/bus/cluster';
import { createInspector, type ObservedPurgatory } from 'purgatory/inspector';
import { type CommandLine, parseCommandLine, Unusable } from './command-line.ts';
import { type Engine, openEngine } from './engine.ts';
import { Primary } from './primary.ts';
import { announce, type Ready, type Word } from './words.ts';

/** The server of this process, which does not listen yet. */
export interface Served {
  readonly server: { listen(port: number): Promise<number>; close(): Promise<void> };
  /** What the inspector of this process shows, besides the bus. */
  readonly waits: ObservedPurgatory;
}

export interface Program {
  readonly defaultPort: number;
  /** What the primary does for its workers, besides relaying. */
  inPrimary?(commandLine: CommandLine): void;
  /** Makes the server of this process. */
  serve(engine: Engine): Promise<Served>;
  /** What is printed below the address. */
  help(url: string): string;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function run(program: Program): Promise<void> {
  try {
    const commandLine = parseCommandLine(process.argv.slice(2), program.defaultPort);
    if (cluster.isWorker) await runWorker(program, commandLine);
    else if (commandLine.workers > 0) runPrimary(program, commandLine);
    else await runAlone(program, commandLine);
  } catch (error) {
    refuse(error instanceof Unusable ? error.message : String((error as Error)?.stack ?? error));
  }
}

function runPrimary(program: Program, commandLine: CommandLine): void {
  if (commandLine.bus === undefined) relayBus();
  program.inPrimary?.(commandLine);
  const primary = new Primary(commandLine.workers, program.help);
  for (const signal of SIGNALS) process.on(signal, () => primary.stop());
}

async function runAlone(program: Program, commandLine: CommandLine): Promise<void> {
  const { ready, stop } = await start(program, commandLine);
  for (const signal of SIGNALS) process.once(signal, stop);
  announce([ready], program.help);
}

async function runWorker(program: Program, commandLine: CommandLine): Promise<void> {
  for (const signal of SIGNALS) process.on(signal, () => {});
  const { ready, stop } = await start(program, commandLine);
  process.on('message', async (word: Word) => {
    if (word?.stop !== true) return;
    await stop();
    process.exit(0);
  });
  process.send?.({ ready } satisfies Word);
}

async function start(
  program: Program,
  commandLine: CommandLine,
): Promise<{ ready: Ready; stop: () => Promise<void> }> {
  const engine = await openEngine(commandLine.bus);
  try {
    const { server, waits } = await program.serve(engine);
    const { bus } = engine;
    const inspector = commandLine.inspect
      ? createInspector({ purgatories: [waits], buses: bus === undefined ? [] : [bus] })
      : undefined;
    const url = await inspector?.listen();
    const port = await server.listen(commandLine.port);
    const stop = async (): Promise<void> => {
      await inspector?.close();
      await server.close();
      await engine.close();
    };
    return { ready: { port, inspector: url?.href, pid: process.pid }, stop };
  } catch (error) {
    await engine.close();
    const { code, port } = error as { code?: string; port?: number };
    if (code === 'EADDRINUSE') throw new Unusable(`Port ${port} is in use: give another one.`);
    if (code === 'EACCES') throw new Unusable(`Port ${port} is not yours to use: give one from 1024 on.`);
    throw error;
  }
}

/** Prints why this process cannot start, or sends it to the primary, and ends this process. */
function refuse(why: string): void {
  process.exitCode = 1;
  if (cluster.isWorker) process.send?.({ refused: why } satisfies Word, () => process.exit());
  else console.error(why);
}
