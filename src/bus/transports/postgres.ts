// `purgatory/bus/postgres`: a bus over PostgreSQL's LISTEN and NOTIFY, with connections of `pg`.
//
// Ground rules. The bus has one connection of its own, which listens and notifies. pg never
// connects a client twice, so each attempt makes a new client. Behind a pooler, a second one
// notifies: in transaction mode a connection hears nothing but itself, and so the echo shows it. A
// full queue of NOTIFY stays full, as its tail moves only when it is looked at. NOTIFY takes a lock
// of the whole server when its transaction commits. So hints are gathered for 10 ms, and go out in
// statements of their own. notifyInTransaction commits a hint with the data, and pays for that lock
// in the transaction.

import { requiredArray } from '../../base/checks.ts';
import { invalidArgType, invalidArgValue, invalidReturnValue } from '../../base/node-errors.ts';
import { cut } from '../../base/text.ts';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions, isMaker, unfit, wrongSource } from '../bus-options.ts';
import { FrameBody, frameText } from '../frames.ts';
import { checkHintKey } from '../membership/bus-member.ts';
import type { Transport, TransportLink } from '../transport.ts';

/** What is needed of a client of pg in a transaction: a `Client`, or a `PoolClient`. */
export interface PostgresQueryable {
  /** A Pool has it. Its queries run on any of its connections: outside of a transaction. */
  readonly totalCount?: undefined;
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** What is needed of a `Client` of pg that is not connected yet. */
export interface PostgresClient extends PostgresQueryable {
  connect(): Promise<unknown>;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (notification: { payload?: string | undefined }) => void): unknown;
}

/** What is needed of the purgatory, or the SharedWaits, that hints are for. */
export interface NotifiedMember {
  readonly name: string;
  readonly numDelayed: number;
  /** @internal */
  readonly $bus?: object | undefined;
}

const ENGINE = 'postgres';
/** NOTIFY refuses payloads of 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_500;
const FLUSH_MS = 10;
/** The codes of a connection that an operator, or the end of the server, has ended. */
const SHUTDOWN = '57P';
const NOTIFY = 'SELECT pg_notify($1, $2)';
/** As text: the user may parse the types of PostgreSQL in his own way. */
const FITNESS = 'SELECT pg_is_in_recovery()::text AS replica, pg_backend_pid()::text AS pid';
/** Moves the tail of the queue. */
const LOOK = 'SELECT pg_notification_queue_usage()';
const REPLICA = 'The PostgreSQL server is a replica, which cannot NOTIFY: connect the bus to the primary';
const POOLER =
  'The PostgreSQL server is behind a pooler that shares its connections, where nothing is heard of NOTIFY: ' +
  'connect the bus to the server itself, or use session mode';

/**
 * A bus over PostgreSQL.
 *
 * @param newClient makes a client that is not connected yet: `() => new pg.Client(...)`. It must
 * lead to the primary server itself, or to a pooler in session mode. A replica cannot notify, and
 * behind a pooler such as PgBouncer in transaction mode nothing is received: the bus says so, and
 * tries again. The bus closes when `newClient` returns a promise, a Pool, or the client of the last
 * time. Then `onError` gets ERR_INVALID_RETURN_VALUE.
 * @throws TypeError, RangeError (Node's codes) for a value that is not a function, or a bad option.
 */
