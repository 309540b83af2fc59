// What the mocha runs of a gate found, as dots.js writes it, and how a gate ends: with counts, and
// with what is red.
import { readFileSync } from 'node:fs';

export interface Named {
  readonly file: string;
  readonly title: string;
}

export interface Results {
  readonly passed: readonly Named[];
  readonly failed: readonly Named[];
  readonly skipped: readonly Named[];
  readonly secondTries: readonly Named[];
}

const MOST_SECOND_TRIES = 2;

/** The arguments of a mocha whose results `readResults(file)` reads when it has ended. */
export const reportTo = (file: string): string[] => [
  ...['--reporter', 'test/programs/gate/dots.js', '--reporter-option', `results=${file}`],
];

/** The results of a mocha that ended with `code`, and what else is red of it: '' if nothing is. */
export function readResults(file: string, name: string, code: number | null): [Results, red: string] {
  let results: Results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const none: Results = { passed: [], failed: [], skipped: [], secondTries: [] };
    return [none, `${name}: mocha ended with ${code} before its tests did, see above`];
  }
  const isRed = code !== 0 && results.failed.length === 0;
  return [results, isRed ? `${name}: ended with ${code}, see above` : ''];
}

const list = (tests: readonly Named[]): string =>
  tests.map(({ file, title }) => `\n    ${file}: ${title}`).join('');

/** Prints the end of a gate. A red one ends the process with 1. */
export function end(runs: readonly Results[], red: readonly string[], seconds: number): void {
  const all = (kind: keyof Results): Named[] => runs.flatMap((results) => results[kind]);
  const [failed, skipped, secondTries] = [all('failed'), all('skipped'), all('secondTries')];
  console.log(`\n  ${all('passed').length} passing (${Math.round(seconds)} s)`);
  if (skipped.length > 0) console.log(`  ${skipped.length} pending${list(skipped)}`);
  if (secondTries.length > 0) console.log(`  ${secondTries.length} second tries${list(secondTries)}`);
  if (failed.length > 0) console.log(`  ${failed.length} failing`);

  const reasons = red.filter((reason) => reason !== '');
  if (secondTries.length > MOST_SECOND_TRIES) reasons.push(`more than ${MOST_SECOND_TRIES} second tries`);
  if (failed.length === 0 && reasons.length === 0) return;
  const tests = failed.length === 1 ? '1 test' : `${failed.length} tests`;
  console.log(`\nFAILED: ${tests}${list(failed)}${reasons.map((reason) => `\n    ${reason}`).join('')}`);
  process.exitCode = 1;
}
