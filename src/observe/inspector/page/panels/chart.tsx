// A uPlot chart that lives as long as its place on the page. New data is set, and no new chart is
// made.
//
// Ground rules. It fills the place that it gets. Colours are names of CSS properties, read at each
// drawing, so that light and dark need no second chart. `label` says in words what the chart shows,
// because it is an image to a screen reader.
import { Component, createRef, type JSX } from 'preact';
import uPlot from 'uplot';
import { shortCount } from '../words/format.ts';

export interface ChartProps {
  readonly label: string;
  readonly data: uPlot.AlignedData;
  readonly options: Pick<uPlot.Options, 'series' | 'axes' | 'scales'>;
}

export class Chart extends Component<ChartProps> {
  readonly #place = createRef<HTMLDivElement>();

  override componentDidMount(): void {
    const place = this.#place.current as HTMLDivElement;
    const { options, data } = this.props;
    const chart = new uPlot(
      {
        ...options,
        ...sizeOf(place),
        legend: { show: false },
        cursor: { show: false },
        padding: [8, 16, 0, 0],
      },
      data,
      place,
    );
    new ResizeObserver(() => chart.setSize(sizeOf(place))).observe(place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.redraw(false));
    this.componentDidUpdate = () => chart.setData(this.props.data);
  }

  override render(): JSX.Element {
    return <div class="chart" role="img" aria-label={this.props.label} ref={this.#place} />;
  }
}

export function colour(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name);
}

function sizeOf(place: HTMLElement): { width: number; height: number } {
  return { width: place.clientWidth, height: place.clientHeight };
}

/**
 * 1, 2, 5, 10 and so on. With a step that is no whole number, labels would repeat once they are
 * rounded.
 */
const WHOLE_STEPS = Array.from({ length: 45 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));

/** From 0 to a little above the maximum. */
export const countScale: uPlot.Scale = { range: (_, __, most) => [0, Math.max(1, most * 1.1)] };

/** An axis in the page's ink. */
export function axis(more: uPlot.Axis): uPlot.Axis {
  return {
    font: '11px system-ui, sans-serif',
    stroke: colour('--ink-2'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    ...more,
  };
}

export const countAxis: uPlot.Axis = axis({
  values: (_, at) => at.map(shortCount),
  incrs: WHOLE_STEPS,
  size: 44,
});
