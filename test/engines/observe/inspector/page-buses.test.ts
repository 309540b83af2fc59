// What the page shows of a bus between processes.
import type { BusMember } from '../../../../src/bus/membership/bus-member.ts';
import { LocalHub } from '../../../../src/bus/transports/local-hub.ts';
import { Purgatory } from '../../../../src/index.ts';
import { createInspector } from '../../../../src/observe/inspector/index.ts';
import { chromiumNeed } from '../../../support/browser.ts';
import { describeWith } from '../../../support/needs.ts';
import { tabsOfSuite } from './opened-page.ts';

describeWith(chromiumNeed, 'the panel of buses', () => {
  const openTab = tabsOfSuite();

  it('tells that a bus is live with its echo, that it is cut off, and how many waits were tried again after the gap', async () => {
    const hub = new LocalHub();
    const [here, there] = [hub.bus({ routing: 'interest' }), hub.bus()];
    const fetches = new Purgatory<string>('fetch');
    // Tells of the one wait that is parked, as a purgatory on the bus does.
    const member: BusMember = { name: 'fetch', hinted: () => true, sweep: (ended) => ended(1) };
    for (const bus of [here, there]) {
      const { interest } = bus.join(member);
      for (const key of ['a', 'b']) interest?.watched(key);
    }
    const inspector = createInspector({ purgatories: [fetches], buses: { ordersBus: here }, history: false });
    const page = await openTab();
    await page.open(await inspector.listen());
    await page.says(
      '[data-test="bus"]',
      /^ordersBus local live, echo [\d.]+\s[mµ]s, 1 other process; no gap so far/,
    );
    hub.cut(here);
    await page.says(
      '[data-test="bus"]',
      /gap.*gap since \d\d:\d\d:\d\d \(the connection broke\); last error \d\d:\d\d:\d\d: \u2068The bus (was|is) cut off its hub\u2069/,
    );
    await page.says('.verdict', /the bus \u2068ordersBus\u2069 is cut off/i);
    hub.mend(here);
    await page.says('[data-test="bus"]', /0 routed, 0 broadcast, 0 for nobody, 2 subscriptions/);
    await page.says(
      '[data-test="bus"]',
      /live.*last gap \d\d:\d\d:\d\d for [\d.]+\s[mµ]?s \(the connection broke\), 1 wait tried again in [\d.]+\s[mµ]?s/,
    );
    await inspector.close();
    fetches.close();
    await Promise.all([here.close(), there.close()]);
  });
});
