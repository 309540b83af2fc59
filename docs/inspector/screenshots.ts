// Makes the picture of the inspector beside this file:
// `npm run build && node --import tsx docs/inspector/screenshots.ts`.
//
// The load is on real purgatories: long polls with deadlines of up to 30 s, most of which are
// answered early, and produces that wait for their acks. The picture is taken after a minute of
// load. It needs chromium (on Debian: apt-get install chromium). It is WebP, for a light page alone:
// the package brings it along, and must stay small.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DelayedOperation, Purgatory, SystemTimer } from 'purgatory';
import { createInspector } from 'purgatory/inspector';
import { launch } from '../../test/support/browser.ts';

const LOAD_MS = 62_000;

class Waiting extends DelayedOperation {
  isReady = false;
  override tryComplete(): boolean {
    return this.isReady && this.forceComplete();
  }
  override onComplete(): void {}
}
class DelayedFetch extends Waiting {}
class DelayedProduce extends Waiting {}
class Session extends Waiting {}

const timer = new SystemTimer();
const fetches = new Purgatory<string, Waiting>('fetch', { timer, maxParked: 50_000 });
const produces = new Purgatory<string, Waiting>('produce', { timer });
const sessions = new Purgatory<string, Waiting>('sessions', { timer });
for (let n = 0; n < 3000; n++) {
  const session = new Session(120_000 + 5_400_000 * Math.random() ** 2);
  sessions.tryCompleteElseWatch(session, [`client-${n}`]);
}

function park(purgatory: Purgatory<string, Waiting>, op: Waiting, keys: string[], readyInMs: number): void {
  purgatory.tryCompleteElseWatch(op, keys);
  if (readyInMs > op.delayMs) return;
  timer.schedule(() => {
    op.isReady = true;
    purgatory.notify(keys[0]);
  }, readyInMs);
}

const load = setInterval(() => {
  const wave = 1 + Math.sin(performance.now() / 5000) / 2;
  for (let n = 0; n < 6 * wave; n++) {
    const topic = Math.floor(Math.random() ** 2 * 24);
    const keys = [`orders-${topic}`, `payments-${(topic * 7) % 24}`];
    park(fetches, new DelayedFetch(500 + 30_000 * Math.random() ** 3), keys, Math.exp(4 + 5 * Math.random()));
  }
  for (let n = 0; n < 3 * wave; n++) {
    park(produces, new DelayedProduce(5000), [`acks-${n}`], 20 + 200 * Math.random());
  }
}, 20);

const browser = await launch(); // before the history begins: it takes a CPU for a second
const inspector = createInspector({ purgatories: [fetches, produces, sessions] });
const url = await inspector.listen();
/** Its height ends below the charts and the tables. */
const viewport = { width: 1280, height: 1000 };
const page = await browser.newPage({ colorScheme: 'light', viewport });
const devtools = await page.context().newCDPSession(page);
await page.goto(url.href);
await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
await page.waitForSelector('.verdict[data-tone="well"]', { timeout: 120_000 }); // on a busy machine it says so
const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 45 });
writeFileSync(fileURLToPath(new URL('light.webp', import.meta.url)), data, 'base64');
clearInterval(load);
await browser.close();
await inspector.close();
for (const each of [fetches, produces, sessions, timer]) each.close();
