/**
 * Reserves a folder for one process, because two brokers that append to the same files would ruin
 * them.
 *
 * A claim is an empty file `.lock-<process id>-<start>`, where `start` distinguishes a process from
 * a later one with the same id. A process that wants the folder first claims it, and then looks for
 * claims of others. So when two start at once, each sees the other or one sees neither. They never
 * both have it. A claim whose process is gone, by SIGKILL or with the machine, does not count and
 * is removed.
 *
 * It works among processes that see each other's ids: not between containers that share a folder.
 * Where there is no /proc there is no `start` either. Then an id that another process has taken
 * over keeps the folder locked until the claim is removed by hand.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const CLAIM = /^\.lock-(\d+)-(\d*)$/;

/** The claims of this process, which may run more brokers than one. */
const heldHere = new Set<string>();

/**
 * Takes the folder, and makes it where there is none. Returns a function that gives it back. Throws
 * an Error that names the folder and the process that has it, or why nothing can be written there.
 */
export function lockFolder(folder: string): () => void {
  const claim = `.lock-${process.pid}-${startOf(process.pid) ?? ''}`;
  const path = join(folder, claim);
  const inUse = (pid: number) =>
    new Error(`${folder} is in use by process ${pid}, and two brokers would ruin it`);
  if (heldHere.has(path)) throw inUse(process.pid);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, '');
  } catch (error) {
    throw new Error(`nothing can be written in ${folder}: ${reasonOf(error as Error, folder)}`, {
      cause: error,
    });
  }
  try {
    for (const name of readdirSync(folder)) {
      const [, id, start] = CLAIM.exec(name) ?? [];
      if (id === undefined || name === claim) continue;
      if (isRunning(Number(id), start)) throw inUse(Number(id));
      removeClaim(join(folder, name));
    }
  } catch (error) {
    rmSync(path);
    throw error;
  }
  heldHere.add(path);
  return () => {
    heldHere.delete(path);
    rmSync(path, { force: true });
  };
}

function removeClaim(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_FS_EISDIR') throw error;
    throw new Error(`${path} is a folder, and no claim of a broker: remove it or rename it`, {
      cause: error,
    });
  }
}

/** Of a read-only mount, mkdir says that a folder is missing. */
function reasonOf(error: Error, folder: string): string {
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.W_OK);
    return error.message;
  } catch (refusal) {
    const { code, message } = refusal as NodeJS.ErrnoException;
    return code === 'EROFS' ? `${there} is mounted read-only` : message;
  }
}

function isRunning(pid: number, start: string): boolean {
  const found = startOf(pid);
  if (found !== undefined) return found === start;
  if (start !== '') return false;
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * When the process began, in ticks since the machine did; undefined for one that is gone, and where
 * there is no /proc.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold anything. A zombie is gone, even if its
    // parent has not noticed yet.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : rest[18];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
