// Debian's chromium, driven by playwright-core. Where it is not installed, the tests that need it
// say so and are skipped.
import { existsSync } from 'node:fs';
import type { Context } from 'mocha';
import { type Browser, chromium } from 'playwright-core';

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** For a `before` hook: starts the browser, or skips the suite. */
export async function startBrowser(suite: Context): Promise<Browser | undefined> {
  if (!existsSync(CHROMIUM)) {
    console.log(`      skipped: there is no ${CHROMIUM} (on Debian: apt-get install chromium)`);
    suite.skip();
  }
  return launch();
}

/** The flags let it run as root and without a screen, and keep it off the network. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
