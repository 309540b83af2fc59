// Debian's chromium, driven by playwright-core.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { LIMIT_MS } from './limit.ts';
import type { Need } from './needs.ts';

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const chromiumNeed: Need = { needs: 'chromium', isThere: () => existsSync(CHROMIUM) };

/** The flags let it run as root and without a screen, and keep it off the network. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    timeout: LIMIT_MS,
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
