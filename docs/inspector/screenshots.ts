// Makes the pictures of the inspector beside this file: `npm run build && node --import tsx docs/inspector/screenshots.ts`.
//
// A real load on real purgatories: long polls with deadlines of up to 30 s, most of them answered early, and produces that wait
// for their acks. Needs chromium (on Debian: apt-get install chromium). The pictures are of a minute of load each, one after another;
// names of pictures as arguments make those only.
import { fileURLToPath } from 'node:url';
import { DelayedOperation, Purgatory, SystemTimer } from 'purgatory';
import { createInspector } from 'purgatory/inspector';
import { launch } from '../../test/support/browser.ts';

const LOAD_MS = 62_000;
/** Pictures to make, by name; all without any. */
const wanted = process.argv.slice(2);

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

const inspector = createInspector({ purgatories: [fetches, produces, sessions] });
const url = await inspector.listen();
const browser = await launch();
const shots = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800, scale: 1 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800, scale: 1 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844, scale: 2 },
] as const;
for (const { name, colorScheme, width, height, scale } of shots) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const page = await browser.newPage({ colorScheme, viewport: { width, height }, deviceScaleFactor: scale });
  await page.goto(url.href);
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
  await page.waitForSelector('.choices button[data-end="completed"]');
  await page.waitForSelector('.verdict[data-tone="well"]', { timeout: 120_000 }); // on a busy machine it says so
  const path = fileURLToPath(new URL(`${name}.png`, import.meta.url));
  await page.screenshot({ path, fullPage: name !== 'phone' });
  await page.close();
}
clearInterval(load);
await browser.close();
await inspector.close();
for (const each of [fetches, produces, sessions, timer]) each.close();
