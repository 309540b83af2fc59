// Real engines for the tests: Debian's servers on loopback, on free ports, in temporary folders,
// ended by their process id.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-ports.ts';
import { LIMIT_MS } from './limit.ts';
import type { Need } from './needs.ts';

/** A server that is running, or was. */
export interface Engine {
  readonly port: number;
  readonly pid: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * What a test that kills a real engine gives to its `retries`. A gate prints a second try with what
 * the first has thrown, and takes two of them in a run. No other test has one: it would hide a race.
 */
export const SECOND_TRY = process.env.PURGATORY_GATE === undefined ? 0 : 1;

/** The latest release. Debian puts each release in a folder of its own. */
const POSTGRES_BIN = ((): string => {
  const root = '/usr/lib/postgresql';
  const releases = existsSync(root) ? readdirSync(root).map(Number).filter(Boolean) : [];
  return `${root}/${Math.max(0, ...releases)}/bin`;
})();
const PROGRAMS = {
  redis: '/usr/bin/redis-server',
  nats: '/usr/sbin/nats-server',
  postgres: `${POSTGRES_BIN}/postgres`,
  pgbouncer: '/usr/sbin/pgbouncer',
} as const;

/** Debian's packages. */
const need = (program: string, needs: string): Need => ({ needs, isThere: () => existsSync(program) });
export const engines = {
  redis: need(PROGRAMS.redis, 'redis-server'),
  nats: need(PROGRAMS.nats, 'nats-server'),
  postgres: need(PROGRAMS.postgres, 'postgresql'),
  pgbouncer: need(PROGRAMS.pgbouncer, 'pgbouncer'),
} as const;

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** A run that is interrupted must leave no server behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const MOST_STARTS = 50;

class Daemon implements Engine {
  readonly port: number;
  readonly folder: string;
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #uid: number | undefined;
  readonly #isReady: () => Promise<boolean>;
  #child!: ChildProcess;

  constructor(
    port: number,
    folder: string,
    command: string,
    args: readonly string[],
    options: { uid?: number; isReady?: () => Promise<boolean> } = {},
  ) {
    this.port = port;
    this.folder = folder;
    this.#command = command;
    this.#args = args;
    this.#uid = options.uid;
    this.#isReady = options.isReady ?? (() => isListening(port));
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /**
   * A PostgreSQL refuses to start while processes of one that was killed still end. So a start that
   * was refused is tried again.
   */
  async start(): Promise<void> {
    for (let starts = 1; !(await this.#starts()); starts++) {
      if (starts === MOST_STARTS) throw new Error(`${this.#command} did not start`);
      await sleep(200);
    }
  }

  /** False: it has ended. */
  async #starts(): Promise<boolean> {
    this.#child = spawn(this.#command, this.#args, {
      cwd: this.folder,
      stdio: 'ignore',
      uid: this.#uid,
      gid: this.#uid,
    });
    const child = this.#child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    for (let tries = 0; !(await this.#isReady()); tries++) {
      if (child.exitCode !== null) return false;
      if (tries > LIMIT_MS / 20) throw new Error(`${this.#command} is not ready after ${LIMIT_MS / 1_000} s`);
      await sleep(20);
    }
    return true;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function folderOf(engine: string): string {
  return mkdtempSync(join(tmpdir(), `purgatory-${engine}-`));
}

export async function startRedis(extra: readonly string[] = []): Promise<Engine> {
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...extra];
  const daemon = new Daemon(port, folderOf('redis'), PROGRAMS.redis, args);
  await daemon.start();
  return daemon;
}

export async function startNats(extra: readonly string[] = []): Promise<Engine> {
  const port = await freePort();
  const daemon = new Daemon(port, folderOf('nats'), PROGRAMS.nats, [
    '-a',
    '127.0.0.1',
    '-p',
    `${port}`,
    ...extra,
  ]);
  await daemon.start();
  return daemon;
}

