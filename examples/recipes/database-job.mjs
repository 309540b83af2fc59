// A wait for a row of PostgreSQL: docs/recipes/database-job.md
// npm install purgatory pg
import pg from 'pg';
import { Purgatory } from 'purgatory';

// query_timeout: a read that hangs would keep its wait from hearing events.
const database = new pg.Pool({ connectionString: process.env.DATABASE_URL, query_timeout: 5_000 });
await database.query('CREATE TABLE IF NOT EXISTS jobs (id text PRIMARY KEY, result text)');
const jobs = new Purgatory('jobs');

/** Resolves with the job's result, or with undefined after `timeoutMs`. */
async function resultOf(id, { timeoutMs, signal }) {
  const done = async () => {
    const { rows } = await database.query('SELECT result FROM jobs WHERE id = $1', [id]);
    return rows[0]?.result; // undefined or null: not yet
  };
  const outcome = await jobs.waitFor([id], done, { timeoutMs, signal, label: `job ${id}` });
  return outcome.expired ? undefined : outcome.value;
}

async function finish(id, result) {
  await database.query('UPDATE jobs SET result = $2 WHERE id = $1', [id, result]);
  jobs.notify(id); // after the change is visible to readers
}

await database.query(`INSERT INTO jobs VALUES ('a', NULL), ('b', NULL)`);
setTimeout(() => finish('a', 'forty-two'), 100);
console.log(await resultOf('a', { timeoutMs: 5_000 }));
console.log(await resultOf('b', { timeoutMs: 200 }));
await database.end();

/* It prints

forty-two
undefined
*/
