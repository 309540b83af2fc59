import { expectHostPromises } from './expect-host-promises.ts';

/** A diagonal of the wrappers and of what Date is. */
const HOSTS = [
  ['none', 'own', 'without a wrapper'],
  ['before', 'own', 'with a wrapper that was there before the import'],
  ['before', 'ticking', 'with a wrapper that was there before the import, and another Date'],
  ['before, without further arguments', 'own', 'with a wrapper that was there first and drops arguments'],
  ['after', 'frozen', 'with a wrapper that came after the import, and a Date that stands'],
] as const;

describe('behaviours 9, 25 and 36 on a host that a tool has wrapped', () => {
  for (const [wrapper, date, title] of HOSTS) {
    it(`hold ${title}`, () => expectHostPromises(wrapper, date));
  }
});
