// The page in a real browser, against real purgatories. Time is that of a ManualClock wherever the
// page need not animate it.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { BusMember } from '../../../../src/bus/membership/bus-member.ts';
import { LocalHub } from '../../../../src/bus/transports/local-hub.ts';
import { ManualClock, Purgatory, SystemTimer } from '../../../../src/index.ts';
import type { History, Second } from '../../../../src/observe/inspector/frame.ts';
import {
  createInspector,
  type Inspector,
  type InspectorOptions,
} from '../../../../src/observe/inspector/index.ts';
import { inspectorOn } from '../../../../src/observe/inspector/inspector.ts';
import { Queues } from '../../../../src/waits/queues/index.ts';
import { Semaphore } from '../../../../src/waits/semaphore/index.ts';
import { FakeHost } from '../../../observe/inspector/fake-host.ts';
import { chromiumNeed } from '../../../support/browser.ts';
import { freePort } from '../../../support/free-ports.ts';
import { describeWith } from '../../../support/needs.ts';
import { Op } from '../../../support/op.ts';
import { SlowClock } from '../../../support/slow-clock.ts';
import { block, until } from '../../../support/turns.ts';
import { type OpenedPage, tabsOfSuite } from './opened-page.ts';

class DelayedFetch extends Op {}

describeWith(chromiumNeed, 'the page of the inspector', () => {
  const openTab = tabsOfSuite();
  let tab: OpenedPage;
  let page: Page;
  let clock: ManualClock;
  let timer: SystemTimer;
  let fetches: Purgatory<string, Op>;
  let inspector: Inspector;
  let url: URL;
  let asked: string[];

  beforeEach(async () => {
    clock = new ManualClock();
    timer = new SystemTimer({ clock, wheelSize: 16, tickMs: 10 });
    fetches = new Purgatory<string, Op>('fetch', { timer });
    inspector = createInspector({ purgatories: [fetches], timers: [timer], history: false });
    url = await inspector.listen({ port: await freePort() });
    tab = await openTab();
    page = tab.page;
    asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  });

  afterEach(async () => {
    await inspector.close();
    fetches.close();
    timer.close();
  });

  const open = (): Promise<unknown> => tab.open(url);

  /** With another inspector. */
  async function openWith(options: InspectorOptions): Promise<void> {
    await inspector.close();
    inspector = createInspector({ history: false, ...options });
    url = await inspector.listen();
    await open();
  }

  const text = (selector: string): Promise<string> => tab.text(selector);
  const says = (selector: string, what: string | RegExp): Promise<void> => tab.says(selector, what);

  const figure = (term: string): string => `.figure[data-explain="${term}"]`;

  it('shows who holds units, and how many items are kept', async () => {
    const permits = new Semaphore('locks', { units: 2, timer });
    const jobs = new Queues<number>('jobs', { timer, maxItems: 5 });
    await openWith({ purgatories: [permits, jobs] });
    await says('[data-test="units"]', /^locks: no unit is held, of 2 a key\.$/);
    permits.tryAcquire({ key: 'order-7', label: 'report 17', units: 2 });
    permits.tryAcquire({ key: 'order-8' });
    jobs.put('urgent', 1);
    clock.advance(71_000);
    permits.tryAcquire({ key: 'order-8', label: 'report 18' });
    await says('[data-test="units"]', /^locks: 4 units are held, of 2 a key\.$/);
    expect(await text('[data-test="holders"] tbody tr:first-child')).to.match(
      /^report 17 2 units of order-7 \d\d:\d\d:\d\d 1.2 min$/,
    );
    expect(await text('[data-test="holders"] tbody tr:last-child')).to.match(/^report 18 of order-8 /);
    await says(
      '[data-test="queues"] tbody',
      /^jobs: urgent has 1, the oldest is .* old or more\s*1 of 5\s*0$/,
    );
    await says(figure('items'), /items\s*1\s*kept in queues/);
    await jobs.lease(['urgent'], { leaseMs: 600_000, timeoutMs: 1, label: 'worker 3' });
    await says('[data-test="leases"] tbody', /^worker 3 has an item of urgent/);
    await says('[data-test="queues"] tbody', /^jobs\s*0 of 5 1 on lease\s*0$/);
    permits.close();
    jobs.close();
  });

  it('shows a parked operation, and its completion', async () => {
    await open();
    await says('[data-test="timers"] tbody', /^of fetch\s*0\s*sleeps\s*0\s*$/);
    const op = new DelayedFetch('a', { delayMs: 60_000 });
    fetches.tryCompleteElseWatch(op, ['orders-0', 'orders-1']);
    await says(figure('parked'), /parked\s*1\b/);
    await says(figure('watched'), /on 2 keys/);
    expect(await text('[data-test="hottest"] tbody'))
      .to.include('orders-0 1')
      .and.include('orders-1 1');
    expect(await text('[data-test="oldest"] tbody')).to.match(
      /DelayedFetch orders-0, orders-1 \d\d:\d\d:\d\d 0 ms 1 min/,
    );
    op.ready = true;
    fetches.checkAndComplete('orders-1');
    await says(figure('parked'), /parked\s*0\b/);
    await says(figure('early'), /100\s%/);
  });

  it('survives a restart of the server, and starts afresh with the new one', async () => {
    await open();
    fetches.tryCompleteElseWatch(new DelayedFetch('a', { delayMs: 100 }), ['orders-0']);
    await says(figure('parked'), /parked\s*1\b/);
    clock.advance(100);
    await says(figure('early'), /0\s%/);
    await inspector.close();
    await says('.headline', 'The server does not answer');
    const again = new Purgatory<string, Op>('fetch', { timer });
    for (const key of ['a', 'b', 'c']) again.tryCompleteElseWatch(new DelayedFetch(key), [key]);
    inspector = createInspector({ purgatories: [again], timers: [timer], history: false });
    await inspector.listen({ port: Number(url.port) });
    await says(figure('parked'), /parked\s*3\b/);
    await says('.connection', 'live');
    await says(figure('early'), /early\s*–/); // of what the new one has seen
    again.close();
  });

  it('has the verdict in the title of its tab, and that the server is gone', async () => {
    await open();
    await until(async () => {
      block(300); // it is told for ten seconds
      return /^\u26a0 .+ - Purgatory inspector$/.test(await page.title());
    }, 'the title has the verdict');
    await inspector.close();
    const gone = '\u26d4 The server does not answer - Purgatory inspector';
    await until(async () => (await page.title()) === gone, 'the title tells it');
  });

  it('tells incidents of a kind in one line, the worst first, and begins the rates with the history', async () => {
    await inspector.close();
    const host = new FakeHost(Date.now()); // what this machine does is no incident
    inspector = inspectorOn(host, { purgatories: [fetches] });
    url = await inspector.listen();
    await host.advance(2_000); // a page asks for the history when there is more than the latest second
    const goesOn = setInterval(() => void host.advance(250), 250).unref();
    await page.route('**/history', async (route) => {
      const answer = await route.fetch();
      const history: History = await answer.json();
      const [first] = history.seconds;
      const earlier = Array.from({ length: 200 }, (_, index): Second => {
        const blocked = { overMs: index % 10 === 0 ? 150 : 2, ranMs: 1, waitedMs: 0 };
        const wallMs = first.wallMs - 1000 * (200 - index);
        const number = first.number - 200 + index;
        const fetch = { parked: 1, completed: 7, ...(index === 5 && { failed: 1 }) };
        return { ...first, number, wallMs, overMs: 1000, blocked, purgatories: { fetch } };
      });
      await route.fulfill({ json: { ...history, seconds: [...earlier, ...history.seconds] } });
    });
    await open();
    await says(
      '.incidents li[data-what="blocked"]',
      /^\d\d:\d\d:\d\d–\d\d:\d\d:\d\d, 20 times The (event loop was blocked|process got no CPU)/,
    );
    expect(await page.locator('.incidents li').first().getAttribute('data-what')).to.equal('threw');
    await says(figure('early'), /100\s%/);
    clearInterval(goesOn);
  });

  it('shows the events that are being served, and warns of one that takes long', async () => {
    const moving = new SlowClock();
    const herd = new Purgatory<string, Op>('herd', { clock: moving });
    await openWith({ purgatories: [herd] });
    await says('[data-test="events"]', 'No event is being served.');
    let isParked = false;
    // Each try takes a turn, and the last one begins anew: it is under way until the page has said so.
    const onTry = ({ label }: Op): void => {
      if (!isParked) return;
      moving.advance(20);
      if (label === '9999') herd.notify('k');
    };
    for (let i = 0; i < 10_000; i++) herd.tryCompleteElseWatch(new Op(`${i}`, { onTry }), ['k']);
    isParked = true;
    herd.notify('k');
    await says('[data-test="events"]', /^\u2068k\u2069: [\d,]+ of 10,000 tried, .*s\.\s*$/);
    await says('.verdict', /the event on \u2068k\u2069 takes long/i);
    herd.close();
    await says('.connection', 'live');
  });

  it('tells that a bus is live with its echo, that it is cut off, and how many waits were tried again after the gap', async () => {
    const hub = new LocalHub();
    const [here, there] = [hub.bus({ routing: 'interest' }), hub.bus()];
    // Tells of the one wait that is parked, as a purgatory on the bus does.
    const member: BusMember = { name: 'fetch', hinted: () => true, sweep: (ended) => ended(1) };
    for (const bus of [here, there]) {
      const { interest } = bus.join(member);
      for (const key of ['a', 'b']) interest?.watched(key);
    }
    await openWith({ purgatories: [fetches], buses: { ordersBus: here } });
    await says(
      '[data-test="bus"]',
      /^ordersBus local live, echo [\d.]+\s[mµ]s, 1 other process; no gap so far/,
    );
    hub.cut(here);
    await says(
      '[data-test="bus"]',
      /gap.*gap since \d\d:\d\d:\d\d \(the connection broke\); last error \d\d:\d\d:\d\d: \u2068The bus (was|is) cut off its hub\u2069/,
    );
    await says('.verdict', /the bus \u2068ordersBus\u2069 is cut off/i);
    hub.mend(here);
    await says('[data-test="bus"]', /0 routed, 0 broadcast, 0 for nobody, 2 subscriptions/);
    await says(
      '[data-test="bus"]',
      /live.*last gap \d\d:\d\d:\d\d for [\d.]+\s[mµ]?s \(the connection broke\), 1 wait tried again in [\d.]+\s[mµ]?s/,
    );
    await Promise.all([here.close(), there.close()]);
  });

  it('explains every number on focus, to the eye and to a screen reader; Escape hides the explanation', async () => {
    await open();
    await page.locator('[data-explain="timers"]').first().waitFor(); // the last of the panels is there
    // At once: a panel may come in between.
    const explained = await tab.evaluate<[term: string, description: string][]>(
      `[...document.querySelectorAll('[data-explain]')].map((each) =>
        [each.dataset.explain, document.getElementById(each.getAttribute('aria-describedby')).textContent])`,
    );
    for (const [term, description] of explained) expect(description, term).to.have.length.above(30);
    expect(explained.map(([term]) => term)).to.include.members([
      'parked',
      'completed',
      'expired',
      'early',
      'lateness',
      'timers',
    ]);
    for (let tabs = 0; tabs < 30; tabs++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.dataset.explain')) === 'watched') break;
    }
    expect(await text('.tip')).to.match(/^Pairs of a parked operation/);
    await page.keyboard.press('Escape');
    expect(await page.locator('.tip').isVisible()).to.equal(false);
  });

  it('lets the reader choose a purgatory, whose timer is shown with it', async () => {
    const joins = new Purgatory<string, Op>('join');
    const second = new SystemTimer({ clock, wheelSize: 64 });
    await openWith({ purgatories: [fetches, joins], timers: [timer, second] });
    fetches.tryCompleteElseWatch(new DelayedFetch('a', { delayMs: 1000 }), ['orders-0']);
    for (const key of ['x', 'y']) joins.tryCompleteElseWatch(new Op(key), [key]);
    await says(figure('parked'), /parked\s*3\b/);
    await says(figure('lateness'), /worst of 3 timers/);
    await page.getByLabel('Purgatory').selectOption('join');
    await says(figure('parked'), /parked\s*2\b/);
    await says(figure('lateness'), /99 of 100 tasks/);
    expect(await text('[data-test="oldest"]')).not.to.include('DelayedFetch');
    await says('[data-test="timers"] tbody', /^of join0/);
    joins.close();
    second.close();
  });

  it('asks for nothing but itself and its stream, and runs no key as code', async () => {
    await open();
    const key = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    fetches.tryCompleteElseWatch(new DelayedFetch('a'), [key]);
    await says('[data-test="hottest"]', key);
    expect(new Set(asked)).to.deep.equal(new Set(['/', '/events']));
    expect(await page.title()).to.match(/^[^<>]+ - Purgatory inspector$/);
  });
});
