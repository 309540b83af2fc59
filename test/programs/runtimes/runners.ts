// The recipes of docs/testing.md and docs/bundlers-and-jest.md for jest, vitest and vite, run by them
// as they are printed, and every part of a host as a fake of theirs
// (`npm run test:runtimes -- --only Runners`).
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { expectHostPromises } from '../../host/expect-host-promises.ts';
import { bundled } from '../../support/bundled.ts';
import { program, recipe } from '../../support/documented.ts';
import { importsOfAll } from '../../support/imports-of-all.ts';

const home = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A project of a user, with the package installed. */
const project = `${home}.project`;

const runners = [
  { name: 'jest', args: ['--rootDir', project], file: 'jest.mjs', passed: /^Tests: +1 passed/m },
  {
    name: 'vitest',
    args: ['run', '--root', project],
    file: 'vitest.mjs',
    passed: /Tests +1 passed/,
  },
];

/** What a runner prints of tests that pass, which have as long as mocha's. */
function passes(runner: string, args: readonly string[]): string {
  const command = [`${home}node_modules/.bin/${runner}`, ...args, '--testTimeout=600000'];
  const env = {
    ...process.env,
    NODE_OPTIONS: '--experimental-vm-modules',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).to.equal(0);
  return `${stdout}${stderr}`;
}

describe('The recipe of docs/testing.md', () => {
  before(() => {
    mkdirSync(`${project}/node_modules`, { recursive: true });
    symlinkSync(root, `${project}/node_modules/purgatory`);
    writeFileSync(`${project}/package.json`, '{ "type": "module", "private": true }\n');
  });

  after(() => rmSync(project, { recursive: true }));

  for (const { name, args, file, passed } of runners) {
    it(`for ${name} passes`, () => {
      const copy = `poll.${name}.test.mjs`; // vitest runs no other names
      writeFileSync(`${project}/${copy}`, recipe(file));
      const command = [...args, copy];
      if (name === 'jest') command.push('--testMatch', `**/${copy}`);
      expect(passes(name, command)).to.match(passed);
    });
  }
});

describe('A user of TypeScript', () => {
  before(() => {
    const installed = `${project}/node_modules/purgatory`;
    mkdirSync(installed, { recursive: true });
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', project];
    const { stdout } = spawnSync('npm', pack, { cwd: root, encoding: 'utf8' });
    const [{ filename }] = JSON.parse(stdout);
    spawnSync('tar', ['-xf', `${project}/${filename}`, '-C', installed, '--strip-components', '1']);
    writeFileSync(`${project}/package.json`, '{ "type": "module", "private": true }\n');
    writeFileSync(`${project}/all.ts`, importsOfAll());
  });

  after(() => rmSync(project, { recursive: true }));

  function compile(version: string, file: string): void {
    const tsc = `${home}node_modules/typescript${version}/bin/tsc`;
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const args = [tsc, ...options, '--declaration', '--outDir', `${project}/out`, `${project}/${file}`];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stdout]).to.deep.equal([0, '']);
  }

  // Without skipLibCheck, as is the default.
  for (const version of ['52', '56', '58']) {
    it(`compiles what imports the package, and checks its declarations, with ${version}`, () => {
      compile(version, 'all.ts');
    });
  }

  it('can export whatever it infers from a type of the package', () => {
    const args = [`${home}inferences.mjs`, `${project}/all.ts`, `${project}/inferred.ts`];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stderr]).to.deep.equal([0, '']);
    compile('56', 'inferred.ts');
  });
});

