// Required by .mocharc.json: a clone that is not built says so, in place of a module that is missing.
import { existsSync } from 'node:fs';

const built = new URL('../../dist/index.js', import.meta.url);
if (!existsSync(built)) {
  console.error('The tests use the package as it is built: run npm run build first.');
  process.exit(1);
}
