import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { publint } from 'publint';
import { ok, runNode, summary } from '../support/child.ts';
import { importsOfAll } from '../support/imports-of-all.ts';
import { uncovered } from '../support/uncovered.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
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

/** As `npm install @types/node` in `folder`. */
async function typesOfNode(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

describe('The package, packed and installed', () => {
  let home: string;
  let archive: string;
  let unpackedBytes: number;
  let files: string[];

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'purgatory-'));
    const modules = join(home, 'node_modules');
    await mkdir(join(modules, 'purgatory'), { recursive: true });
    // Without `prepack`: it removes dist/, which tests of other processes load at this moment.
    const args = ['pack', '--ignore-scripts', '--pack-destination', home];
    await run('npm', args, { cwd: root, env: uncovered() });
    [archive] = (await readdir(home)).filter((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', join(home, archive), '-C', join(modules, 'purgatory'), '--strip-components=1']);
    files = await readdir(join(modules, 'purgatory'), { recursive: true });
    const sizes = await Promise.all(files.map((file) => stat(join(modules, 'purgatory', file))));
    unpackedBytes = sizes.filter((each) => each.isFile()).reduce((sum, { size }) => sum + size, 0);
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

  for (const [file, what, printed] of [
    ['import.mjs', 'is imported as an ES module, without a warning', PRINTED],
    ['require.cjs', 'is required from CommonJS, without a warning', PRINTED],
    ['both.mjs', 'is one and the same for both', 'true'],
  ]) {
    it(what, async () => {
      expect(summary(await runNode([file], { cwd: home }))).to.deep.equal(ok(printed));
    });
  }

  it('says of a timer that it comes from another copy of the package', async () => {
    const two = `import { SystemTimer } from 'purgatory';
import { Purgatory } from '${root}dist/index.js';
for (const timer of [new SystemTimer(), new Purgatory('no timer')]) {
  try {
    new Purgatory('p', { timer });
  } catch ({ code, message }) {
    console.log(code, /must be (.*)/.exec(message)[1]);
  }
}`;
    const rule = 'an instance of SystemTimer, or of purgatory/schemes';
    const printed = `ERR_INVALID_ARG_TYPE ${rule}, of this copy of the package: two are loaded (docs/bundlers-and-jest.md). Received an instance of SystemTimer
ERR_INVALID_ARG_TYPE ${rule}. Received an instance of Purgatory`;
    await writeFile(join(home, 'two.mjs'), two);
    expect(summary(await runNode(['two.mjs'], { cwd: home }))).to.deep.equal(ok(printed));
  });

  it('lets nobody reach behind its exports', async () => {
    const { code, stderr } = await runNode(['inside.mjs'], { cwd: home });
    expect(code).to.equal(1);
    expect(stderr).to.contain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('has types for an ES module and for a CommonJS file', async () => {
    const use = `import { DelayedOperation, Purgatory } from 'purgatory';
import { IdleTimeouts } from 'purgatory/idle';
abstract class Op extends DelayedOperation {}
const operations: Op[] = new Purgatory<string, Op>('p').close();
export { IdleTimeouts, operations };`;
    await Promise.all(['use.mts', 'use.cts'].map((file) => writeFile(join(home, file), use)));
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
    const lib = ['--lib', 'es2022,esnext.disposable'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const checked = await runNode([tsc, ...options, ...lib, 'use.mts', 'use.cts'], { cwd: home });
    expect(summary(checked)).to.deep.equal(ok(''));
  });

  it('compiles in a project without settings, which checks the declarations of all that it imports', async () => {
    await typesOfNode(home);
    await writeFile(join(home, 'all.mts'), importsOfAll());
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--module', 'nodenext'];
    expect(summary(await runNode([tsc, ...options, 'all.mts'], { cwd: home }))).to.deep.equal(ok(''));
  });

  it('brings its documentation for users, and neither sources nor maps nor tests', () => {
    expect(files).to.include.members(['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md']);
    expect(files).to.include.members(['dist/index.js', 'dist/index.d.ts', 'examples/delayed-fetch/main.ts']);
    expect(files).to.include.members(['docs/contract.md', 'docs/operations.md']);
    expect(files).to.include.members(['docs/grafana/dashboard.json', 'docs/grafana/alerts.yml']);
    const others = files.filter((file) =>
      /^(src|test|bench)\/|\.map$|\.test\.|contributors|CONTRIBUTING|ARCHITECTURE|broker/.test(file),
    );
    expect(others).to.deep.equal([]);
  });

  it('leads from its pages only to files and pictures that it brings', async () => {
    const pages = files.filter((file) => file.endsWith('.md'));
    expect(pages).to.include.members(['README.md', 'docs/README.md', 'examples/delayed-fetch/README.md']);
    const outside = pages.map(async (page) => {
      const text = await readFile(join(home, 'node_modules/purgatory', page), 'utf8');
      const links = text.replace(/^```.*?^```/gms, '').matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g);
      return [...links]
        .map(([, link]) => link.split('#')[0])
        .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
        .map((link) => join(dirname(page), link))
        .filter((link) => !files.includes(link))
        .map((link) => `${page}: ${link}`);
    });
    expect((await Promise.all(outside)).flat()).to.deep.equal([]);
  });

  it('has nothing that publint warns of', async () => {
    const tarball = await readFile(join(home, archive));
    const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
    expect(messages).to.deep.equal([]);
  });

  it('is smaller than 450 kB as an archive, and than 1.2 MB unpacked', async () => {
    expect((await stat(join(home, archive))).size).to.be.below(450_000);
    expect(unpackedBytes).to.be.below(1_200_000);
  });
});
