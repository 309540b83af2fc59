// Compiled to CommonJS, as by tsx/cjs and esbuild, an import of a built-in is read at each use. So it
// is in ES modules after syncBuiltinESMExports().
import { expect } from 'chai';
import { bundled } from '../support/bundled.ts';
import { ok, runNode, summary } from '../support/child.ts';

describe('behaviour 12: where a fake replaces what was imported of node:timers, too', () => {
  for (const format of ['cjs', 'esm'] as const) {
    for (const fake of ['sinon', 'node:test']) {
      it(`waits go on after ${fake} under which an event was served, in ${format}`, async () => {
        const script = await bundled('test/host/children/live-imports.ts', format);
        const result = await runNode(['--no-warnings', script, fake]);
        expect(summary(result)).to.deep.equal(ok('["under the fake","after it","later",true]'));
      });
    }
  }
});
