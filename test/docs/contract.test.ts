import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const tests = new URL('../', import.meta.url);
const page = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');

/**
 * The numbers that titles of tests name: "behaviour 12: ...", "behaviours 5 and 18: ...",
 * "(behaviour 8)".
 */
function cited(): Set<number> {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const citations = files.flatMap(
    (file) =>
      readFileSync(new URL(file, tests), 'utf8').match(/\bbehaviours? \d+(?:,? (?:and )?\d+)*/g) ?? [],
  );
  return new Set(citations.flatMap((citation) => citation.match(/\d+/g)!.map(Number)));
}

describe('docs/contract.md', () => {
  const numbers = [...page.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));

  it('has the behaviours in the order of their numbers, each cited by a test', () => {
    expect(numbers.length).to.be.at.least(30);
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((x, y) => x - y));
    const tested = cited();
    expect(numbers.filter((number) => !tested.has(number))).to.deep.equal([]);
  });

  it('has the behaviour that each citation names', () => {
    expect([...cited()].filter((number) => !numbers.includes(number))).to.deep.equal([]);
  });
});
