/**
 * Packages from npm that a bench measures beside ours. They are in a folder of their own, which is
 * installed when the first of them is asked for: whoever builds or tests the library needs none.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './npm/' : '../../peers/npm/', import.meta.url),
);

/** @returns what the package `name` of bench/peers/npm/package.json exports: the part that is used. */
export async function npmPeer<Exports>(name: string): Promise<Exports> {
  if (!existsSync(`${folder}node_modules`)) install();
  const entry = createRequire(`${folder}package.json`).resolve(name);
  return import(pathToFileURL(entry).href);
}

function install(): void {
  const args = ['install', '--no-package-lock', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm install in ${folder} ended with code ${status}: ${stderr}`);
}
