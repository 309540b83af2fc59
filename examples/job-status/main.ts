// node --import tsx examples/job-status/main.ts [port] [--workers N] [--bus URL] [--inspect]
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../workers/run.ts';
import { openFolder } from './folder-store.ts';
import { openTable } from './postgres-store.ts';
import { JobServer } from './server.ts';

await run({
  defaultPort: 8081,
  async serve({ bus, pool }) {
    const store =
      pool === undefined ? await openFolder(join(tmpdir(), 'purgatory-jobs')) : await openTable(pool);
    const server = new JobServer({ store, bus, worker: process.env.WORKER });
    return { server, waits: server.waits };
  },
  help: (url) => `Start a job, then wait for it, on whichever process answers:
  curl -X POST '${url}/jobs?seconds=5'
  curl '${url}/jobs/<id>?wait=25000'`,
});
