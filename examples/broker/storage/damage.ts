/**
 * Damage: bytes of a file that are not what was written, a bit that flipped for example. What a
 * crash leaves in the middle of the last write is none.
 */
import { constants, copyFileSync, existsSync, renameSync } from 'node:fs';
import type { Log } from '../log-lines.ts';

/**
 * Is called once for a damaged file, with the first byte that is wrong, before anything of the file
 * is changed. What it throws ends the start. When it returns, the caller goes on without what is
 * damaged.
 */
export type OnDamage = (path: string, at: number, what: string) => void;

export const refuseDamage: OnDamage = (path, at, what) => {
  throw new Error(
    `${path} is damaged at byte ${at}: ${what}. Nothing of it was changed. ` +
      'Put a whole copy in its place, or start with --recover, which keeps a copy of the file and goes on without what is damaged',
  );
};

/** For `--recover`: keeps a copy beside the file. */
export function keepDamage(log: Log): OnDamage {
  return (path, at, what) => {
    const copy = freeName(path);
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
    log(`${path} was damaged at byte ${at}: ${what}. Went on without that, and kept ${copy}`);
  };
}

/** Takes a file or a folder out of use. Returns the name that it has now. */
export function setAside(path: string): string {
  const name = freeName(path);
  renameSync(path, name);
  return name;
}

/** No topic has a `~` in its name. */
function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = `${path}.damaged~${n}`;
    if (!existsSync(name)) return name;
  }
}