describe('A host of which any part is a fake (behaviour 12)', () => {
  const folder = `${home}.half-fakes`;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/package.json`, '{ "type": "module", "private": true }\n');
    for (const [script, name] of [
      ['half-fake', 'half-fake'],
      ['children/library', 'library'],
    ])
      copyFileSync(await bundled(`test/host/${script}.ts`), `${folder}/${name}.mjs`);
  });

  after(() => rmSync(folder, { recursive: true }));

  /** A test that plays all combinations under `install`, and moves time by `api`. */
  function testFile(imports: string, install: string, api: string): string {
    return `${imports}
      import { FAKEABLE, playAll } from './half-fake.mjs';
      test('works, or warns once', async () => {
        const load = (n) => import('./library.mjs?' + n);
        const fake = { tick: (ms) => ${api}.advanceTimersByTime(ms), restore: () => ${api}.useRealTimers() };
        const install = (faked) => {
          ${install};
          return fake;
        };
        expect(await playAll({ names: FAKEABLE, load, install })).toEqual({ played: 127, wrong: [] });
      });`;
  }

  it('works under jest, or warns once', () => {
    const imports = `import { expect, jest, test } from '@jest/globals';`;
    const install = `jest.useFakeTimers({ doNotFake: FAKEABLE.filter((name) => !faked.includes(name)) })`;
    const file = 'half-fakes.jest.test.mjs';
    writeFileSync(`${folder}/${file}`, testFile(imports, install, 'jest'));
    const args = ['--rootDir', folder, '--testMatch', `**/${file}`];
    expect(passes('jest', args)).to.match(/^Tests: +1 passed/m);
  });

  it('works under vitest, or warns once', () => {
    const imports = `import { expect, test, vi } from 'vitest';`;
    const install = `vi.useFakeTimers({ toFake: faked.includes('setTimeout') ? [...faked, 'clearTimeout'] : faked })`;
    const file = 'half-fakes.vitest.test.mjs';
    writeFileSync(`${folder}/${file}`, testFile(imports, install, 'vi'));
    // Where tests are processes, vitest does not fake nextTick.
    expect(passes('vitest', ['run', '--root', folder, '--pool', 'threads', file])).to.match(
      /Tests +1 passed/,
    );
  });
});

describe('The realm of a test runner (behaviour 20)', () => {
  const folder = `${home}.realms`;
  let ended: string;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/package.json`, '{ "type": "module", "private": true }\n');
    copyFileSync(await bundled('test/host/children/all-waits.ts'), `${folder}/all-waits.mjs`);
    ended = spawnSync(process.execPath, [`${folder}/all-waits.mjs`], { encoding: 'utf8' }).stdout;
  });

  after(() => rmSync(folder, { recursive: true }));

  for (const { name, runner, args } of [
    { name: 'jest', runner: 'jest', args: ['--rootDir', folder, '--testMatch', '**/realm.jest.test.mjs'] },
    ...['vmThreads', 'vmForks'].map((pool) => ({
      name: `vitest, ${pool},`,
      runner: 'vitest',
      args: ['run', '--root', folder, '--pool', pool, 'realm.vitest.test.mjs'],
    })),
  ]) {
    it(`of ${name} ends each kind of wait with a signal`, () => {
      const from = runner === 'jest' ? '@jest/globals' : 'vitest';
      const file = `import { expect, test } from '${from}';
        import { ended } from './all-waits.mjs';
        test('each', async () => expect(await ended).toBe(${JSON.stringify(ended)}));`;
      writeFileSync(`${folder}/realm.${runner}.test.mjs`, file);
      expect(passes(runner, args)).to.match(/Tests:? +1 passed/);
    });
  }
});

describe('The fake timers of Bun’s runner, which replace nothing (behaviours 8 and 12)', () => {
  it('are followed, and real time goes on after them', () => {
    const folder = `${home}.bun`;
    mkdirSync(folder, { recursive: true });
    try {
      const test = `import { expect, jest, test } from 'bun:test';
        import { Purgatory } from '${root}dist/index.js';
        import { setTimeout as dropIn } from '${root}dist/waits/timers/index.js';
        test('follows', async () => {
          const polls = new Purgatory('polls');
          const wait = (timeoutMs) => polls.waitFor(['feed'], () => undefined, { timeoutMs });
          for (let round = 0; round < 3; round++) {
            jest.useFakeTimers();
            const ended = [];
            wait(30_000).then(() => ended.push('wait'));
            dropIn(() => ended.push('drop-in'), 30_000);
            const left = wait(60_000).catch(() => {});
            jest.advanceTimersByTime(29_900);
            for (let i = 0; i < 10; i++) await undefined;
            expect(ended).toEqual([]);
            jest.advanceTimersByTime(200);
            for (let i = 0; i < 10; i++) await undefined;
            expect(ended.sort()).toEqual(['drop-in', 'wait']);
            jest.useRealTimers();
            const beganMs = performance.now();
            expect(await wait(30)).toEqual({ expired: true });
            expect(performance.now() - beganMs).toBeGreaterThan(29);
            expect(polls.numDelayed).toBe(1);
            polls.cancelForKey('feed');
            await left;
          }
        });`;
      writeFileSync(`${folder}/fakes.test.mjs`, test);
      const bun = `${home}node_modules/.bin/bun`;
      const { status, stderr } = spawnSync(bun, ['test', './fakes.test.mjs'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect([status, stderr.match(/\d+ pass/)?.[0]], stderr).to.deep.equal([0, '1 pass']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('A host that zone.js has wrapped (behaviours 9, 25 and 36)', () => {
  for (const date of ['own', 'ticking', 'frozen']) {
    it(`holds, where Date is ${date === 'own' ? 'its own' : `replaced and ${date}`}`, () =>
      expectHostPromises('zone.js', date, `${home}node_modules/zone.js/fesm2015/zone-node.js`));
  }
});

describe('The recipe of docs/bundlers-and-jest.md', () => {
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
    writeFileSync(`${commonJs}/jest.config.cjs`, program(page, 'jest.config.cjs'));
    const imports = /^import .*@jest.*\nimport \{ Purgatory \} from 'purgatory';$/m;
    const required = recipe('jest.mjs').replace(imports, "const { Purgatory } = require('purgatory');");
    writeFileSync(`${commonJs}/poll.jest.test.cjs`, required);
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
