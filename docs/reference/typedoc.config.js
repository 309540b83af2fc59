// The API reference, into docs/api (not committed): a page for each import path, from this folder.
// `npm run docs` fetches typedoc, and the TypeScript that typedoc needs: it is not the one that the
// library is built with.
import { readdirSync } from 'node:fs';

const pages = new URL('.', import.meta.url);

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'purgatory',
  entryPoints: readdirSync(pages).filter((file) => file.endsWith('.ts') && !file.endsWith('.example.ts')),
  tsconfig: 'tsconfig.json',
  out: '../api',
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
  // A type that only names a part of an option is shown there, without a page.
  validation: { notExported: false },
  treatWarningsAsErrors: true,
};
