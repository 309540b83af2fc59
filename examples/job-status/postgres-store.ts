// Jobs in a table of PostgreSQL. A version is never replaced by an earlier one, even when a process
// is late.
import type { Pool } from 'pg';
import type { Job, JobStore } from './jobs.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS purgatory_jobs (
  id text PRIMARY KEY, state text NOT NULL, progress int NOT NULL, version int NOT NULL)`;
const READ = 'SELECT id, state, progress, version FROM purgatory_jobs WHERE id = ANY($1)';
const WRITE = `INSERT INTO purgatory_jobs AS old (id, state, progress, version) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET state = excluded.state, progress = excluded.progress, version = excluded.version
  WHERE old.version < excluded.version`;
/**
 * Several processes may start at once. Without the lock, one of two CREATE TABLE IF NOT EXISTS can
 * fail.
 */
const LOCK = 'SELECT pg_advisory_xact_lock(7461)';

export async function openTable(pool: Pool): Promise<JobStore> {
  await pool.query(`BEGIN; ${LOCK}; ${TABLE}; COMMIT`);
  return {
    async read(ids) {
      const { rows } = await pool.query<Job>(READ, [ids]);
      return new Map(rows.map((job) => [job.id, job]));
    },
    async write({ id, state, progress, version }) {
      await pool.query(WRITE, [id, state, progress, version]);
    },
  };
}
