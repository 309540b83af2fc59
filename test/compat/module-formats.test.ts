import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ok, runNode, summary } from '../support/child.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

const USE = `
const clock = new purgatory.ManualClock();
const timer = new purgatory.SystemTimer({ clock });
timer.schedule(() => console.log('ran at ' + clock.now()), 5);
clock.advance(10);
console.log(Object.keys(purgatory).filter((name) => name !== '__esModule' && name !== 'module.exports').sort().join(' '));
`;
const PRINTED =
  'ran at 5\nDelayedOperation ManualClock Purgatory PurgatoryError SystemTimer TimerTask systemClock';

describe('The package, packed and installed', function () {
  this.timeout(120_000);
  let home: string;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'purgatory-'));
    const modules = join(home, 'node_modules');
    await mkdir(join(modules, 'purgatory'), { recursive: true });
    await run('npm', ['pack', '--pack-destination', home], { cwd: root });
    const [archive] = (await readdir(home)).filter((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', join(home, archive), '-C', join(modules, 'purgatory'), '--strip-components=1']);
    // What an install would bring besides: the one runtime dependency.
    await symlink(join(root, 'node_modules/@datastructures-js'), join(modules, '@datastructures-js'));
    await writeFile(join(home, 'import.mjs'), `import * as purgatory from 'purgatory';${USE}`);
    await writeFile(join(home, 'require.cjs'), `const purgatory = require('purgatory');${USE}`);
    await writeFile(
      join(home, 'both.mjs'),
      `import { createRequire } from 'node:module';
import { SystemTimer } from 'purgatory';
console.log(createRequire(import.meta.url)('purgatory').SystemTimer === SystemTimer);`,
    );
    await writeFile(join(home, 'inside.mjs'), `import 'purgatory/dist/slab/slab.js';`);
  });

  after(() => rm(home, { recursive: true, force: true }));

  it('is imported as an ES module, without a warning', async () => {
    expect(summary(await runNode(['import.mjs'], { cwd: home }))).to.deep.equal(ok(PRINTED));
  });

  it('is required from CommonJS, without a warning', async () => {
    expect(summary(await runNode(['require.cjs'], { cwd: home }))).to.deep.equal(ok(PRINTED));
  });

  it('is one and the same for both', async () => {
    expect(summary(await runNode(['both.mjs'], { cwd: home }))).to.deep.equal(ok('true'));
  });

  it('lets nobody reach behind its exports', async () => {
    const { code, stderr } = await runNode(['inside.mjs'], { cwd: home });
    expect(code).to.equal(1);
    expect(stderr).to.contain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('brings sources, types and licence, and no tests', async () => {
    const files = await readdir(join(home, 'node_modules/purgatory'), { recursive: true });
    expect(files).to.include.members(['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md']);
    expect(files).to.include.members(['dist/index.js', 'dist/index.d.ts', 'src/index.ts']);
    expect(files.filter((file) => file.includes('.test.') || file.startsWith('test'))).to.deep.equal([]);
  });
});
