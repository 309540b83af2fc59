// A uPlot chart that lives as long as its place on the page. New data is set, and no new chart is
// made.
//
// Ground rules. It fills the place that it gets. Colours are names of CSS properties, read at each
// drawing, so that light and dark need no second chart. `label` says in words what the chart shows,
// because it is an image to a screen reader.
import { Component, createRef, type JSX } from 'preact';
import uPlot from 'uplot';
import { shortCount } from '../words/format.ts';

/** A line or an area, or bars: of this part of their place. */
export interface Drawn {
  readonly stroke?: string;
  readonly fill?: string;
  readonly dash?: readonly number[];
  readonly bars?: number;
  /** Of 0 and 1, over the whole height. */
  readonly isMark?: boolean;
}

export interface ChartProps {
  readonly label: string;
  readonly range: readonly [from: number, to: number];
  readonly ticks: readonly (readonly [at: number, name: string | null])[];
  readonly drawn: readonly Drawn[];
  readonly data: uPlot.AlignedData;
}

export class Chart extends Component<ChartProps> {
  readonly #place = createRef<HTMLDivElement>();

  override componentDidMount(): void {
    const place = this.#place.current as HTMLDivElement;
    const { range, ticks, drawn, data } = this.props;
    const size = () => ({ width: place.clientWidth, height: place.clientHeight });
    const options: uPlot.Options = {
      ...size(),
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 16, 0, 0],
      scales: {
        x: { time: false, range: () => [...range] },
        y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
        mark: { range: () => [0, 1] },
      },
      axes: [
        {
          ...INK,
          splits: () => ticks.map(([at]) => at),
          values: () => ticks.map(([, name]) => name),
          size: 26,
        },
        { ...INK, values: (_, at) => at.map(shortCount), incrs: WHOLE_STEPS, size: 44 },
      ],
      series: [{}, ...drawn.map(seriesOf)],
    };
    const chart = new uPlot(options, data, place);
    new ResizeObserver(() => chart.setSize(size())).observe(place);
    dark.addEventListener('change', () => chart.redraw(false));
    this.componentDidUpdate = () => chart.setData(this.props.data);
  }

  override render(): JSX.Element {
    return <div class="chart" role="img" aria-label={this.props.label} ref={this.#place} />;
  }
}

function seriesOf({ stroke, fill, dash, bars, isMark }: Drawn): uPlot.Series {
  return {
    scale: isMark ? 'mark' : 'y',
    width: bars === undefined ? 2 : 0,
    points: { show: false },
    ...(stroke !== undefined && { stroke: colour(stroke) }),
    ...(fill !== undefined && { fill: colour(fill) }),
    ...(dash !== undefined && { dash: [...dash] }),
    ...(bars !== undefined && { paths: uPlot.paths.bars?.({ size: [bars, 60] }) }),
  };
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const known = new Map<string, string>();
const probe = document.createElement('i');
probe.hidden = true;
document.body.append(probe);

/** A colour of the page as it is now, in light or dark. */
export function colour(name: string): () => string {
  return () => {
    const key = `${name} ${dark.matches}`;
    if (!known.has(key)) {
      probe.style.color = `var(${name})`;
      known.set(key, getComputedStyle(probe).color);
    }
    return known.get(key) as string;
  };
}

/**
 * 1, 2, 5, 10 and so on. With a step that is no whole number, labels would repeat once they are
 * rounded.
 */
const WHOLE_STEPS = Array.from({ length: 45 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));

/** What the axes are drawn in. */
const INK: uPlot.Axis = {
  font: '11px system-ui, sans-serif',
  stroke: colour('--ink-2'),
  grid: { stroke: colour('--line'), width: 1 },
  ticks: { show: false },
};
