// The picture of the simulation: cores against P, H, W and K, a panel each, drawn by Vega-Lite.
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { launch } from '../../support/browser.ts';

/** P processes, H hints/s, W waits/s on fresh keys, K keys that are waited for. */
export interface Setting {
  readonly processes: number;
  readonly hints: number;
  readonly waits: number;
  readonly keys: number;
}

/** A second of all processes together. */
export interface Load {
  /** Hints that processes receive. */
  readonly deliveries: number;
  /** Channels that are subscribed to or left. */
  readonly changes: number;
}

export interface Point extends Setting {
  readonly broadcast: Load & { readonly cores: number };
  readonly interest: Load & { readonly cores: number };
}

const TITLES: Record<keyof Setting, string> = {
  hints: 'H: hints/s of all',
  waits: 'W: waits/s on fresh keys',
  keys: 'K: keys waited for',
  processes: 'P: processes',
};

/** A WebP. @param values the settings of each panel; the others are those of `base`. */
export async function drawRouting(
  points: readonly Point[],
  base: Setting,
  values: { readonly [of in keyof Setting]: readonly number[] },
): Promise<Buffer> {
  const panel = (of: keyof Setting): object => {
    const others = (Object.keys(base) as (keyof Setting)[]).filter((name) => name !== of);
    const data = points
      .filter((point) => others.every((name) => point[name] === base[name]))
      .flatMap((point) =>
        (['broadcast', 'interest'] as const).map((routing) => ({
          x: point[of],
          cores: point[routing].cores,
          routing,
        })),
      );
    return {
      title: { text: TITLES[of], anchor: 'start', fontWeight: 'normal' },
      width: 240,
      height: 200,
      data: { values: data },
      mark: { type: 'line', point: { size: 50 }, strokeWidth: 2.5 },
      encoding: {
        x: {
          field: 'x',
          type: 'quantitative',
          scale: { type: 'log' },
          axis: { values: values[of], format: '~s', title: null },
        },
        y: {
          field: 'cores',
          type: 'quantitative',
          scale: { type: 'log', domain: [0.05, 200] },
          axis: { title: 'cores', format: '~g', tickCount: 4 },
        },
        color: {
          field: 'routing',
          type: 'nominal',
          scale: { domain: ['broadcast', 'interest'], range: ['#c25a00', '#2563c9'] },
          legend: { title: null, orient: 'bottom', labelFontSize: 13 },
        },
      },
    };
  };
  const { processes, hints, waits, keys } = base;
  const number = (value: number): string => value.toLocaleString('en');
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    padding: 16,
    title: {
      text: 'What broadcast and interest routing cost',
      subtitle: `one of the four varies; the others are P ${processes}, H ${number(hints)}, W ${number(waits)}, K ${number(keys)}`,
      anchor: 'start',
    },
    columns: 2,
    concat: (['processes', 'hints', 'waits', 'keys'] as const).map(panel),
  } as TopLevelSpec;
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  const browser = await launch();
  try {
    const page = await browser.newPage({ deviceScaleFactor: 1.5 });
    await page.setContent(`<body style="margin:0">${svg}</body>`);
    const box = await page.locator('svg').boundingBox();
    const devtools = await page.context().newCDPSession(page);
    const clip = { x: 0, y: 0, width: box?.width ?? 0, height: box?.height ?? 0, scale: 1 };
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 60, clip });
    return Buffer.from(data, 'base64');
  } finally {
    await browser.close();
  }
}
