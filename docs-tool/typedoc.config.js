// The API reference: every subpath that the package exports, from its source, into docs/api (not committed).
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'purgatory',
  entryPoints: Object.values(manifest.exports)
    .map(({ types }) => types)
    .filter((types) => types !== undefined)
    .map((types) => types.replace('./dist/', '../src/').replace('.d.ts', '.ts')),
  tsconfig: 'tsconfig.json',
  out: '../docs/api',
  readme: 'none',
  sort: ['source-order'],
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  hideGenerator: true,
  githubPages: false,
  treatWarningsAsErrors: true,
};
