import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { runNode } from './support/run-node.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the program of the broker', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'purgatory-main-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('is waited for by the ten lines of the README, and leaves nothing behind with --data memory', async () => {
    const readme = readFileSync(join(root, 'examples/broker/README.md'), 'utf8');
    const [, program] = /```js\n([\s\S]+?)```/.exec(readme) ?? [];
    expect(program.trim().split('\n')).to.have.length.at.most(11);
    const script = join(folder, 'wait.mjs');
    writeFileSync(script, program);
    const { code, stdout, stderr } = await runNode([script], { cwd: root, env: { TMPDIR: folder } });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^127\.0\.0\.1:\d+\n$/);
    expect(readdirSync(folder).filter((name) => name.startsWith('purgatory-broker-'))).to.deep.equal([]);
  });

  it('says what to do where the package is not built', async () => {
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    cpSync(join(root, 'examples/broker'), join(folder, 'examples/broker'), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules'))) {
      const target = name === 'purgatory' ? folder : join(root, 'node_modules', name);
      symlinkSync(target, join(folder, 'node_modules', name));
    }
    const main = join(folder, 'examples/broker/main.ts');
    const { code, stdout, stderr } = await runNode(['--import', 'tsx', main], { cwd: folder });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.contain('dist/index.js').and.to.contain('`npm ci` and then `npm run build`');
    expect(stderr, 'no stack').to.not.match(/^ +at /m);
  });

  it('is not built again by npm start, unless a source is newer', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
    const prestart = async () => {
      const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
      return (await promisify(execFile)('sh', ['-c', scripts.prestart], { cwd: folder, env })).stdout;
    };
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    writeFileSync(join(folder, 'src/deep/a.ts'), '');
    expect(await prestart()).to.equal('npm run build\n');
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.js'), '');
    utimesSync(join(folder, 'src/deep/a.ts'), 1000, 1000);
    expect(await prestart()).to.equal('');
    utimesSync(join(folder, 'dist/index.js'), 900, 900);
    expect(await prestart()).to.equal('npm run build\n');
  });
});
