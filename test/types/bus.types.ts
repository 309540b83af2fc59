import { connect } from '@nats-io/transport-node';
import { expectTypeOf } from 'expect-type';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import pg from 'pg';
import { ManualClock, Purgatory } from 'purgatory';
import { type Bus, createBus, LocalHub, type Transport } from 'purgatory/bus';
import { clusterBus, relayBus } from 'purgatory/bus/cluster';
import { type ConformanceCase, transportConformance } from 'purgatory/bus/conformance';
import { natsBus } from 'purgatory/bus/nats';
import { notifyInTransaction, postgresBus } from 'purgatory/bus/postgres';
import { redisBus } from 'purgatory/bus/redis';
import { workersBus } from 'purgatory/bus/workers';
import { createClient } from 'redis';

declare const transport: Transport;
declare const makeTransport: () => Transport;
const bus = new LocalHub({ clock: new ManualClock() }).bus({ prefix: 'test', flushMs: 1 });
// The clients of users, as they are; and a transport from outside.
expectTypeOf<Bus>().toEqualTypeOf(bus);
for (const each of [
  redisBus(new Redis()),
  redisBus(new Valkey()),
  redisBus(createClient(), { prefix: 'test' }),
  natsBus(await connect()),
  natsBus(() => connect({ servers: 'localhost' })),
  postgresBus(() => new pg.Client(), { flushMs: 10 }),
  clusterBus({ prefix: 'test' }),
  workersBus({ prefix: 'test' }),
  createBus(transport),
])
  expectTypeOf(each).toEqualTypeOf<Bus>();
const cases = transportConformance(makeTransport, { sever: async () => {}, patienceMs: 5 });
expectTypeOf(cases).toEqualTypeOf<ConformanceCase[]>();
expectTypeOf(relayBus()).toExtend<Disposable>();

// @ts-expect-error a state cannot be set
bus.state = 'live';
// @ts-expect-error no client
redisBus({ host: 'localhost' });
// @ts-expect-error a promise of a connection is none
natsBus(connect());
// @ts-expect-error a bus makes its own clients, to connect again
postgresBus(new pg.Client());
// @ts-expect-error a Pool has no connection of its own
postgresBus(() => new pg.Pool());
// @ts-expect-error a prefix is a string
workersBus({ prefix: 7 });
// @ts-expect-error the relay has no options
relayBus({ prefix: 'test' });
// @ts-expect-error what makes a transport is wanted, not a transport
transportConformance({} as Transport);

// A purgatory takes a bus, whatever its keys; keys that are no strings are refused at run time.
const jobs = new Purgatory<string>('jobs', { bus });
// In a transaction of a client, or of one from a pool.
void notifyInTransaction(new pg.Client(), jobs, ['job-7']);
void notifyInTransaction(await new pg.Pool().connect(), jobs, ['job-7'], { prefix: 'test' });
// @ts-expect-error a Pool would notify on another connection, outside of the transaction
void notifyInTransaction(new pg.Pool(), jobs, ['job-7']);
// @ts-expect-error a name may be misspelt: the purgatory is asked for
void notifyInTransaction(new pg.Client(), 'jobs', ['job-7']);
