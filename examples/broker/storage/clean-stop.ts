/**
 * How large the files of a node were when it stopped, in a checked file, `clean-stop`. It is there
 * between a clean stop and the next start alone. What has become shorter meanwhile is damage, even
 * where it ends between two entries. After a crash, the ends of the files say how much there is.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Log } from '../log-lines.ts';
import { readCheckedFile, writeCheckedFile } from './checked-file.ts';
import type { OnDamage } from './damage.ts';
import { FullDisk } from './full-disk.ts';
import { syncFolder } from './sync-folder.ts';

const FILE_NAME = 'clean-stop';
/** Locks, what was set aside, and what a crash has left of a replacement do not count. */
const OTHERS = /^clean-stop$|^\.lock|~|\.new$/;

/** Bytes, by path. O(files). */
function sizesOf(folder: string): Record<string, number> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const stats = names
    .filter((name) => !OTHERS.test(name))
    .map((name) => [name, statSync(join(folder, name))] as const);
  return Object.fromEntries(stats.flatMap(([name, stat]) => (stat.isFile() ? [[name, stat.size]] : [])));
}

/** All is written and nothing more will be. */
export function noteCleanStop(folder: string, log: Log): void {
  try {
    writeCheckedFile(join(folder, FILE_NAME), sizesOf(folder));
  } catch (error) {
    if (!(error instanceof FullDisk)) throw error;
    log(`did not write down how large the files of ${folder} are: ${error.message}`);
  }
}

/** How many bytes there are of each journal, and of all logs. */
export function describeSizes(folder: string): string {
  const sums = new Map<string, number>();
  for (const [path, size] of Object.entries(sizesOf(folder))) {
    const [name] = path.split(sep);
    sums.set(name, (sums.get(name) ?? 0) + size);
  }
  return [...sums].map(([name, size]) => `${size} bytes of ${name}`).join(', ');
}

/** Whether the folder is as a clean stop has left it. */
export function isAsLeft(folder: string, onDamage: OnDamage): boolean {
  const left = readCheckedFile<Record<string, number>>(join(folder, FILE_NAME), {}, onDamage) ?? {};
  const now = sizesOf(folder);
  const shorter = Object.keys(left).filter((name) => left[name] > (now[name] ?? 0));
  for (const name of shorter)
    onDamage(join(folder, name), now[name] ?? 0, `it ends there, where a clean stop has left ${left[name]}`);
  return shorter.length === 0 && existsSync(join(folder, FILE_NAME));
}

/** The folder is about to change. */
export function forgetCleanStop(folder: string): void {
  rmSync(join(folder, FILE_NAME), { force: true });
  syncFolder(folder);
}
