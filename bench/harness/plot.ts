/**
 * Charts as SVG, on white, so that they do on a dark page, too. Bars of a figure each; or panels of lines,
 * both axes logarithmic and the same in all panels, one legend for all.
 */

/** The colours of GitHub's light pages. */
const TEXT = '#1f2328';
const FAINT = '#d1d9e0';
const SERIES = ['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#bf3989', '#9a6700', '#cf222e', '#59636e'];

const WIDTH = 860;
const MARGIN = 16;

/** The first is the one that counts: it is drawn in the first colour, and as a broader line. */
type Names = readonly string[];

export interface Bar {
  readonly name: string;
  readonly words: string;
  readonly value: number;
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly (readonly [number, number])[];
  }[];
}

/** @param format of the figure behind a bar. */
export function barChart(
  { title, subtitle, names, bars }: { title: string; subtitle: string; names: Names; bars: readonly Bar[] },
  format: (value: number) => string,
): string {
  const left = 250;
  const step = 27;
  const scale = (WIDTH - left - 110) / Math.max(...bars.map(({ value }) => value));
  return picture(title, () => {
    const { body, top } = heading(title, subtitle, names);
    const rows = bars.map(({ name, words, value }, index) => {
      const y = top + index * step;
      const width = Math.max(2, value * scale);
      return [
        text(left - 10, y + 14, words, { 'text-anchor': 'end' }),
        `<rect x="${left}" y="${y}" width="${width.toFixed(1)}" height="18" rx="2" fill="${colour(names, name)}"/>`,
        text(left + width + 7, y + 14, format(value)),
      ].join('\n');
    });
    return { height: top + bars.length * step + MARGIN, body: [...body, ...rows] };
  });
}

/** @param format of the numbers at the axes. */
export function lineChart(
  {
    title,
    subtitle,
    names,
    panels,
  }: { title: string; subtitle: string; names: Names; panels: readonly Panel[] },
  format: { x: (value: number) => string; y: (value: number) => string },
): string {
  const [left, gap, width, height] = [MARGIN + 48, 70, 355, 220];
  const points = panels.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const xs = logScale(
    points.map(([x]) => x),
    width,
    0.05,
  );
  const ys = logScale(
    points.map(([, y]) => y),
    height,
    0.25,
  );
  return picture(title, () => {
    const { body, top } = heading(title, subtitle, names);
    const drawn = panels.map(({ title: panelTitle, lines }, index) => {
      const x0 = left + (index % 2) * (width + gap);
      const bottom = top + 24 + Math.floor(index / 2) * (height + 78) + height;
      const at = ([x, y]: readonly [number, number]): string =>
        `${(x0 + xs.at(x)).toFixed(1)},${(bottom - ys.at(y)).toFixed(1)}`;
      const grid = ys.ticks.map((tick) => {
        const y = (bottom - ys.at(tick)).toFixed(1);
        return `<path d="M${x0} ${y}h${width}" stroke="${FAINT}"/>${text(x0 - 8, Number(y) + 4, format.y(tick), { 'text-anchor': 'end', 'font-size': 12 })}`;
      });
      const below = xs.ticks.map((tick) =>
        text(x0 + xs.at(tick), bottom + 18, format.x(tick), { 'text-anchor': 'middle', 'font-size': 12 }),
      );
      // The one that counts is drawn last, over the others.
      const series = lines.toSorted((a, b) => names.indexOf(b.name) - names.indexOf(a.name));
      const paths = series.map(({ name, points: line }) => {
        const stroke = colour(names, name);
        const dots = line.map(at).map((point) => {
          const [cx, cy] = point.split(',');
          return `<circle cx="${cx}" cy="${cy}" r="3" fill="${stroke}"/>`;
        });
        const broad = name === names[0] ? 3.5 : 1.75;
        return `<polyline points="${line.map(at).join(' ')}" fill="none" stroke="${stroke}" stroke-width="${broad}"/>${dots.join('')}`;
      });
      const caption = text(x0, bottom - height - 12, panelTitle, { 'font-weight': 600 });
      return [caption, ...grid, ...below, ...paths].join('\n');
    });
    const rows = Math.ceil(panels.length / 2);
    return { height: top + 24 + rows * (height + 78) - 50 + MARGIN, body: [...body, ...drawn] };
  });
}

function picture(title: string, draw: () => { height: number; body: readonly string[] }): string {
  const { height, body } = draw();
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="${TEXT}">`;
  const page = '<rect width="100%" height="100%" fill="#fff"/>';
  return `${[open, `<title>${title}</title>`, page, ...body, '</svg>'].join('\n')}\n`;
}

/** Title and legend, and where they end. */
function heading(title: string, subtitle: string, names: Names): { body: string[]; top: number } {
  const body = [
    text(MARGIN, 28, title, { 'font-size': 16, 'font-weight': 600 }),
    text(MARGIN, 48, subtitle, { opacity: 0.75 }),
  ];
  let [x, y] = [MARGIN, 76];
  for (const name of names) {
    const width = 44 + name.length * 6.6;
    if (x + width > WIDTH) [x, y] = [MARGIN, y + 22];
    body.push(
      `<rect x="${x.toFixed(1)}" y="${y - 11}" width="12" height="12" rx="2" fill="${colour(names, name)}"/>`,
      text(x + 18, y, name),
    );
    x += width;
  }
  return { body, top: y + 22 };
}

function colour(names: Names, name: string): string {
  return SERIES[names.indexOf(name) % SERIES.length];
}

function text(x: number, y: number, words: string, attributes: Record<string, string | number> = {}): string {
  const more = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more.join('')}>${escaped}</text>`;
}

/**
 * From the least to the most, with ticks at the powers of ten, and between them where these are few.
 * @param room at both ends, in powers of ten.
 */
function logScale(
  values: readonly number[],
  length: number,
  room: number,
): { at: (value: number) => number; ticks: number[] } {
  const first = Math.log10(Math.min(...values)) - room;
  const last = Math.log10(Math.max(...values)) + room;
  const powers = Array.from(
    { length: Math.floor(last) - Math.ceil(first) + 1 },
    (_, i) => i + Math.ceil(first),
  );
  return {
    at: (value) => ((Math.log10(value) - first) / (last - first)) * length,
    ticks: powers.flatMap((power) => (powers.length > 2 ? [10 ** power] : [10 ** power, 3 * 10 ** power])),
  };
}
