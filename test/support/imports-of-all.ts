import { readFileSync } from 'node:fs';

/** A file of TypeScript that imports each import path of the package. */
export function importsOfAll(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const paths = Object.keys((JSON.parse(text) as { exports: object }).exports);
  return paths
    .filter((path) => !path.endsWith('.json'))
    .map((path, i) => `export * as p${i} from 'purgatory${path.slice(1)}';\n`)
    .join('');
}
