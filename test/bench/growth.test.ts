import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { measuredExponent, type Point, promisedExponent, verdictOn } from '../../bench/schemes/growth.ts';
import { rowsOf } from '../../bench/schemes/table.ts';

const SIZES = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** What a timer measures whose step costs `cost(n)` nanoseconds. */
function pointsOf(cost: (n: number) => number, sizes: readonly number[] = SIZES): Point[] {
  return sizes.map((size) => ({ size, ns: cost(size) }));
}

async function text(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

describe('The growth of a cost', () => {
  it('is the exponent over the last two decades of sizes', () => {
    expect(measuredExponent(pointsOf((n) => 7 * n ** 1.5))).to.be.closeTo(1.5, 1e-9);
    const flatFirst = pointsOf((n) => Math.max(50, n / 100));
    expect(measuredExponent(flatFirst)).to.be.closeTo(Math.log10(10_000 / 100) / 2, 1e-9);
    expect(measuredExponent(pointsOf((n) => n, [1_000, 10_000]))).to.be.closeTo(1, 1e-9);
  });

  it('needs two sizes', () => {
    expect(() => measuredExponent([])).to.throw(RangeError, 'two sizes');
    expect(() => measuredExponent([{ size: 10, ns: 1 }])).to.throw(RangeError, 'two sizes');
  });

  it('is promised by the function of the ledger, over the same sizes', () => {
    const points = pointsOf(() => 1);
    expect(promisedExponent('O(1)', points)).to.equal(0);
    expect(promisedExponent('O(n)', points)).to.equal(1);
    expect(promisedExponent('O(log n)', points)).to.be.closeTo(0.088, 0.001);
    expect(promisedExponent('O(n / wheelSize)', points)).to.equal(1);
    expect(promisedExponent('O(n / wheelSize)', points.slice(0, 2))).to.equal(0);
  });

  it('is judged by how far it is from the promised one, in both directions, and however small the cost is', () => {
    for (const [promised, cost, verdict] of [
      ['O(1)', () => 20, 'as promised'],
      ['O(1)', (n) => n / 1_000, 'GROWS FASTER'],
      ['O(n)', (n) => n, 'as promised'],
      ['O(n)', (n) => n ** 1.5, 'GROWS FASTER'],
      ['O(n)', () => 20, 'GROWS SLOWER'],
      ['O(log n)', (n) => Math.log2(n), 'as promised'],
      ['O(n / wheelSize)', (n) => n, 'as promised'],
    ] as const satisfies [string, (n: number) => number, string][])
      expect(verdictOn(promised, pointsOf(cost)), `${promised}: ${cost}`).to.equal(verdict);
  });
});

describe('docs/schemes.md', () => {
  it('has the figures of the results that are stored', async () => {
    const { machine, measurements } = JSON.parse(await text('bench/results/schemes.json'));
    const page = await text('docs/schemes.md');
    expect(page).to.contain(machine);
    const rows = rowsOf(measurements);
    const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
    for (const name of new Set(rows.map(({ scheme }) => scheme))) {
      const cells = ['start', 'stop', 'tick', 'mixed'].map((metric) => {
        const points = rows.find((row) => row.scheme === name && row.metric === metric)?.points ?? [];
        return [1_000, 1_000_000]
          .map((size) => points.find((point) => point.size === size)?.ns ?? Number.NaN)
          .map((ns) => number.format(ns < 100 ? Math.round(ns) : ns))
          .join(', ');
      });
      expect(page).to.contain(`| ${[name, ...cells].join(' | ')} |`);
    }
  });
});
