// Tests that need what not every machine or run has: where it is missing, they are skipped, and their
// titles say why.
import type { AsyncFunc, Suite, Test } from 'mocha';
import { isFull } from './full.ts';

export interface Need {
  readonly needs: string;
  isThere(): boolean;
}

/** Tests of the full run alone. */
export const fullRun: Need = { needs: 'PURGATORY_TESTS=full', isThere: () => isFull };

/** What is missing of `needs`, in words; '' if nothing is. */
function missing(needs: Need | readonly Need[]): string {
  const absent = [needs].flat().filter((need) => !need.isThere());
  return absent.length === 0 ? '' : ` (skipped: needs ${absent.map((need) => need.needs).join(' and ')})`;
}

export function describeWith(
  needs: Need | readonly Need[],
  title: string,
  suite: (this: Suite) => void,
): void {
  const reason = missing(needs);
  if (reason === '') describe(title, suite);
  else describe.skip(title + reason, suite);
}

export function itWith(needs: Need | readonly Need[], title: string, test: AsyncFunc): Test {
  const reason = missing(needs);
  return reason === '' ? it(title, test) : it.skip(title + reason, test);
}
