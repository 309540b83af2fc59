// Closes a bus with the engine in each state, and awaits nothing else. Prints that each close has
// settled: without `echoTimeoutMs` it would wait for an engine that is stopped. Must end by itself.
// Arguments: the client, and the engine's port and process id.
import { readFileSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from 'redis';
import type { Bus, BusOptions } from '../../../../src/bus/bus-options.ts';
import { natsBus } from '../../../../src/bus/transports/nats.ts';
import { postgresBus } from '../../../../src/bus/transports/postgres.ts';
import { redisBus } from '../../../../src/bus/transports/redis.ts';
import { Purgatory } from '../../../../src/index.ts';
import { until } from '../../../support/turns.ts';

const [kind, portText, pidText] = process.argv.slice(2);
const [host, port, pid] = ['127.0.0.1', Number(portText), Number(pidText)];
const echoTimeoutMs = 1_000;

interface Opened {
  readonly bus: Bus;
  /** Ends what the user opened. */
  readonly end: () => unknown;
}

const openers: Record<string, (options: BusOptions) => Opened | Promise<Opened>> = {
  ioredis: (options) => {
    const client = new Redis(port, host).on('error', () => {});
    return { bus: redisBus(client, options), end: () => client.disconnect() };
  },
  'node-redis': async (options) => {
    const client = createClient({ socket: { host, port } });
    client.on('error', () => {});
    const connected = client.connect();
    if (isUp) await connected;
    else connected.catch(() => {});
    return { bus: redisBus(client, options), end: () => client.destroy() };
  },
  nats: async (options) => {
    const connection = await connect({ servers: `${host}:${port}`, maxReconnectAttempts: -1 });
    return { bus: natsBus(connection, options), end: () => connection.close() };
  },
  postgres: (options) => {
    const newClient = (): pg.Client => new pg.Client({ host, port, user: 'postgres', database: 'postgres' });
    return { bus: postgresBus(newClient, options), end: () => {} };
  },
};

let isUp = true;

/** PostgreSQL's connections are processes of their own. */
function signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const each of [`${pid}`, ...children]) {
    try {
      if (each !== '') process.kill(Number(each), name);
    } catch (error) {
      // A connection ends by itself once the server has.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function live(): Promise<Opened> {
  const opened = await openers[kind]({ echoTimeoutMs, onError: () => {} });
  await until(() => opened.bus.state === 'live');
  return opened;
}

async function close(title: string, bus: Bus): Promise<void> {
  await bus.close();
  console.log(`${title}: ${bus.state}`);
}

/** Closes a bus of a purgatory that has a hint to send, after `before`. */
async function closeLive(title: string, before: (opened: Opened) => unknown = () => {}): Promise<void> {
  const opened = await live();
  const orders = new Purgatory('orders', { bus: opened.bus });
  await before(opened);
  orders.notify('42');
  orders.close();
  await close(title, opened.bus);
  await opened.end();
}

{
  const { bus, end } = await live();
  await close('idle', bus);
  await end();
}
await closeLive('a hint to send');
await closeLive('its client ended', ({ end }) => end());
{
  const { bus, end } = await openers[kind]({ echoTimeoutMs, onError: () => {} });
  await close('not connected yet', bus);
  await end();
}
await closeLive('engine stopped', () => signal('SIGSTOP'));
signal('SIGCONT');
await closeLive('engine killed', () => signal('SIGKILL'));
if (kind !== 'nats') {
  isUp = false;
  const { bus, end } = await openers[kind]({ echoTimeoutMs, onError: () => {} });
  await close('engine gone', bus);
  await end();
}
