// All short histories of five acts (test/property/short-histories.ts), a part of them a unit.
//
// Ground rules. The seed of a unit is its number. The histories of a unit are far apart, so a run
// that ends early has seen some of every kind. The soak gives out each unit once (`units` in
// loads.ts).
import { historiesOf, playShortHistories } from '../../../property/short-histories.ts';
import { type Counts, count, holds, type Load } from '../load.ts';
import { HISTORIES, UNITS } from './short-units.ts';

const ACTS = 5;
const OF_A_UNIT = Math.ceil(HISTORIES / UNITS);
/** Has no divisor in common with the number of histories: so each comes once. */
const STRIDE = 2_654_435;

function* partOf(unit: number): Iterable<number> {
  const end = Math.min(HISTORIES, (unit + 1) * OF_A_UNIT);
  for (let i = unit * OF_A_UNIT; i < end; i++) yield (i * STRIDE) % HISTORIES;
}

export const load: Load = {
  async run(unit: number, counts: Counts): Promise<void> {
    holds(historiesOf(ACTS) === HISTORIES, () => `there are ${historiesOf(ACTS)} histories`);
    const numbers = [...partOf(unit)];
    await playShortHistories(ACTS, numbers);
    count(counts, 'histories', numbers.length);
  },
};
