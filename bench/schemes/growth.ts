/**
 * How a cost grows with n, as an exponent. A cost of n^e is a straight line of slope e where both
 * axes are logarithmic.
 *
 * The measured exponent is taken over the last two decades of sizes. The promised one is that of
 * the ledger's own function over the same sizes. So O(log n) is a little above 0, and O(n /
 * wheelSize) is flat until n reaches wheelSize.
 */

export type Growth = 'O(1)' | 'O(log n)' | 'O(n)' | 'O(n / wheelSize)';

export interface Point {
  /** How many timers are pending. */
  size: number;
  /** Nanoseconds a step. */
  ns: number;
}

export type Verdict = 'as promised' | 'GROWS FASTER' | 'GROWS SLOWER';

/** The wheelSize that schemes 5 and 6 have by default. */
const WHEEL_SIZE = 512;

const costs: Record<Growth, (n: number) => number> = {
  'O(1)': () => 1,
  'O(log n)': (n) => Math.log2(n),
  'O(n)': (n) => n,
  'O(n / wheelSize)': (n) => Math.max(1, n / WHEEL_SIZE),
};

/**
 * How far the measured exponent may be from the promised one: a factor of five over two decades. A
 * cost without any search grows by about that when the tasks no longer fit into the cache.
 */
export const TOLERANCE = 0.35;

/**
 * The exponent over the last two decades of `points`, which ascend by size. Throws a RangeError for
 * fewer than two.
 */
export function measuredExponent(points: readonly Point[]): number {
  const [first, last] = ends(points);
  return exponent(first, last, first.ns, last.ns);
}

/** The exponent that `growth` promises over the sizes that {@link measuredExponent} looks at. */
export function promisedExponent(growth: Growth, points: readonly Point[]): number {
  const [first, last] = ends(points);
  return exponent(first, last, costs[growth](first.size), costs[growth](last.size));
}

/** Whether `points` grow as `growth` says. */
export function verdictOn(growth: Growth, points: readonly Point[]): Verdict {
  const excess = measuredExponent(points) - promisedExponent(growth, points);
  if (Math.abs(excess) <= TOLERANCE) return 'as promised';
  return excess > 0 ? 'GROWS FASTER' : 'GROWS SLOWER';
}

function exponent(first: Point, last: Point, costAtFirst: number, costAtLast: number): number {
  return Math.log(costAtLast / costAtFirst) / Math.log(last.size / first.size);
}

function ends(points: readonly Point[]): [first: Point, last: Point] {
  const last = points.at(-1);
  const first = points.find(({ size }) => last !== undefined && size * 100 >= last.size);
  if (first === undefined || last === undefined || first === last) {
    throw new RangeError('an exponent needs points of two sizes, not more than two decades apart');
  }
  return [first, last];
}
