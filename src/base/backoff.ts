// How long a bus, a load of SharedWaits, or the `current` of a ThresholdPurgatory pauses after a
// failure.

const FIRST_MS = 50;
const MOST_MS = 4_000;
const JITTER = 0.25;

/**
 * 50 ms after the first failure, doubling with each further one, and up to a quarter more, so that
 * processes that failed together do not come back together.
 *
 * @param failures in a row: 1 or more.
 * @param random from 0 to 1.
 * @param mostMs without that quarter. Default 4,000: 5 s at most.
 */
export function backoffMs(failures: number, random: number, mostMs: number = MOST_MS): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), mostMs) * (1 + JITTER * random);
}
