// The page with keys, names and labels as users have them, at the widths of a phone and of desks,
// in light and dark; and the findings of axe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { Purgatory } from '../../../../src/index.ts';
import { createInspector, type Inspector } from '../../../../src/observe/inspector/index.ts';
import { chromiumNeed } from '../../../support/browser.ts';
import { isFull } from '../../../support/full.ts';
import { describeWith } from '../../../support/needs.ts';
import { Op } from '../../../support/op.ts';
import { type OpenedPage, tabsOfSuite } from './opened-page.ts';

const SHA_256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bb822cd15d6c15b0f00a08';
const KEYS = [
  SHA_256,
  `${SHA_256}${SHA_256}${SHA_256}`,
  'שלום עולם '.repeat(6),
  'عربي'.repeat(30),
  'ﷺ'.repeat(40),
  '注文'.repeat(60),
  'evil\u202egnp.exe',
  'bell\u0007\n\u0000',
  `Z${'\u0321\u0338\u0322\u031b'.repeat(15)}`.repeat(4),
  '👩\u200d👩\u200d👧'.repeat(20),
  '<img src=x onerror=alert(1)>',
  '',
  '   ',
];
const WIDTHS = [360, 390, 670, 1440];

class NamesOfClassesCanBeLongTooAndBreakNothingWhereverTheyStand extends Op {}

/** Where a text sticks out of the section that it is in, or of the page. */
const OVERFLOWS = `(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page: ' + document.documentElement.scrollWidth);
  for (const each of document.querySelectorAll('main section *, header.top *')) {
    const { left, right, width } = each.getBoundingClientRect();
    const clips = each.closest('svg, .unseen, option');
    if (width === 0 || clips) continue;
    const home = (each.closest('td, th, li, section') ?? document.body).getBoundingClientRect();
    if (left < home.left - 1.5 || right > home.right + 1.5) found.push(each.className + ' ' + each.textContent.slice(0, 30));
  }
  return found;
})()`;

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly failureSummary: string;
    readonly target: readonly string[];
  }[];
}

/**
 * A script: the contrast of a text and the first ground below it, as WCAG 2 defines it. The most where
 * the text has gone with a frame since axe saw it.
 */
function contrastOf(selector: string): string {
  return `(() => {
    const light = (colour) => {
      const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((n) => n / 255)
        .map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    let ground = document.querySelector(${JSON.stringify(selector)});
    if (ground === null) return 21;
    const text = light(getComputedStyle(ground).color);
    while (/(, 0\\)|transparent)$/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    const below = light(getComputedStyle(ground).backgroundColor);
    return (Math.max(text, below) + 0.05) / (Math.min(text, below) + 0.05);
  })()`;
}

