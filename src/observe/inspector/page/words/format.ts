// Numbers and times as people read them. Pure. The notation is fixed, as the language of the page
// is.

/** A number and its unit stay on one line. */
const NBSP = '\u00a0';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** 12,345 */
export function count(n: number): string {
  return whole.format(n);
}

/** 12.3K, where there is little room. As all numbers of an axis that ends at `top`: 5K beside 10K. */
export function shortCount(n: number, top = n): string {
  return top < 10_000 ? whole.format(n) : short.format(n);
}

/**
 * 1, 2, 5, 10 and so on. With a step that is no whole number, labels would repeat once they are
 * rounded.
 */
const WHOLE_STEPS = Array.from({ length: 45 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));

/** The axis of counts up to `most`: where it ends, and five steps at most above 0, with their names. */
export function axis(most: number): { top: number; steps: (readonly [at: number, name: string])[] } {
  const top = Math.max(1, most * 1.1);
  const step = WHOLE_STEPS.find((each) => top / each <= 5) ?? top;
  const at = Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step);
  return { top, steps: at.map((each) => [each, shortCount(each, top)]) };
}

/** A rate: tenths only below ten. */
export function rate(n: number): string {
  return n < 10 ? tenths.format(n) : shortCount(n);
}

/** 1 task, 2 tasks */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** 61,000 of 100,000 tried */
export function progress({ tried, watchers }: { tried: number; watchers: number }): string {
  return `${count(tried)} of ${count(watchers)} tried`;
}

/** From the finest: its length in ms, its name, and how many of it make one of the next. */
const UNITS: readonly (readonly [ms: number, name: string, most: number])[] = [
  [0.001, 'µs', 100],
  [1, 'ms', 1000],
  [1000, 's', 60],
  [60_000, 'min', 60],
  [3_600_000, 'h', 24],
  [86_400_000, 'd', Number.POSITIVE_INFINITY],
];

/** 11 µs, 0.4 ms, 250 ms, 1.5 s, 4.4 min, 37 h. What is rounded up to 1,000 ms is 1 s. */
export function time(ms: number): string {
  for (const [unit, name, most] of UNITS) {
    const isWhole = unit === 0.001 || (unit === 1 && Math.abs(ms) >= 10);
    const n = isWhole ? Math.round(ms / unit) : Math.round((10 * ms) / unit) / 10;
    if (Math.abs(n) < most && (ms !== 0 || unit === 1)) return `${tenths.format(n)}${NBSP}${name}`;
  }
  return `${ms}`;
}

/** 97 %. Never 100 % unless it is all. */
export function share(part: number, all: number): string {
  if (all === 0) return '–';
  const percent = (100 * part) / all;
  if (part < all && percent > 99) return `${(Math.floor(percent * 10) / 10).toFixed(1)}${NBSP}%`;
  return `${Math.round(percent)}${NBSP}%`;
}

/** 14:02:11, in the reader's time zone. */
export function clock(wallMs: number): string {
  return new Date(wallMs).toTimeString().slice(0, 8);
}

/** `sentence` with its first letter capitalised. */
export function capitalised(sentence: string): string {
  return sentence[0].toUpperCase() + sentence.slice(1);
}
