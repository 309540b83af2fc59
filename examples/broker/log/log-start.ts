/**
 * The first offset that a log still has, where that is not 0: a file of its own in the log's
 * folder, of one checked line, replaced at once or not at all.
 *
 * It is written before what lies below it is deleted, so a crash in between leaves too much, never
 * a gap.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedLine, readCheckedLine } from '../storage/checked-line.ts';
import type { OnDamage } from '../storage/damage.ts';
import { orFullDisk } from '../storage/full-disk.ts';
import { syncFolder } from '../storage/sync-folder.ts';

const FILE_NAME = 'start-offset';
const NEWLINE = 0x0a;

/** 0 where there is none; undefined where it is damaged and `onDamage` returns. */
export function readLogStart(folder: string, onDamage: OnDamage): number | undefined {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) return 0;
  const bytes = readFileSync(path);
  const offset = readCheckedLine(bytes.subarray(0, -1)) as number | undefined;
  if (offset !== undefined && bytes.at(-1) === NEWLINE) return offset;
  onDamage(path, 0, 'it is not the offset that was written');
  return undefined;
}

/** It is on the disk when this returns. Throws a FullDisk where there is no room for it. */
export function writeLogStart(folder: string, offset: number): void {
  const path = join(folder, FILE_NAME);
  orFullDisk(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.new`, checkedLine(offset), { flush: true });
    renameSync(`${path}.new`, path);
  });
  syncFolder(folder);
}
