// A condition that claims a row, and gives it back when it comes too late: docs/recipes/database-job.md
// npm install purgatory pg
import pg from 'pg';
import { Purgatory } from 'purgatory';

const database = new pg.Pool({ connectionString: process.env.DATABASE_URL, query_timeout: 5_000 });
await database.query('CREATE TABLE IF NOT EXISTS tasks (id serial PRIMARY KEY, worker text)');
const tasks = new Purgatory('tasks');
const CLAIM = `UPDATE tasks SET worker = $1 WHERE id = (
  SELECT id FROM tasks WHERE worker IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id`;

/** Resolves with the id of a task that is the worker's now, or with undefined after `timeoutMs`. */
async function nextTask(worker, { timeoutMs, signal }) {
  const claim = async (context) => {
    const { rows } = await database.query(CLAIM, [worker]);
    if (rows.length > 0 && context.signal.aborted) return giveBack(rows[0].id);
    return rows[0]?.id; // undefined: not yet
  };
  const outcome = await tasks.waitFor(['queued'], claim, { timeoutMs, signal });
  return outcome.expired ? undefined : outcome.value;
}

async function giveBack(id) {
  await database.query('UPDATE tasks SET worker = NULL WHERE id = $1', [id]);
  tasks.notify('queued'); // for those who looked meanwhile
}

await database.query('INSERT INTO tasks DEFAULT VALUES');
const client = new AbortController();
const gone = nextTask('one', { timeoutMs: 5_000, signal: client.signal });
client.abort(); // while the claim is under way
console.log(await gone.catch((error) => error.name));
console.log(await nextTask('two', { timeoutMs: 5_000 }));
await database.end();

/* It prints

AbortError
1
*/
