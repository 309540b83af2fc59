// Several tabs of one browser on one server, over HTTP/1.1. A browser opens at most six connections
// then.
import { expect } from 'chai';
import type { Browser, BrowserContext } from 'playwright-core';
import { Purgatory } from '../../../src/index.ts';
import { createInspector } from '../../../src/observe/inspector/index.ts';
import { startBrowser } from '../../support/browser.ts';
import { Op } from '../../support/op.ts';
import { pause } from '../../support/turns.ts';
import { mounted, OpenedPage } from './opened-page.ts';

const TABS = 7;
const PARKED = '.figure[data-explain="parked"]';

describe('seven tabs of the inspector', function () {
  this.timeout(120_000);
  let browser: Browser | undefined;

  before(async function () {
    browser = await startBrowser(this);
  });

  after(() => browser?.close());

  async function openTabs(context: BrowserContext, url: URL): Promise<OpenedPage[]> {
    const open = async (): Promise<OpenedPage> => new OpenedPage(await context.newPage()).open(url);
    const leader = await open(); // the first one reads
    return [leader, ...(await Promise.all(Array.from({ length: TABS - 1 }, open)))];
  }

  /** Waits until one stream is open, as two tabs may lead for a moment. */
  async function sharesOne(streams: () => number): Promise<void> {
    for (let waits = 0; streams() !== 1 && waits < 100; waits++) await pause(100);
    expect(streams()).to.equal(1);
  }

  it('share one stream, and each can search; when its reader is closed, another takes over', async () => {
    const fetches = new Purgatory<string, Op>('fetch');
    await using server = await mounted(createInspector({ purgatories: [fetches] }));
    const context = await (browser as Browser).newContext();
    const tabs = await openTabs(context, server.url);
    await sharesOne(server.streams);
    fetches.tryCompleteElseWatch(new Op('a'), ['orders-0']);
    for (const tab of tabs) await tab.says(PARKED, /parked\s*1$/);
    const [leader, ...others] = tabs;
    const last = others[others.length - 1];
    await last.page.getByLabel('Find a key').fill('orders-0');
    await last.page.getByLabel('Find a key').press('Enter');
    await last.says('[data-test="waiters"]', 'Op');
    await leader.page.close();
    fetches.tryCompleteElseWatch(new Op('b'), ['orders-1']);
    for (const tab of others) await tab.says(PARKED, /parked\s*2$/);
    await sharesOne(server.streams);
    for (const tab of others) expect(tab.complaints).to.deep.equal([]);
    await context.close();
    fetches.close();
  });

  it('go on when the tab that reads dies without a word', async () => {
    const fetches = new Purgatory<string, Op>('fetch');
    await using server = await mounted(createInspector({ purgatories: [fetches], history: false }));
    const context = await (browser as Browser).newContext();
    const leader = await new OpenedPage(await context.newPage()).open(server.url);
    const other = await new OpenedPage(await context.newPage()).open(server.url);
    await sharesOne(server.streams);
    await leader.evaluate("BroadcastChannel.prototype.postMessage = () => {}; 'mute'");
    fetches.tryCompleteElseWatch(new Op('a'), ['orders-0']);
    await other.says(PARKED, /parked\s*1$/);
    await context.close();
    fetches.close();
  });

  it('say why they wait when other pages hold all connections', async () => {
    const fetches = new Purgatory<string, Op>('fetch');
    await using server = await mounted(createInspector({ purgatories: [fetches], history: false }));
    const context = await (browser as Browser).newContext();
    const page = new OpenedPage(await context.newPage());
    await page.page.addInitScript('EventSource = class { close() {} }'); // one that never gets its connection
    await page.page.goto(server.url.href);
    await page.says('.waiting', 'over HTTP/1.1 it opens six to a server');
    await context.close();
    fetches.close();
  });
});
