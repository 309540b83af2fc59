// Memory is given back in a turn of its own, which may come between any two turns of a program.
import type { ParkedView } from '../../src/purgatory/abstract-purgatory.ts';
import { checkLists } from './checks/lists.ts';

interface Parked {
  readonly $parked: ParkedView;
}

const looks = new WeakMap<object, number>();

/**
 * Checks the invariants. At every third look memory is given back then, whether it is worth it or
 * not, and they are checked again. Not inside a pass.
 */
export function checkAndCompact({ $parked }: Parked): void {
  const { lists } = $parked;
  checkLists(lists);
  const look = (looks.get(lists) ?? 0) + 1;
  looks.set(lists, look);
  if (look % 3 !== 0) return;
  lists.compact();
  checkLists(lists);
}