describeWith(chromiumNeed, 'the page of the inspector with any key, name and label', () => {
  const openTab = tabsOfSuite();
  let fetches: Purgatory<string, Op>;
  let named: Purgatory<string, Op>;
  let inspector: Inspector;
  let page: OpenedPage;
  let url: URL;

  beforeEach(async () => {
    fetches = new Purgatory<string, Op>('fetch', { maxParked: KEYS.length });
    named = new Purgatory<string, Op>(`ш${SHA_256} \u202e ${'עברית '.repeat(9)}`, { maxParked: 1 });
    inspector = createInspector({ purgatories: [fetches, named] });
    url = await inspector.listen();
    page = await openTab();
    const op = () =>
      new NamesOfClassesCanBeLongTooAndBreakNothingWhereverTheyStand('', { delayMs: 3_600_000 });
    await page.open(url);
    for (const key of KEYS) fetches.tryCompleteElseWatch(op(), [key, SHA_256]);
    named.tryCompleteElseWatch(op(), [SHA_256]);
    await page.open(new URL(`#key=${SHA_256}`, url));
    await page.says('[data-test="waiters"]', SHA_256);
    await page.page.locator('[data-test="waiters"] .operation').first().click();
    await page.says('[data-test="asked"]', 'It waits on');
    await page.says('[data-explain="minutes"]', 'The last ten minutes');
  });

  afterEach(async () => {
    await inspector.close();
    fetches.close();
    named.close();
  });

  it('lets none stick out of its place, from a phone to a desk', async () => {
    for (const width of WIDTHS) {
      await page.page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(OVERFLOWS), `${width} px`).to.deep.equal([]);
    }
  });

  it('isolates the direction of each and spells out control characters, in sentences too', async () => {
    await page.page.waitForFunction("document.querySelectorAll('.warnings li').length > 0");
    const warned = await page.text('.verdict');
    expect(warned).to.match(/Purgatory \u2068ш9f86.*…\u2069 is full/);
    const whole = await page.evaluate<string>('document.body.textContent');
    for (const acts of ['\u0000', '\u0007', '\u202e']) expect(whole).not.to.include(acts);
    expect(whole).to.include('evil\\u202egnp.exe').and.include('bell\\u0007\\u000a\\u0000');
    const outside = `[...document.querySelectorAll('.key')].filter((key) => key.querySelector('bdi') === null).length`;
    expect(await page.evaluate(outside)).to.equal(0);
  });

  it('has no violation that axe finds, and no colour that it cannot decide, in light and dark, on a phone and a desk, live and stale', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // The page's policy lets no other script in: the debugger may evaluate one.
    const session = await page.page.context().newCDPSession(page.page);
    await session.send('Runtime.evaluate', { expression: `${axe}; 0` });
    const violations = async (): Promise<string[]> => {
      const { violations, incomplete } = await page.evaluate<
        Record<'violations' | 'incomplete', Violation[]>
      >("axe.run(document, { resultTypes: ['violations', 'incomplete'] })");
      const all = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${failureSummary} ${html}`),
      );
      // What axe cannot decide: texts of one character, and names of several lines.
      for (const { id, nodes } of incomplete) {
        for (const { target } of nodes) {
          const contrast = id === 'color-contrast' ? await page.evaluate<number>(contrastOf(target[0])) : 0;
          if (!(contrast >= 4.5)) all.push(`${id} is ${contrast}: ${target}`);
        }
      }
      return all;
    };
    for (const colorScheme of ['light', 'dark'] as const) {
      // Each colour and each width once, in the full run each pair.
      for (const width of isFull ? [390, 1440] : [colorScheme === 'light' ? 390 : 1440]) {
        await page.page.emulateMedia({ colorScheme });
        await page.page.setViewportSize({ width, height: 900 });
        expect(await violations(), `${colorScheme}, ${width} px`).to.deep.equal([]);
      }
    }
    await inspector.close();
    await page.says('.headline', 'The server does not answer');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.page.emulateMedia({ colorScheme });
      expect(await violations(), `${colorScheme}, stale`).to.deep.equal([]);
    }
  });

  it('can be walked through by keyboard, each stop of which can be seen', async () => {
    const stops = new Set<string>();
    await page.page.locator('h1').click(); // from the top
    for (let tabs = 0; tabs < 150; tabs++) {
      await page.page.keyboard.press('Tab');
      const stop = await page.evaluate<{ tag: string; text: string; seen: boolean }>(`(() => {
        const { tagName: tag, textContent } = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        const { width, height } = document.activeElement.getBoundingClientRect();
        const seen = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && width > 0 && height > 0;
        return { tag, text: textContent.slice(0, 40), seen };
      })()`);
      if (stop.tag === 'BODY') break;
      expect(stop.seen, JSON.stringify(stop)).to.equal(true);
      stops.add(`${stop.tag} ${stop.text}`);
    }
    const all = [...stops].join('\n');
    for (const what of [
      'INPUT',
      'Find',
      'Pause',
      'Export JSON',
      'SELECT',
      'Close',
      SHA_256.slice(0, 40),
      'NamesOf',
    ]) {
      expect(all).to.include(what);
    }
  });
});
