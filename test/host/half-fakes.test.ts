// Half of a host is a fake, as when people copy a list to "mock only Date".
import { expect } from 'chai';
import { bundled } from '../support/bundled.ts';
import { ok, runNode, summary } from '../support/child.ts';

describe('behaviour 12: a host of which any part is a fake', () => {
  for (const name of ['sinon', 'vitest', 'jest', 'node:test']) {
    for (const order of ['after', 'first']) {
      const isFirst = order === 'first';
      const played = name === 'node:test' ? 7 : isFirst ? 15 : 127;
      it(`works under ${name}${isFirst ? ' that was there before the import' : ''}, or warns once: nothing waits in silence`, async () => {
        const [child, library] = await Promise.all(
          ['half-fakes', 'library'].map((script) => bundled(`test/host/children/${script}.ts`)),
        );
        const result = await runNode(['--no-warnings', child, name, library, order]);
        expect(summary(result)).to.deep.equal(ok(JSON.stringify({ played, wrong: [] })));
      });
    }
  }
});
