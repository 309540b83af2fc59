/**
 * Damage: bytes of a file that are not what was written, a bit that flipped for example. What a
 * crash leaves in the middle of the last write is none: a torn end, which is cut off.
 */
import { constants, copyFileSync, existsSync, renameSync } from 'node:fs';
import type { Log } from '../log-lines.ts';

/**
 * Is called once for a damaged file, with the first byte that is wrong, before anything of the file
 * is changed. What it throws ends the start. When it returns, the caller goes on without what is
 * damaged.
 */
export type OnDamage = (path: string, at: number, what: string) => void;

/** A torn end of `bytes` is about to be cut off; the file ends at byte `end` then. */
export type OnTorn = (path: string, bytes: number, end: number) => void;

/** What hears of files that are not as they were written, when they are opened. */
export interface Findings {
  readonly onDamage: OnDamage;
  readonly onTorn: OnTorn;
}

export function findings(isRecovery: boolean, log: Log): Findings {
  return {
    onDamage: isRecovery ? keepDamage(log) : refuseDamage,
    onTorn: (path, bytes, end) => log(`cut a torn end of ${bytes} bytes off ${path}, which has ${end} now`),
  };
}

const refuseDamage: OnDamage = (path, at, what) => {
  throw new Error(
    `${path} is damaged at byte ${at}: ${what}. Nothing of it was changed. ` +
      'Put a whole copy in its place, or start with --recover, which keeps a copy of the file and goes on without what is damaged',
  );
};

/** For `--recover`: keeps a copy beside the file, where there is one. */
function keepDamage(log: Log): OnDamage {
  return (path, at, what) => {
    const copy = existsSync(path) ? freeName(path) : 'nothing, for it is gone';
    if (existsSync(path)) copyFileSync(path, copy, constants.COPYFILE_EXCL);
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
