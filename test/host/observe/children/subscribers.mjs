// Run by subscribers.test.ts: loads every part of the library, and prints the channels that have a
// subscriber then.
import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const path of Object.keys(exports)) {
  if (path !== './package.json') await import(`purgatory${path.slice(1)}`);
}
const names = readFileSync('src/observe/events/channels.ts', 'utf8').match(/'purgatory:[a-z:]+'/g);
for (const name of new Set(names)) if (channel(name.slice(1, -1)).hasSubscribers) console.log(name);
console.log(names.length > 10);
