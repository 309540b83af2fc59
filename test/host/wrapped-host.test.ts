import { fullRun, itWith } from '../support/needs.ts';
import { expectHostPromises } from './expect-host-promises.ts';

/** `npm test` runs on Node 20 and takes a diagonal. */
const isNode20 = process.version.startsWith('v20.');

describe('behaviours 9, 25 and 36 on a host that a tool has wrapped', () => {
  for (const [wrapper, title] of [
    ['none', 'without a wrapper'],
    ['before', 'with a wrapper that was there before the import'],
    ['before, without further arguments', 'with a wrapper that was there first and drops arguments'],
    ['after', 'with a wrapper that came after the import'],
  ]) {
    for (const date of ['own', 'ticking', 'frozen']) {
      const isDiagonal = `${wrapper} ${date}`.match(
        /none own|before own|arguments own|before ticking|after frozen/,
      );
      const dateIs = date === 'own' ? 'its own' : `replaced and ${date}`;
      itWith(isNode20 && !isDiagonal ? fullRun : [], `hold ${title}, where Date is ${dateIs}`, async () => {
        await expectHostPromises(wrapper, date);
      });
    }
  }
});
