// A chart in SVG: lines and areas over a grid.
//
// Ground rules. It fills the place that it gets: the picture is stretched over it, the widths of
// its lines are not, and the words at its axes are HTML. Colours are CSS properties, so that light
// and dark need no second chart. `label` says in words what the chart shows, because it is an image
// to a screen reader.
import type { JSX } from 'preact';
import { axis } from '../words/format.ts';

export interface Drawn {
  /** A mark is over the whole height where its value is not 0. */
  readonly as: 'line' | 'area' | 'mark';
  readonly colour: string;
  readonly dash?: string;
  /** One for each of `at`. */
  readonly values: readonly number[];
}

interface ChartProps {
  readonly label: string;
  readonly range: readonly [from: number, to: number];
  readonly ticks: readonly (readonly [at: number, name: string])[];
  /** Where the values are, in steps of about 1. Not empty. */
  readonly at: readonly number[];
  readonly drawn: readonly Drawn[];
}

/** The width and the height of the picture, before it is stretched: in percent. */
const SIDE = 100;
export function Chart({ label, range: [from, to], ticks, at, drawn }: ChartProps): JSX.Element {
  const most = Math.max(0, ...drawn.flatMap(({ as, values }) => (as === 'mark' ? [] : values)));
  const { top, steps } = axis(most);
  const x = (value: number): number => (SIDE * (value - from)) / (to - from);
  const y = (value: number): number => SIDE - (SIDE * value) / top;

  const pathOf = ({ as, colour, values, dash }: Drawn): JSX.Element => {
    const ink = `var(--${colour})`;
    if (as === 'mark') {
      // A thick line, which is stretched as the picture is.
      const marks = at.map((each, index) => (values[index] === 0 ? '' : `M${x(each)} 0V${SIDE}`));
      const style = { stroke: ink, strokeWidth: x(from + 1), vectorEffect: 'none' };
      return <path d={marks.join('')} style={style} />;
    }
    const line = at.map((each, index) => `${x(each)} ${y(values[index])}`).join('L');
    return as === 'area' ? (
      <path d={`M${x(at[0])} ${SIDE}L${line}V${SIDE}`} style={{ fill: ink }} />
    ) : (
      <path d={`M${line}`} style={{ stroke: ink }} stroke-dasharray={dash} />
    );
  };

  return (
    <div class="chart" role="img" aria-label={label}>
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={steps.map(([each]) => `M0 ${y(each)}H${SIDE}`).join('')} />
        <path class="grid" d={ticks.map(([each]) => `M${x(each)} 0V${SIDE}`).join('')} />
        {drawn.map(pathOf)}
      </svg>
      {steps.map(([each, name]) => (
        <span key={each} class="step" style={{ top: `${y(each)}%` }}>
          {name}
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
