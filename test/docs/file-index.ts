// The last part of ARCHITECTURE.md: every file of src, by what the file says of itself at its head.
// `npm run index` writes it, and a test compares the two.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const root = new URL('../../', import.meta.url);
const page = new URL('ARCHITECTURE.md', root);
const TITLE = '## Every file\n';
/** The sentences of a head that fit are taken, the first one always. */
const MAX_TEXT = 180;

/** ARCHITECTURE.md with the part as it should be. */
export function withIndex(text = readFileSync(page, 'utf8')): string {
  const begins = text.indexOf(TITLE);
  return `${begins < 0 ? `${text}\n` : text.slice(0, begins)}${TITLE}\n${INTRODUCTION}\n${index()}`;
}

const INTRODUCTION = `Each by the first sentences of its head, which goes on with its ground rules. A folder's \`index.ts\`
exports, and nothing else. (\`npm run index\` writes this part from the heads.)
`;

function index(): string {
  const rooms = new Map<string, string[]>();
  for (const path of sourceFiles()) {
    const room = path.slice(0, path.lastIndexOf('/'));
    const rows = rooms.get(room) ?? [];
    rooms.set(room, rows);
    rows.push(`| \`${path}\` | ${headOf(path)} |`);
  }
  return [...rooms]
    .map(([room, rows]) => `### ${room}\n\n| file | what it is |\n| --- | --- |\n${rows.join('\n')}\n`)
    .join('\n');
}

function sourceFiles(): string[] {
  return readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|[\\/])index\.ts$/.test(path))
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .sort();
}

/** The first sentences of a file: of its head, or of its first docstring. */
function headOf(path: string): string {
  const [first] = readFileSync(new URL(path, root), 'utf8').match(/^(\/\/ .*\n)+|\/\*\*[\s\S]*?\*\//) ?? [];
  if (first === undefined) throw new Error(`${path} says nothing of itself`);
  const text = first
    .replaceAll(/^ *(\/\/|\/\*\*|\*\/|\*)|\*\/$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [sentence, ...others] = text.split(/(?<=[.?]) (?=[A-Z`@])/).filter((each) => !each.startsWith('@'));
  return others
    .reduce((head, next) => (`${head} ${next}`.length > MAX_TEXT ? head : `${head} ${next}`), sentence)
    .replaceAll('|', '\\|');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(page, withIndex());
