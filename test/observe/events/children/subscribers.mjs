// Run by events.test.ts: loads every part of the library, and prints the channels that have a
// subscriber then.
import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const path of Object.keys(exports)) {
  if (path !== './package.json') await import(`purgatory${path.slice(1)}`);
}
for (const name of process.argv.slice(2)) if (channel(name).hasSubscribers) console.log(name);
