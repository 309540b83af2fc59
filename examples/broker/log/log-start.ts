/**
 * The first offset that a log still has, where that is not 0: a checked file in the log's folder.
 *
 * It is written before what lies below it is deleted, so a crash in between leaves too much, never
 * a gap.
 */
import { join } from 'node:path';
import { readCheckedFile, writeCheckedFile } from '../storage/checked-file.ts';
import type { OnDamage } from '../storage/damage.ts';

const FILE_NAME = 'start-offset';

/** 0 where there is none; undefined where it is damaged and `onDamage` returns. */
export function readLogStart(folder: string, onDamage: OnDamage): number | undefined {
  return readCheckedFile(join(folder, FILE_NAME), 0, onDamage);
}

/** It is on the disk when this returns. Throws a FullDisk where there is no room for it. */
export function writeLogStart(folder: string, offset: number): void {
  writeCheckedFile(join(folder, FILE_NAME), offset);
}
