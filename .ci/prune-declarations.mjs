// `npm run build` runs it last: removes the declarations that no import path of the package leads to.
// A user's compiler never reads them.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const reached = new Set();
const open = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [normalize(types)]));
for (let file = open.pop(); file !== undefined; file = open.pop()) {
  if (reached.has(file)) continue;
  reached.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(
    /(?:from |import\()["'](\.[^"']+)\.[jt]s["']/g,
  )) {
    open.push(`${join(dirname(file), path)}.d.ts`);
  }
}
for (const name of readdirSync('dist', { recursive: true })) {
  const file = join('dist', name);
  if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}
