// Several tabs of one browser on one server, over HTTP/1.1. A browser opens at most six connections
// then, so a tab has a stream only while somebody sees it.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { Purgatory } from '../../../../src/index.ts';
import { createInspector } from '../../../../src/observe/inspector/index.ts';
import { mount } from '../../../observe/inspector/mount.ts';
import { chromiumNeed, launch } from '../../../support/browser.ts';
import { describeWith } from '../../../support/needs.ts';
import { Op } from '../../../support/op.ts';
import { until } from '../../../support/turns.ts';
import { OpenedPage } from './opened-page.ts';

const PARKED = '.figure[data-explain="parked"]';

describeWith(chromiumNeed, 'tabs of the inspector', () => {
  let browser: Browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  /** As a browser does with a tab that is covered, and uncovered again. */
  async function hide(tab: OpenedPage, isHidden: boolean): Promise<void> {
    await tab.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  }

  it('have a stream each while they are seen, and none while they are hidden', async () => {
    const fetches = new Purgatory<string, Op>('fetch');
    await using server = await mount(createInspector({ purgatories: [fetches], history: false }));
    const context = await browser.newContext();
    const tabs: OpenedPage[] = [];
    for (let n = 0; n < 7; n++) {
      // The six connections of the browser are for those that are seen.
      if (n > 0) await hide(tabs[n - 1], true);
      tabs.push(await new OpenedPage(await context.newPage()).open(server.at('/')));
    }
    const streams = async (count: number): Promise<void> => {
      await until(() => expect(server.streams()).to.equal(count), 'as many streams are open');
    };
    await streams(1);
    await hide(tabs[0], false);
    await streams(2);
    fetches.tryCompleteElseWatch(new Op('a'), ['orders-0']);
    for (const tab of [tabs[0], tabs[6]]) await tab.says(PARKED, /parked\s*1\b/);
    expect(await tabs[3].text(PARKED)).to.equal('parked 0');
    for (const tab of tabs) expect(tab.complaints).to.deep.equal([]);
    await context.close();
    fetches.close();
  });

  it('say why they wait when other pages hold all connections', async () => {
    const fetches = new Purgatory<string, Op>('fetch');
    await using server = await mount(createInspector({ purgatories: [fetches], history: false }));
    const context = await browser.newContext();
    const page = new OpenedPage(await context.newPage());
    await page.page.addInitScript('EventSource = class { close() {} }'); // one that never gets its connection
    await page.page.goto(server.at('/').href);
    await page.says('.waiting', 'over HTTP/1.1 it opens six to a server');
    await context.close();
    fetches.close();
  });
});
