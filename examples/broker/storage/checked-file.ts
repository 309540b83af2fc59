/**
 * A file of one checked line, replaced at once or not at all: whatever crashes, any other content is
 * damage.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkedLine, readCheckedLine } from './checked-line.ts';
import type { OnDamage } from './damage.ts';
import { orFullDisk } from './full-disk.ts';
import { syncFolder } from './sync-folder.ts';

const NEWLINE = 0x0a;

/** `absent` where there is no file; undefined where it is damaged and `onDamage` returns. */
export function readCheckedFile<T>(path: string, absent: T, onDamage: OnDamage): T | undefined {
  if (!existsSync(path)) return absent;
  const bytes = readFileSync(path);
  const value = bytes.at(-1) === NEWLINE ? readCheckedLine(bytes.subarray(0, -1)) : undefined;
  if (value === undefined) onDamage(path, 0, 'it is not the line that was written');
  return value as T | undefined;
}

/** It is on the disk when this returns. Throws a FullDisk where there is no room for it. */
export function writeCheckedFile(path: string, value: unknown): void {
  orFullDisk(() => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, checkedLine(value), { flush: true });
    renameSync(`${path}.new`, path);
  });
  syncFolder(dirname(path));
}