export function postgresBus(newClient: () => PostgresClient, options?: BusOptions): Bus {
  if (!isMaker(newClient)) {
    throw wrongSource(
      'newClient',
      'a function that makes a client of pg: () => new pg.Client(...)',
      newClient,
    );
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(postgresTransport(newClient, prefix), options);
}

/**
 * Publishes hints in the transaction of `client`. All processes, the publishing one included, get
 * them when the transaction commits. They are dropped when it is rolled back. The server serializes
 * the commits of transactions that notify: use this only for hints that must not be lost.
 *
 * @param client the connected client that the transaction runs on. A Pool is refused: it would
 * notify on another connection, outside of the transaction.
 * @param purgatory a purgatory, or SharedWaits. Its hints reach all that have its name, in all
 * processes, over the prefix of its bus.
 * @param options the `prefix` of the bus, for a purgatory without one. Default 'purgatory'.
 * @throws Rejects with a TypeError for a Pool, for a name in place of the purgatory, for one in
 * which operations are parked that has no bus, for one whose bus is not over PostgreSQL, for a
 * `prefix` that its bus does not have, and for keys that a bus does not take; nothing is published
 * then. Rejects with what the query rejects with.
 */
export async function notifyInTransaction(
  client: PostgresQueryable,
  purgatory: NotifiedMember,
  keys: readonly string[],
  options?: Pick<BusOptions, 'prefix'>,
): Promise<void> {
  if (typeof client?.query !== 'function' || isPool(client)) {
    throw invalidArgType('client', 'the client of pg that has begun the transaction, and no Pool', client);
  }
  if (typeof purgatory?.name !== 'string' || typeof purgatory.numDelayed !== 'number') {
    throw invalidArgType('purgatory', 'a Purgatory, a ThresholdPurgatory or SharedWaits', purgatory);
  }
  const { name } = purgatory;
  if (purgatory.$bus === undefined && purgatory.numDelayed > 0) {
    throw invalidArgValue('purgatory', 'must have the option bus: what is parked in it hears no hint', name);
  }
  requiredArray('keys', keys);
  for (const key of keys) checkHintKey(key);
  const prefix = prefixOf(purgatory, options);
  let frame = new FrameBody(MAX_PAYLOAD_BYTES);
  for (const key of new Set(keys)) {
    if (frame.add(name, key, undefined)) continue;
    await client.query(NOTIFY, [prefix, frameText(frame.text())]);
    frame = new FrameBody(MAX_PAYLOAD_BYTES);
    frame.add(name, key, undefined);
  }
  if (keys.length > 0) await client.query(NOTIFY, [prefix, frameText(frame.text())]);
}

/** The prefix of the bus of `purgatory`; that of `options` where it has none that tells. */
function prefixOf({ name, $bus }: NotifiedMember, options: Pick<BusOptions, 'prefix'> | undefined): string {
  const { prefix } = checkedBusOptions(options);
  const bus = ($bus as Partial<Bus> | undefined)?.snapshot?.();
  if (bus === undefined) return prefix;
  if (bus.engine !== ENGINE) {
    const rule = `must be on a bus over ${ENGINE}: its bus over ${bus.engine} hears nothing of a transaction`;
    throw invalidArgValue('purgatory', rule, name);
  }
  if (options?.prefix !== undefined && prefix !== bus.prefix) {
    const rule = `must be that of the bus of "${cut(name)}", "${bus.prefix}", or be left out`;
    throw invalidArgValue('options.prefix', rule, prefix);
  }
  return bus.prefix;
}

/** The transport alone: for the conformance suite. */
export function postgresTransport(newClient: () => PostgresClient, channel: string): Transport {
  /** The one that listens, and the one that notifies: behind a pooler another one. */
  let own: PostgresClient[] = [];
  let ends: TransportLink['down'] = () => {};
  /** What `newClient` returned last. */
  let latest: PostgresClient | undefined;
  /** The last query. pg wants one query at a time. */
  let last: Promise<unknown> = Promise.resolve();
  const make = (link: TransportLink): PostgresClient => {
    const made = newClient();
    if (made === latest || !isNewClient(made)) {
      // The promise of an asynchronous newClient may reject: no other code handles that.
      Promise.resolve(made).catch(() => {});
      throw invalidReturnValue('a client of pg that is not connected', 'newClient', made);
    }
    latest = made;
    made.on('error', link.down);
    made.on('end', () => link.down(new Error('PostgreSQL closed the connection')));
    return made;
  };
  const start = async (ear: PostgresClient, link: TransportLink): Promise<void> => {
    await ear.connect();
    const [fitness] = (await ear.query(FITNESS)).rows;
    if (fitness.replica === 'true') throw unfit(REPLICA);
    await ear.query(LOOK).catch(() => {}); // who may not look may notify
    // A pooler hands out process numbers of its own.
    const { processID } = ear as { processID?: number | null };
    if (typeof processID === 'number' && `${processID}` !== fitness.pid) {
      if (own[0] !== ear) return;
      own.push(make(link));
      await own[1].connect();
    }
    await ear.query(`LISTEN "${channel}"`);
    link.up();
  };
  return {
    engine: ENGINE,
    maxFrameBytes: MAX_PAYLOAD_BYTES,
    flushMs: FLUSH_MS,
    connect(link) {
      const ear = make(link);
      own = [ear];
      ends = link.down;
      last = Promise.resolve();
      ear.on('notification', ({ payload }) => link.received(payload ?? ''));
      start(ear, link).catch(link.down);
    },
    publish(text) {
      const mouth = own.at(-1);
      const down = ends;
      if (mouth === undefined) throw new Error('Not connected to PostgreSQL');
      const notify = (): Promise<unknown> => mouth.query(NOTIFY, [channel, text]);
      last = last.then(notify, notify);
      return last.catch((error: { code?: string }) => {
        if (error.code?.startsWith(SHUTDOWN)) down(error); // the connection ends: that refuses no text
        throw error;
      });
    },
    whySilent: () => (own.length > 1 ? unfit(POOLER) : undefined),
    async disconnect() {
      const ended = own.map((each) => each.end());
      // A server that does not answer must not keep the process alive.
      for (const each of own as { connection?: { stream?: { unref?(): void } } }[]) {
        each.connection?.stream?.unref?.();
      }
      own = [];
      await Promise.all(ended);
    },
  };
}

/** A Pool has all methods of a Client. It tells how many connections it has. */
function isPool(client: object): boolean {
  return 'totalCount' in client;
}

function isNewClient(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isPool(value)) return false;
  const { on, connect, query, end, processID } = value as Record<string, unknown>;
  const isClient = [on, connect, query, end].every((method) => typeof method === 'function');
  return isClient && typeof processID !== 'number';
}
