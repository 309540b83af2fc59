// What an operator does with the page: look for keys, look at operations, pause, export, link, look
// back.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../../../src/index.ts';
import { createInspector, type Inspector } from '../../../../src/observe/inspector/index.ts';
import { chromiumNeed } from '../../../support/browser.ts';
import { describeWith } from '../../../support/needs.ts';
import { Op } from '../../../support/op.ts';
import { pause } from '../../../support/turns.ts';
import { type OpenedPage, tabsOfSuite } from './opened-page.ts';

class DelayedFetch extends Op {}

const PARKED = '.figure[data-explain="parked"]';

describeWith(chromiumNeed, 'an operator at the page of the inspector', () => {
  const openTab = tabsOfSuite();
  let page: OpenedPage;
  let clock: ManualClock;
  let timer: SystemTimer;
  let fetches: Purgatory<string, Op>;
  let inspector: Inspector;
  let url: URL;

  beforeEach(async () => {
    clock = new ManualClock();
    timer = new SystemTimer({ clock });
    fetches = new Purgatory<string, Op>('fetch', { timer });
    inspector = createInspector({ purgatories: [fetches] });
    url = await inspector.listen();
    page = await openTab();
  });

  afterEach(async () => {
    await inspector.close();
    fetches.close();
    timer.close();
  });

  const hash = (): Promise<string> => page.evaluate('location.hash');

  it('finds who waits on a key, since when and until when, by keyboard alone, and keeps it in the address', async () => {
    fetches.tryCompleteElseWatch(new DelayedFetch('a', { delayMs: 60_000 }), ['orders-0', 'orders-1']);
    clock.advance(30_000);
    await page.open(url);
    for (let tabs = 0; tabs < 5; tabs++) {
      await page.page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.name')) === 'key') break;
    }
    await page.page.keyboard.type('orders-1');
    await page.page.keyboard.press('Enter');
    await page.says('[data-test="lookup"] p', 'orders-1 in fetch: 1 operation waits');
    const row = await page.text('[data-test="waiters"] tbody tr');
    expect(row).to.match(/^DelayedFetch orders-0, orders-1 \d\d:\d\d:\d\d 30 s 30 s$/);
    expect(await hash()).to.equal('#key=orders-1');
    fetches.tryCompleteElseWatch(new DelayedFetch('b'), ['orders-1']);
    await page.says('[data-test="lookup"] p', '2 operations wait');
    await page.page.getByRole('button', { name: 'Close' }).press('Enter');
    await page.lacks('[data-test="lookup"]');
    expect(await hash()).to.equal('');
  });

  it('opens by Enter the key that has the focus, though others have more watchers meanwhile', async () => {
    const park = (key: string): unknown => fetches.tryCompleteElseWatch(new DelayedFetch('a'), [key]);
    const firstKey = '[data-test="hottest"] tbody tr:first-child .key';
    park('orders-195');
    await page.open(url);
    await page.page.locator('h1').click(); // from the top
    for (let tabs = 0; tabs < 60; tabs++) {
      await page.page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === 'orders-195') break;
    }
    for (let n = 0; n < 3; n++) park('orders-266');
    await page.says(PARKED, /parked\s*4\b/);
    expect(await page.text(firstKey)).to.equal('orders-195');
    await page.page.keyboard.press('Enter');
    await page.says('[data-test="lookup"] p', 'orders-195 in fetch: 1 operation waits');
    await page.page.locator('h1').click();
    await page.says(firstKey, 'orders-266'); // it goes on
  });

  it('goes from a key to its operations and from an operation to its keys, by clicks', async () => {
    fetches.tryCompleteElseWatch(new DelayedFetch('a', { delayMs: 60_000 }), ['orders-0', 'orders-1']);
    await page.open(url);
    await page.page.locator('[data-test="hottest"] button', { hasText: 'orders-1' }).click();
    await page.says('[data-test="waiters"]', 'DelayedFetch');
    await page.page.locator('[data-test="waiters"] button.operation').click();
    await page.says(
      '[data-test="asked"]',
      /DelayedFetch in fetch, parked .* its deadline at .* It waits on 2 keys/,
    );
    await page.page.locator('[data-test="asked"] button', { hasText: 'orders-0' }).click();
    await page.says('[data-test="lookup"] p', 'orders-0 in fetch');
    expect(await hash()).to.equal('#key=orders-0');
    fetches.cancelForKey('orders-0');
    await page.says('[data-test="lookup"]', 'That operation is not parked any more');
    await page.says('[data-test="lookup"]', 'Nobody waits on a key with orders-0');
  });

  it('is shown by a link what another has looked at, and follows a link within the page', async () => {
    const jobs = new Purgatory<string, Op>('jobs & more', { timer });
    await inspector.close();
    inspector = createInspector({ purgatories: [fetches, jobs] });
    url = await inspector.listen();
    const key = 'a&b=c #1 +%20 שלום';
    for (const each of [fetches, jobs]) each.tryCompleteElseWatch(new DelayedFetch('a'), [key]);
    await page.open(new URL(`#${new URLSearchParams({ key, purgatory: 'jobs & more' })}`, url));
    await page.says('[data-test="lookup"] p', `${key} in jobs & more: 1 operation waits`);
    await page.says(PARKED, /parked\s*1\b/);
    await page.evaluate("void (location.hash = '#purgatory=fetch&key=none')");
    await page.says('[data-test="lookup"]', 'Nobody waits on a key with none');
    expect(await page.page.getByLabel('Purgatory').inputValue()).to.equal('fetch');
    jobs.close();
  });

  it('pauses, reads on in peace, and goes on', async () => {
    fetches.tryCompleteElseWatch(new DelayedFetch('a'), ['orders-0']);
    await page.open(url);
    await page.says(PARKED, /parked\s*1\b/);
    await page.page.getByRole('button', { name: 'Pause' }).click();
    await page.says('.connection', /paused at \d\d:\d\d:\d\d/);
    fetches.tryCompleteElseWatch(new DelayedFetch('b'), ['orders-1']);
    await pause(1000); // in which four frames come
    expect(await page.text(PARKED)).to.match(/^parked 1\b/);
    await page.page.getByRole('button', { name: 'Pause' }).click();
    await page.says(PARKED, /parked\s*2\b/);
    await page.says('.connection', 'live');
  });

  it('exports what is shown as JSON', async () => {
    fetches.tryCompleteElseWatch(new DelayedFetch('a'), ['orders-0']);
    await page.open(new URL('#key=orders-0', url));
    await page.says('[data-test="waiters"]', 'DelayedFetch');
    await page.says('[data-explain="minutes"]', 'The last ten minutes');
    const downloaded = page.page.waitForEvent('download');
    await page.page.getByRole('button', { name: 'Export JSON' }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).to.match(/^purgatory-[\dTZ-]+\.json$/);
    const exported = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(exported.frame.purgatories[0]).to.include({ name: 'fetch', parked: 1 });
    expect(exported.verdict.headline).to.be.a('string');
    expect(exported.found.operations[0].keys).to.deep.equal(['orders-0']);
    expect(exported.history.length).to.be.above(0);
    expect(exported.page).to.equal(new URL('#key=orders-0', url).href);
  });

  it('reads the labels of waiters, not eight rows of their class', async () => {
    await page.open(url);
    const wait = fetches.waitFor(['orders-0'], () => undefined, { timeoutMs: 60_000, label: 'order page' });
    const settled = wait.catch(() => {});
    await page.says('[data-test="oldest"]', 'order page orders-0');
    await page.page.locator('[data-test="hottest"] button').click();
    await page.says('[data-test="waiters"]', 'order page');
    fetches.close();
    await settled;
  });
});
