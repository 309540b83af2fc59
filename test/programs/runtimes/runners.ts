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
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { expectHostPromises } from '../../host/expect-host-promises.ts';
import { bundled } from '../../support/bundled.ts';
import { program, recipe } from '../../support/documented.ts';
import { importsOfAll } from '../../support/imports-of-all.ts';

const home = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs node with these arguments in `cwd`. Returns what it prints, once it has ended well. */
function run(args: readonly string[], cwd = home, env: NodeJS.ProcessEnv = {}): string {
  const plain = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', FORCE_COLOR: '0', ...env };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env: plain, encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).to.equal(0);
  return `${stdout}${stderr}`;
}

/** The one test of `file` passes. */
function passes(runner: 'jest' | 'vitest', folder: string, file: string, ...more: readonly string[]): void {
  const args =
    runner === 'jest'
      ? ['--rootDir', folder, '--testMatch', `**/${file}`]
      : ['run', '--root', folder, ...more, file];
  const command = [`${home}node_modules/.bin/${runner}`, ...args, '--testTimeout=600000']; // as mocha's
  const printed = run(command, folder, {
    NODE_OPTIONS: '--experimental-vm-modules',
  });
  expect(printed).to.match(/Tests:? +1 passed/);
}

/** A project of a user, for the tests of one block. */
function project(name: string, prepare: (folder: string) => unknown): string {
  const folder = `${home}.${name}`;
  before(async () => {
    mkdirSync(`${folder}/node_modules`, { recursive: true });
    writeFileSync(`${folder}/package.json`, '{ "type": "module", "private": true }\n');
    await prepare(folder);
  });
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('The recipe of docs/testing.md', () => {
  const folder = project('project', (home) => symlinkSync(root, `${home}/node_modules/purgatory`));

  for (const [name, file] of [
    ['jest', 'jest.mjs'],
    ['vitest', 'vitest.mjs'],
  ] as const) {
    it(`for ${name} passes`, () => {
      const copy = `poll.${name}.test.mjs`; // vitest runs no other names
      writeFileSync(`${folder}/${copy}`, recipe(file));
      passes(name, folder, copy);
    });
  }
});

describe('A user of TypeScript', () => {
  const folder = project('typescript', (home) => {
    const installed = `${home}/node_modules/purgatory`;
    mkdirSync(installed);
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', home];
    const [{ filename }] = JSON.parse(spawnSync('npm', pack, { cwd: root, encoding: 'utf8' }).stdout);
    spawnSync('tar', ['-xf', `${home}/${filename}`, '-C', installed, '--strip-components', '1']);
    writeFileSync(`${home}/all.ts`, importsOfAll());
  });

  function compile(version: string, file: string): void {
    const tsc = `${home}node_modules/typescript${version}/bin/tsc`;
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const files = ['--declaration', '--outDir', `${folder}/out`, `${folder}/${file}`];
    expect(run([tsc, ...options, ...files], root)).to.equal('');
  }

  // Without skipLibCheck, as is the default.
  for (const version of ['52', '56', '58']) {
    it(`compiles what imports the package, and checks its declarations, with ${version}`, () => {
      compile(version, 'all.ts');
    });
  }

  it('can export whatever it infers from a type of the package', () => {
    run([`${home}inferences.mjs`, `${folder}/all.ts`, `${folder}/inferred.ts`]);
    compile('56', 'inferred.ts');
  });
});

describe('A host of which any part is a fake (behaviour 12)', () => {
  const folder = project('half-fakes', async (home) => {
    for (const script of ['half-fake', 'children/library']) {
      copyFileSync(await bundled(`test/host/${script}.ts`), `${home}/${basename(script)}.mjs`);
    }
  });

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
    passes('jest', folder, file);
  });

  it('works under vitest, or warns once', () => {
    const imports = `import { expect, test, vi } from 'vitest';`;
    const install = `vi.useFakeTimers({ toFake: faked.includes('setTimeout') ? [...faked, 'clearTimeout'] : faked })`;
    const file = 'half-fakes.vitest.test.mjs';
    writeFileSync(`${folder}/${file}`, testFile(imports, install, 'vi'));
    passes('vitest', folder, file, '--pool', 'threads'); // in processes, it does not fake nextTick
  });
});

describe('The realm of a test runner (behaviour 20)', () => {
  let ended: string;
  const folder = project('realms', async (home) => {
    copyFileSync(await bundled('test/host/children/all-waits.ts'), `${home}/all-waits.mjs`);
    ended = run([`${home}/all-waits.mjs`]);
  });

  for (const [runner, ...pool] of [
    ['jest'],
    ['vitest', '--pool', 'vmThreads'],
    ['vitest', '--pool', 'vmForks'],
  ] as const) {
    it(`of ${[runner, ...pool].join(' ')} ends each kind of wait with a signal`, () => {
      const file = `import { expect, test } from '${runner === 'jest' ? '@jest/globals' : 'vitest'}';
        import { ended } from './all-waits.mjs';
        test('each', async () => expect(await ended).toBe(${JSON.stringify(ended)}));`;
      writeFileSync(`${folder}/realm.${runner}.test.mjs`, file);
      passes(runner, folder, `realm.${runner}.test.mjs`, ...pool);
    });
  }
});

describe('The fake timers of Bun’s runner, which replace nothing (behaviours 8 and 12)', () => {
  const folder = project('bun', () => {});

  it('are followed, and real time goes on after them', () => {
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

  const jest = [`${home}node_modules/.bin/jest`, '--testMatch', '**/poll.jest.test.cjs'];

  it('for jest in CommonJS passes', () => {
    expect(run(jest, commonJs)).to.match(/^Tests: +1 passed/m);
  });

  it('for vite makes a bundle that needs no node_modules', () => {
    const [, build, ssr] = /vite\s+`(build: .*?)`\s+with\s+`(ssr: .*?)`/.exec(
      readFileSync(`${root}/${page}`, 'utf8'),
    ) as unknown as string[];
    writeFileSync(`${commonJs}/vite.config.mjs`, `export default { ${build}, ${ssr} };\n`);
    writeFileSync(`${commonJs}/server.mjs`, program('docs/delayed-operation.md', 'fetch.mjs'));
    run([`${home}node_modules/.bin/vite`, 'build', '--target', 'node20'], commonJs);
    const bundle = `${commonJs}/dist/server.mjs`;
    expect(readFileSync(bundle, 'utf8')).not.to.match(/^import .* from "(?!node:)/m);
    expect(run([bundle], commonJs)).to.equal('hello\n');
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
    expect(run(jest, commonJs)).to.match(/^Tests: +1 passed/m);
  });
});
