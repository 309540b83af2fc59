import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { transform } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8');
const { c8 } = JSON.parse(read('package.json')) as {
  c8: { exclude: string[] };
};

describe('The workplace', () => {
  it('lets `npx mocha FILE` run that file alone: mocha would add the tests that its configuration names', () => {
    expect(JSON.parse(read('.mocharc.json'))).to.not.have.any.keys('spec', 'file');
  });

  it('measures the coverage of each source that has code to run, but for the page of the inspector', async () => {
    const page = 'src/observe/inspector/page/**';
    expect(c8.exclude).to.include(page);
    for (const file of c8.exclude.filter((pattern) => pattern !== page)) {
      const { code } = await transform(read(file), { loader: 'ts' });
      expect(code, file).to.equal('');
    }
  });
});
