// A chart in SVG: lines, areas and bars over a grid.
//
// Ground rules. It fills the place that it gets: the picture is stretched over it, the widths of
// its lines are not, and the words at its axes are HTML. Colours are CSS properties, so that light
// and dark need no second chart. `label` says in words what the chart shows, because it is an image
// to a screen reader.
import type { JSX } from 'preact';
import { shortCount } from '../words/format.ts';

export interface Drawn {
  /** A mark is over the whole height where its value is 1, and nowhere else. */
  readonly as: 'line' | 'area' | 'bar' | 'mark';
  readonly colour: string;
  readonly dash?: string;
  /** One for each of `at`. */
  readonly values: readonly number[];
}

export interface ChartProps {
  readonly label: string;
  readonly range: readonly [from: number, to: number];
  readonly ticks: readonly (readonly [at: number, name: string | null])[];
  /** Where the values are, in steps of about 1. */
  readonly at: readonly number[];
  readonly drawn: readonly Drawn[];
}

/** The width and the height of the picture, before it is stretched: in percent. */
const SIDE = 100;
/** The most steps of the axis of counts. */
const MAX_STEPS = 5;
/**
 * 1, 2, 5, 10 and so on. With a step that is no whole number, labels would repeat once they are
 * rounded.
 */
const WHOLE_STEPS = Array.from({ length: 45 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));

export function Chart({ label, range: [from, to], ticks, at, drawn }: ChartProps): JSX.Element {
  const most = Math.max(0, ...drawn.flatMap(({ as, values }) => (as === 'mark' ? [] : values)));
  const top = Math.max(1, most * 1.1);
  const step = WHOLE_STEPS.find((each) => top / each <= MAX_STEPS) ?? top;
  const steps = Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step);
  const x = (value: number): number => (SIDE * (value - from)) / (to - from);
  const y = (value: number): number => SIDE - (SIDE * value) / top;
  // A bar is a thick line, which is stretched as the picture is.
  const barOf = (share: number) => ({ strokeWidth: x(from + share), vectorEffect: 'none' });

  const pathOf = ({ as, colour, values, dash }: Drawn) => {
    const ink = `var(--${colour})`;
    const bars = (of: (value: number) => number): string =>
      at.map((each, index) => `M${x(each)} ${SIDE}V${of(values[index])}`).join('');
    const line = at.map((each, index) => `${x(each)} ${y(values[index])}`).join('L');
    if (as === 'bar') return <path d={bars(y)} style={{ stroke: ink, ...barOf(0.82) }} />;
    if (as === 'mark') return <path d={bars((on) => y(on * top))} style={{ stroke: ink, ...barOf(1) }} />;
    if (as === 'area') return <path d={`M${x(at[0])} ${SIDE}L${line}V${SIDE}`} style={{ fill: ink }} />;
    return <path d={`M${line}`} style={{ stroke: ink }} stroke-dasharray={dash} />;
  };

  return (
    <div class="chart" role="img" aria-label={label}>
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={steps.map((each) => `M0 ${y(each)}H${SIDE}`).join('')} />
        <path class="grid" d={ticks.map(([each]) => `M${x(each)} 0V${SIDE}`).join('')} />
        {at.length > 0 && drawn.map(pathOf)}
      </svg>
      {steps.map((each) => (
        <span key={each} class="step" style={{ top: `${y(each)}%` }}>
          {shortCount(each)}
        </span>
      ))}
      {ticks.map(([each, name]) => (
        <span key={each} class="tick" style={{ left: `${x(each)}%` }}>
          {name}
        </span>
      ))}
    </div>
  );
}
