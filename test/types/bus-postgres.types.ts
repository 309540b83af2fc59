import { expectTypeOf } from 'expect-type';
import pg from 'pg';
import { Purgatory } from 'purgatory';
import type { Bus } from 'purgatory/bus';
import { notifyInTransaction, postgresBus } from 'purgatory/bus/postgres';

expectTypeOf(postgresBus(() => new pg.Client(), { flushMs: 10 })).toEqualTypeOf<Bus>();
// @ts-expect-error a bus makes its own clients, to connect again
postgresBus(new pg.Client());

// In a transaction of a client, or of one from a pool.
const jobs = new Purgatory<string>('jobs');
expectTypeOf(notifyInTransaction(new pg.Client(), jobs, ['job-7'])).toEqualTypeOf<Promise<void>>();
void notifyInTransaction(await new pg.Pool().connect(), jobs, ['job-7'], { prefix: 'test' });
// @ts-expect-error a Pool would notify on another connection, outside of the transaction
void notifyInTransaction(new pg.Pool(), jobs, ['job-7']);
// @ts-expect-error a Pool has no connection of its own
postgresBus(() => new pg.Pool());
// @ts-expect-error a name may be misspelt: the purgatory is asked for
void notifyInTransaction(new pg.Client(), 'jobs', ['job-7']);
