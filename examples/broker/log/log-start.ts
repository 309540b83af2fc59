/**
 * The first offset that a log still has, where that is not 0: a file of its own in the log's
 * folder, replaced at once or not at all.
 *
 * It is written before what lies below it is deleted, so a crash in between leaves too much, never
 * a gap.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orFullDisk } from '../storage/full-disk.ts';
import { syncFolder } from '../storage/sync-folder.ts';

const FILE_NAME = 'start-offset';

/** 0 where there is none. Throws an Error for a file that holds no offset. */
export function readLogStart(folder: string): number {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) return 0;
  const text = readFileSync(path, 'utf8');
  if (!/^\d{1,16}\n$/.test(text))
    throw new Error(`${path} holds ${JSON.stringify(text)}, which is no offset`);
  return Number(text);
}

/** It is on the disk when this returns. Throws a FullDisk where there is no room for it. */
export function writeLogStart(folder: string, offset: number): void {
  const path = join(folder, FILE_NAME);
  orFullDisk(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.new`, `${offset}\n`, { flush: true });
    renameSync(`${path}.new`, path);
  });
  syncFolder(folder);
}
