// The recipes of docs/testing.md and docs/bundlers-and-jest.md for jest, vitest and vite, run by them
// as they are printed (`npm run test:runtimes -- --only Runners`).
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { program } from '../../support/documented.ts';

const home = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A project of a user, with the package installed. */
const project = `${home}.project`;

const runners = [
  { name: 'jest', args: ['--rootDir', project], recipe: 'poll.jest.test.mjs', passed: /^Tests: +1 passed/m },
  {
    name: 'vitest',
    args: ['run', '--root', project],
    recipe: 'poll.vitest.test.mjs',
    passed: /Tests +1 passed/,
  },
];

describe('The recipe of docs/testing.md', function () {
  this.timeout(60_000);

  before(() => {
    mkdirSync(`${project}/node_modules`, { recursive: true });
    symlinkSync(root, `${project}/node_modules/purgatory`);
    writeFileSync(`${project}/package.json`, '{ "type": "module", "private": true }\n');
  });

  after(() => rmSync(project, { recursive: true }));

  for (const { name, args, recipe, passed } of runners) {
    it(`for ${name} passes`, () => {
      writeFileSync(`${project}/${recipe}`, program('docs/testing.md', recipe));
      const command = [`${home}node_modules/.bin/${name}`, ...args, recipe];
      if (name === 'jest') command.push('--testMatch', `**/${recipe}`);
      const env = {
        ...process.env,
        NODE_OPTIONS: '--experimental-vm-modules',
        NO_COLOR: '1',
        FORCE_COLOR: '0',
      };
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
      expect(`${stdout}${stderr}`).to.match(passed);
      expect(status).to.equal(0);
    });
  }
});

describe('The recipe of docs/bundlers-and-jest.md', function () {
  this.timeout(60_000);

  const page = 'docs/bundlers-and-jest.md';
  const commonJs = `${home}.commonjs`;

  before(() => {
    // The built package itself: jest takes the real path of a link, which has no node_modules in it.
    const modules = `${commonJs}/node_modules`;
    mkdirSync(modules, { recursive: true });
    const files = ['package.json', 'dist'];
    for (const file of files) cpSync(`${root}/${file}`, `${modules}/purgatory/${file}`, { recursive: true });
    cpSync(`${root}/node_modules/@datastructures-js`, `${modules}/@datastructures-js`, { recursive: true });
    writeFileSync(`${commonJs}/package.json`, '{ "private": true }\n');
    for (const name of ['jest.config.cjs', 'poll.jest.test.cjs']) {
      writeFileSync(`${commonJs}/${name}`, program(page, name));
    }
  });

  after(() => rmSync(commonJs, { recursive: true }));

  function run(command: readonly string[]): string {
    const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', FORCE_COLOR: '0' };
    const options = { env, cwd: commonJs, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, command, options);
    expect(status, `${stdout}${stderr}`).to.equal(0);
    return `${stdout}${stderr}`;
  }

  const jest = [`${home}node_modules/.bin/jest`, '--testMatch', '**/poll.jest.test.cjs'];

  it('for jest in CommonJS passes', () => {
    expect(run(jest)).to.match(/^Tests: +1 passed/m);
  });

  it('for vite makes a bundle that needs no node_modules', () => {
    const [, build, ssr] = /vite\s+`(build: .*?)`\s+with\s+`(ssr: .*?)`/.exec(
      readFileSync(`${root}/${page}`, 'utf8'),
    ) as unknown as string[];
    writeFileSync(`${commonJs}/vite.config.mjs`, `export default { ${build}, ${ssr} };\n`);
    writeFileSync(`${commonJs}/server.mjs`, program('docs/delayed-operation.md', 'fetch.mjs'));
    run([`${home}node_modules/.bin/vite`, 'build', '--target', 'node20']);
    const bundle = `${commonJs}/dist/server.mjs`;
    expect(readFileSync(bundle, 'utf8')).not.to.match(/^import .* from "(?!node:)/m);
    expect(run([bundle])).to.equal('hello\n');
  });

  it("for jest with pnpm's node_modules passes", () => {
    const [, pattern] = /With\s+pnpm\s+the\s+pattern\s+is\s+`(.*?)`/.exec(
      readFileSync(`${root}/${page}`, 'utf8'),
    ) as unknown as string[];
    const config = program(page, 'jest.config.cjs').replace("'/node_modules/(?!purgatory/)'", () => pattern);
    expect(config).to.contain('pnpm');
    writeFileSync(`${commonJs}/jest.config.cjs`, config);
    const modules = `${commonJs}/node_modules`;
    const store = `${modules}/.pnpm/purgatory@0.1.0/node_modules`;
    mkdirSync(store, { recursive: true });
    for (const name of ['purgatory', '@datastructures-js'])
      renameSync(`${modules}/${name}`, `${store}/${name}`);
    symlinkSync(`${store}/purgatory`, `${modules}/purgatory`);
    expect(run(jest)).to.match(/^Tests: +1 passed/m);
  });
});
