// The API reference, into docs/api (not committed): a page for each import path, from docs/reference.
import { readdirSync } from 'node:fs';

const pages = new URL('../docs/reference/', import.meta.url);

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'purgatory',
  entryPoints: readdirSync(pages)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.example.ts'))
    .map((file) => `../docs/reference/${file}`),
  tsconfig: 'tsconfig.json',
  out: '../docs/api',
  readme: 'none',
  sort: ['source-order'],
  sortEntryPoints: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  hideGenerator: true,
  // An example is code that is included, not text that is code.
  jsDocCompatibility: { exampleTag: false },
  githubPages: false,
  treatWarningsAsErrors: true,
};
