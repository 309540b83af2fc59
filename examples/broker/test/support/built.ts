// Required by .mocharc.json: a clone that is not built says so, in place of a module that is missing.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../../../../dist/index.js', import.meta.url))) {
  console.error('The tests use purgatory as it is built: run npm run build in the root first.');
  process.exit(1);
}
