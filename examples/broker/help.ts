/** What `--help` prints: the table of options that the README has. */
import { readFileSync } from 'node:fs';

const ROW = /^\| `(--[a-z-]+)` \| `?([^|]*?)`? ?\| (.*) \|$/gm;

export function describeOptions(): string {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const options = [...readme.matchAll(ROW)].map(([, flag, fallback, meaning]) => {
    const text = meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)|`/g, '$1');
    return `  ${flag.padEnd(34)} ${text}${fallback === '' ? '' : ` (${fallback})`}`;
  });
  return `A broker that Kafka clients use. Options, with their defaults:\n\n${options.join('\n')}`;
}
