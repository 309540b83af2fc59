import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder in the system's temporary place. It is removed when this process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'purgatory-broker-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
