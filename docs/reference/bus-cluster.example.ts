import cluster from 'node:cluster';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterBus, relayBus } from 'purgatory/bus/cluster';
import { SharedWaits } from 'purgatory/shared';

if (cluster.isPrimary) {
  relayBus(); // once, in the primary
  const folder = await mkdtemp(join(tmpdir(), 'jobs-')); // what all workers can read
  cluster.fork({ FOLDER: folder, ROLE: 'waits' }).once('exit', () => rm(folder, { recursive: true }));
  cluster.fork({ FOLDER: folder, ROLE: 'works' });
} else {
  const folder = process.env.FOLDER!;
  const bus = clusterBus(); // one in each worker
  const jobs = new SharedWaits<boolean>('jobs', {
    bus,
    load: async () => new Map((await readdir(folder)).map((job) => [job, true])),
  });
  if (process.env.ROLE === 'waits') {
    console.log(await jobs.waitUntil('job-7', (done) => done, { timeoutMs: 30_000 })); // { expired: false, value: true }
  } else {
    await writeFile(join(folder, 'job-7'), ''); // first the change,
    jobs.changed('job-7'); // then the hint
    await bus.flush();
  }
  jobs.close();
  await bus.close();
  cluster.worker?.disconnect();
}
