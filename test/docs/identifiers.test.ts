import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const root = new URL('../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

const page = read('ARCHITECTURE.md').replace(/^```.*?^```/gms, '');

/** Every name that occurs in src, comments left out. */
const names = new Set(
  readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => namesIn(`src/${file}`)),
);

function namesIn(path: string): string[] {
  return withoutComments(read(path)).match(/[#$\w]+/g) ?? [];
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs, '');
}

/** Not of src, but a folder of the root or a field of package.json. */
const FOREIGN = new Set(['bench', 'exports']);

/** `Parking.park` is two names, `settle()` is one. Paths, commands and texts are none. */
function namesOf(code: string): string[] {
  return /^[#$A-Za-z_][#$\w.]*(\(\))?$/.test(code) && !/\.(ts|tsx|md|json|css)$/.test(code)
    ? code.replace('()', '').split('.')
    : [];
}

/** The names in the file of each class and interface of src. */
const namesBeside = new Map(
  readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const declared = withoutComments(read(`src/${file}`)).matchAll(/\b(?:class|interface) (\w+)/g);
      const beside = new Set(namesIn(`src/${file}`));
      return [...declared].map(([, name]) => [name, beside] as const);
    }),
);

describe('ARCHITECTURE.md', () => {
  it('names in backticks only what there is in src', () => {
    const named = [...page.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => namesOf(code));
    expect(named).to.include.members(['Parking', '$keeper', 'sliceMs']);
    const unknown = named.filter((name) => !names.has(name) && !names.has(`#${name}`) && !FOREIGN.has(name));
    expect(unknown).to.deep.equal([]);
  });

  it('names what is in a file only where the file has it', () => {
    const pairs = [...page.matchAll(/((?:`[^`]+`(?:, | and ))*`[^`]+`)\s+in\s+`(src\/[^`]+\.tsx?)`/g)];
    expect(pairs).to.have.length.above(5);
    const wrong = pairs.flatMap(([, codes, path]) => {
      const there = new Set(namesIn(path));
      const asked = [...codes.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => namesOf(code));
      return asked.filter((name) => !there.has(name)).map((name) => `${name} in ${path}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('names a method only of a class whose file has it', () => {
    const methods = [...page.matchAll(/`([A-Z][a-z]\w*)\.(#?\w+)`/g)];
    expect(methods).to.have.length.above(25);
    const wrong = methods.filter(([, type, method]) => !namesBeside.get(type)?.has(method));
    expect(wrong.map(([code]) => code)).to.deep.equal([]);
  });
});
