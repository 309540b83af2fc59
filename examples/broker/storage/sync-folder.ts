import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Has the disk keep the names in a folder: a new file is only there after a crash when its name is.
 */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
