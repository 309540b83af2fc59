// What holds on every host, however its timers were wrapped: that of wrapped-host.test.ts, and of
// the real zone.js in `npm run test:runtimes`.
import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';

/** @param zone the path of zone.js, where that is the wrapper. */
export async function expectHostPromises(wrapper: string, date: string, ...zone: string[]): Promise<void> {
  const lost = { waitFor: 0, replies: 0, idle: 0 };
  const turns = { event: true, timeouts: true };
  const result = await runChild('wrapped-host', [wrapper, date, ...zone]);
  expect(summary(result)).to.deep.equal(ok(JSON.stringify({ lost, turns })));
}
