// Jobs in a folder, a file each. Ground rules: a file is written beside its place and renamed, so
// that a reader sees the whole of one version or the whole of another.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, JobStore } from './jobs.ts';

export async function openFolder(folder: string): Promise<JobStore> {
  await mkdir(folder, { recursive: true });
  const fileOf = (id: string): string => join(folder, `${id}.json`);

  async function readOne(id: string, signal: AbortSignal): Promise<[string, Job][]> {
    try {
      return [[id, JSON.parse(await readFile(fileOf(id), { encoding: 'utf8', signal }))]];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  return {
    async read(ids, { signal }) {
      return new Map((await Promise.all(ids.map((id) => readOne(id, signal)))).flat());
    },
    async write(job) {
      const beside = `${fileOf(job.id)}.${process.pid}`;
      await writeFile(beside, JSON.stringify(job));
      await rename(beside, fileOf(job.id));
    },
  };
}
