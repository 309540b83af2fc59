// `npm run build` runs it: leaves in dist/**/*.d.ts what a user's compiler can reach from an import
// path of the package. A statement is reached when an exported or a reached one has its name; the rest
// goes, with its imports, and so do files of which nothing is left. They are formatted before: then a
// line that begins with a word or a comment begins a statement. test:runtimes checks the
// declarations with several compilers.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = new Map(
  readdirSync('dist', { recursive: true })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => [join('dist', name), parse(join('dist', name))]),
);
for (const { types } of Object.values(exports)) {
  const file = types === undefined ? [] : [normalize(types)];
  for (const each of file) for (const name of namesOf(each)) reach(each, name);
}
for (const [file, { statements, imports, head }] of files) {
  const left = statements.filter(({ isReached }) => isReached);
  if (left.length === 0) {
    rmSync(file);
    continue;
  }
  const used = new Set(left.flatMap(({ words }) => [...words]));
  const needed = imports.filter(({ local }) => used.has(local)).map(({ text }) => text);
  writeFileSync(file, `${[...head, ...needed, ...left.map(({ text }) => text)].join('\n')}\n`);
}

/** The statements of a file, each with the names that it declares, exports and uses. */
function parse(file) {
  const head = [];
  const imports = [];
  const statements = [];
  const text = readFileSync(file, 'utf8');
  for (const statement of text.split(
    /^(?=\/\*\*|\/\/\/|(?:export|import|declare|interface|type|class|abstract)\b)/m,
  )) {
    const last = statements.at(-1);
    const code = statement.replace(/\/\*[\s\S]*?\*\//g, '').trim();
    if (statement.startsWith('///')) head.push(statement.trim());
    else if (/^import\b/.test(code)) imports.push(...importsOf(file, code));
    else if (last?.code === '') Object.assign(last, declared(file, last.text + statement.trim(), code));
    else statements.push(declared(file, code === '' ? statement : statement.trim(), code));
  }
  return { head, imports, statements };
}

function declared(file, text, code) {
  const all = /^export (?:type )?\* from ["']([^"']+)["']/.exec(code)?.[1];
  if (all !== undefined) return { text, code, words: new Set(), all: targetOf(file, all), exported: [] };
  const again = /^export (?:type )?\{([^}]*)\}(?: from ["']([^"']+)["'])?/.exec(code);
  const names =
    again?.[1]
      .split(',')
      .map((each) => each.trim().replace(/^type /, ''))
      .filter(Boolean) ?? [];
  const name =
    /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|function|enum|let) (\w+)/.exec(
      code,
    )?.[1];
  const words = new Set(code.match(/[\w$]+/g));
  const from = again?.[2] === undefined ? undefined : targetOf(file, again[2]);
  const exported = again ? names.map((each) => each.split(' as ').at(-1)) : name === undefined ? [] : [name];
  return { text, code, words, names, from, name, exported, isReached: false };
}

/** `import type { A, B as C } from '...'`: one line a name. */
function importsOf(file, code) {
  const [, clause, path] = /^import ([\s\S]*?) ?from ["']([^"']+)["']/.exec(code);
  const braced =
    /\{([^}]*)\}/
      .exec(clause)?.[1]
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean) ?? [];
  const others = clause
    .replace(/\{[^}]*\}/, '')
    .replace(/^type\b/, '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  return [
    ...braced.map((each) => {
      const [name, local = name] = each.replace(/^type /, '').split(' as ');
      return {
        name,
        local,
        from: targetOf(file, path),
        text: `import type { ${each.replace(/^type /, '')} } from '${path}';`,
      };
    }),
    ...others.map((each) => ({
      local: each.replace('* as ', ''),
      text: `import ${each.startsWith('*') ? 'type ' : ''}${each} from '${path}';`,
    })),
  ];
}

/** The file that `path` leads to. Undefined for another package. */
function targetOf(file, path) {
  return path.startsWith('.') ? join(dirname(file), path).replace(/\.[jt]s$/, '.d.ts') : undefined;
}

function fileOf(file) {
  const found = files.get(file);
  if (found === undefined) throw new Error(`${file} is not there`);
  return found;
}

/** What `file` declares and exports. */
function namesOf(file) {
  return fileOf(file).statements.flatMap(({ all, exported }) =>
    all === undefined ? exported : namesOf(all),
  );
}

/** `name` is needed, as it is called in `file`. */
function reach(file, name) {
  const { statements, imports } = fileOf(file);
  for (const statement of statements) {
    if (statement.all !== undefined && namesOf(statement.all).includes(name)) {
      statement.isReached = true;
      reach(statement.all, name);
    }
    if (!statement.exported.includes(name) || (statement.isReached && statement.from === undefined)) continue;
    statement.isReached = true;
    if (statement.from !== undefined) {
      const [original] = statement.names.find((each) => each.split(' as ').at(-1) === name).split(' as ');
      reach(statement.from, original);
    } else for (const word of statement.words) if (word !== name) reach(file, word);
  }
  for (const each of imports) if (each.local === name && each.from !== undefined) reach(each.from, each.name);
}
