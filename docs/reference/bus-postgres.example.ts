import pg from 'pg';
import { notifyInTransaction, postgresBus } from 'purgatory/bus/postgres';
import { SharedWaits } from 'purgatory/shared';

const connectionString = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const client = new pg.Client({ connectionString });
await client.connect();
await client.query('CREATE TEMPORARY TABLE job (id text PRIMARY KEY, state text NOT NULL)');

const bus = postgresBus(() => new pg.Client({ connectionString })); // one in each process
const jobs = new SharedWaits<string>('jobs', {
  bus,
  load: async (keys) => {
    const { rows } = await client.query('SELECT id, state FROM job WHERE id = ANY($1)', [keys]);
    return new Map(rows.map(({ id, state }) => [id, state]));
  },
});

const isDone = (state: string | undefined): string | undefined => (state === 'done' ? state : undefined);
const wait = jobs.waitUntil('job-7', isDone, { timeoutMs: 5_000 });
await client.query('BEGIN');
await client.query(`INSERT INTO job VALUES ('job-7', 'done')`);
await notifyInTransaction(client, jobs, ['job-7']); // told to every process at the commit
await client.query('COMMIT');
console.log(await wait); // { expired: false, value: 'done' }

jobs.close();
await bus.close();
await client.end();
