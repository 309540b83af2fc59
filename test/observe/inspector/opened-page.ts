// A page of the inspector in a real browser, and how tests read it.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Inspector } from '../../../src/observe/inspector/index.ts';

/** Generous, as the machine may be a slow one: what is waited for comes much sooner. */
const WAIT_MS = 60_000;

export class OpenedPage {
  readonly page: Page;
  /**
   * What the page threw, and the errors and warnings on its console. Connections that were refused
   * or reset because the server had gone are left out.
   */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
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
    await this.page.waitForSelector('.verdict', { timeout: WAIT_MS });
    return this;
  }

  /** What the first of `selector` says, on one line. */
  async text(selector: string): Promise<string> {
    const text = await this.page.locator(selector).first().innerText();
    return text.replaceAll(/\s+/g, ' ').trim();
  }

  /** Waits until what `selector` finds says `what`. */
  async says(selector: string, what: string | RegExp): Promise<void> {
    await this.page.locator(selector).filter({ hasText: what }).first().waitFor({ timeout: WAIT_MS });
  }

  /** Waits until nothing is found. */
  async lacks(selector: string): Promise<void> {
    await this.page.locator(selector).first().waitFor({ state: 'detached', timeout: WAIT_MS });
  }

  evaluate<T>(script: string): Promise<T> {
    return this.page.evaluate(script) as Promise<T>;
  }
}

/** A server that has an inspector mounted, and counts the open streams. */
export async function mounted(
  inspector: Inspector,
): Promise<{ url: URL; streams(): number } & AsyncDisposable> {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      streams.add(response);
      response.once('close', () => streams.delete(response));
    }
    if (!inspector.handle(request, response)) response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    streams: () => streams.size,
    async [Symbol.asyncDispose]() {
      await inspector.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