/** Two servers of NATS that are one engine, by a route through a proxy. */
export async function startRoutedNats(): Promise<{
  servers: Engine[];
  route: TcpProxy;
  stop(): Promise<void>;
}> {
  const port = await freePort();
  const folder = folderOf('nats-routes');
  const start = (name: string, listen: number, to?: number): Promise<Engine> => {
    const file = join(folder, name);
    const routes = to === undefined ? '' : `, routes: ["nats://127.0.0.1:${to}"]`;
    const cluster = `{ name: c, listen: "127.0.0.1:${listen}", no_advertise: true${routes} }`;
    writeFileSync(file, `server_name: ${name}\ncluster ${cluster}`);
    return startNats(['-c', file]);
  };
  const servers = [await start('one', port)];
  const route = await new TcpProxy(port).start();
  servers.push(await start('two', await freePort(), route.port));
  const stop = async (): Promise<void> => {
    await Promise.all([...servers, route].map((each) => each.stop()));
    rmSync(folder, { recursive: true });
  };
  return { servers, route, stop };
}

/**
 * Runs as the user postgres when this process is root, because the server refuses to run as root.
 * The database is `postgres`, trusted from loopback.
 */
export function startPostgres(extra: readonly string[] = []): Promise<Engine> {
  const options = ['--auth=trust', '--no-sync', '--no-instructions', '-E', 'UTF8', '--locale=C'];
  return startPostgresWith(extra, 'initdb', '-U', 'postgres', ...options);
}

/** A replica of a server that runs here. */
export function startPostgresReplica({ port }: Engine): Promise<Engine> {
  const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'];
  return startPostgresWith([], 'pg_basebackup', ...from, '-R', '--no-sync', '-c', 'fast');
}

/** @param make what makes its data, with these arguments. */
async function startPostgresWith(
  extra: readonly string[],
  make: string,
  ...makeArgs: readonly string[]
): Promise<Engine> {
  const port = await freePort();
  const folder = folderOf('postgres');
  const uid = process.getuid?.() === 0 ? Number(execFileSync('id', ['-u', 'postgres'])) : undefined;
  if (uid !== undefined) chownSync(folder, uid, uid);
  const data = join(folder, 'data');
  const options = { cwd: folder, stdio: 'ignore', uid, gid: uid } as const;
  execFileSync(`${POSTGRES_BIN}/${make}`, ['-D', data, ...makeArgs], options);
  const args = ['-D', data, '-p', `${port}`, '-k', folder];
  args.push('-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', ...extra);
  const isReady = async (): Promise<boolean> => {
    try {
      execFileSync(`${POSTGRES_BIN}/pg_isready`, ['-q', '-h', '127.0.0.1', '-p', `${port}`]);
      return true;
    } catch {
      return false;
    }
  };
  const daemon = new Daemon(port, folder, PROGRAMS.postgres, args, { uid, isReady });
  await daemon.start();
  return daemon;
}

/** A TCP proxy in front of `port`. It can stop passing bytes on without breaking a connection. */
export class TcpProxy {
  readonly #port: number;
  readonly #pairs = new Set<[Socket, Socket]>();
  /** The pairs whose bytes are dropped for good. */
  readonly #halfOpen = new WeakSet<[Socket, Socket]>();
  #server!: Server;
  #isSwallowing = false;

  constructor(port: number) {
    this.#port = port;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  async start(): Promise<this> {
    // Without noDelay the proxy would hold small writes back, which no client and no engine does.
    this.#server = createServer({ noDelay: true }, (near) => {
      const far = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ]) {
        from.on('data', (bytes) => {
          if (!this.#isSwallowing && !this.#halfOpen.has(pair)) to.write(bytes);
        });
        from.on('error', () => {});
        from.on('close', () => {
          to.destroy();
          this.#pairs.delete(pair);
        });
      }
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Drops all bytes until `pass`. */
  swallow(): void {
    this.#isSwallowing = true;
  }

  pass(): void {
    this.#isSwallowing = false;
  }

  /** Drops all bytes of the connections that there are, for good. New ones work. */
  forget(): void {
    for (const pair of this.#pairs) this.#halfOpen.add(pair);
  }

  /** Passes no byte on until `release`, and drops none: as the slowest of links. */
  hold(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  release(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  /** Breaks all connections. */
  sever(): void {
    for (const [near, far] of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  async stop(): Promise<void> {
    this.sever();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
