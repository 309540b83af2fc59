import type { ParkedView } from '../../../src/purgatory/abstract-purgatory.ts';
import type { Parking } from '../../../src/purgatory/parking.ts';
import { checkHandOvers } from './hand-overs.ts';
import { checkLists } from './lists.ts';

/** Throws unless the invariants of the structures of a purgatory of any kind hold. O(pairs). */
export function checkPurgatoryInvariants({ $parked }: { readonly $parked: ParkedView }): void {
  const { lists, events } = $parked as Parking<never>;
  checkLists(lists);
  checkHandOvers(events);
}
