// Pages of the inspector in a real browser, and how tests read them.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../../../support/browser.ts';
import { LIMIT_MS } from '../../../support/limit.ts';

export class OpenedPage {
  readonly page: Page;
  /**
   * What the page threw, and the errors and warnings on its console. Connections that were refused
   * or reset because the server had gone are left out.
   */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(LIMIT_MS);
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (said) => {
      if (said.type() !== 'error' && said.type() !== 'warning') return;
      if (!/ERR_(CONNECTION_(REFUSED|RESET)|SOCKET_NOT_CONNECTED)/.test(said.text()))
        this.complaints.push(said.text());
    });
  }

  /** Opens the page and waits for its first frame. */
  async open(url: URL): Promise<this> {
    await this.page.goto(url.href);
    await this.page.waitForSelector('.verdict');
    return this;
  }

  /** What the first of `selector` says, on one line. */
  async text(selector: string): Promise<string> {
    const text = await this.page.locator(selector).first().innerText();
    return text.replaceAll(/\s+/g, ' ').trim();
  }

  /** Waits until what `selector` finds says `what`. */
  async says(selector: string, what: string | RegExp): Promise<void> {
    await this.page.locator(selector).filter({ hasText: what }).first().waitFor();
  }

  /** Waits until nothing is found. */
  async lacks(selector: string): Promise<void> {
    await this.page.locator(selector).first().waitFor({ state: 'detached' });
  }

  evaluate<T>(script: string): Promise<T> {
    return this.page.evaluate(script) as Promise<T>;
  }
}

/**
 * To be called in a suite, which has a browser then. The function opens a tab, which is closed after
 * its test. None may complain of anything.
 */
export function tabsOfSuite(): () => Promise<OpenedPage> {
  let browser: Browser;
  const tabs: OpenedPage[] = [];

  before(async () => {
    browser = await launch();
  });

  after(() => browser?.close());

  afterEach(async () => {
    for (const { page, complaints } of tabs.splice(0)) {
      await page.close();
      expect(complaints).to.deep.equal([]);
    }
  });

  return async () => {
    const tab = new OpenedPage(await browser.newPage({ viewport: { width: 1280, height: 900 } }));
    tabs.push(tab);
    return tab;
  };
}
