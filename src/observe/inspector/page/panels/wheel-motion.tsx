// The moving parts of the wheels: the hands, dots that fall in a cascade, a pulse of the hub where
// tasks ran.
//
// Ground rules. It draws only what frames contain, and the browser moves it (style/motion.css). A
// hand turns to where the timer's own time is, in the time between two frames: with a ManualClock,
// or with no news, it stands still. A falling dot belongs to a cascade that happened. Costs: O(rings
// + dots), whatever is parked. For readers who want less motion, hands move with the frames and
// nothing falls.
import { Component, type JSX } from 'preact';
import type { Cascade, TimerView } from '../../frame.ts';
import { sum } from '../data/history.ts';
import { type Band, ringsOf, VIEW } from '../data/rings.ts';

/** A cascade is forgotten after its dots have fallen. */
const FALL_MS = 1500;
const MAX_DOTS = 20;
/** The length of a hand's trail: at most this part of a turn of its ring, and at most this time. */
const TRAIL_TURNS = 0.14;
const TRAIL_MS = 1500;
const TRAIL_STEPS = 8;

interface Props {
  readonly view: TimerView;
  /** When the frame was made. */
  readonly atMs: number;
}

export function Motion({ view, atMs }: Props): JSX.Element {
  const { nowMs, wheelSize, cascades, totals } = view;
  const { rings, bands, hub } = ringsOf(view);
  const falling = cascades.filter((cascade) => atMs - cascade.atMs < FALL_MS);
  return (
    <svg class="motion" viewBox={VIEW} aria-hidden="true">
      <circle key={totals.ran} class="pulse" r={hub - 3} />
      {rings.map(({ tickMs }, ring) => (
        <Hand key={ring} band={bands[ring]} atMs={nowMs} turnMs={tickMs * wheelSize} />
      ))}
      {falling.map((cascade) => (
        <Fall key={`${cascade.atMs} ${cascade.level} ${cascade.bucket}`} cascade={cascade} view={view} />
      ))}
    </svg>
  );
}

function Hand({ band, atMs, turnMs }: { band: Band; atMs: number; turnMs: number }): JSX.Element {
  const { inner, outer } = band;
  const trail = Math.min(TRAIL_TURNS, TRAIL_MS / turnMs);
  // Arcs of growing length that all end at the hand: where more of them lie, it is darker.
  const arcs = Array.from({ length: TRAIL_STEPS }, (_, step) => (trail * (step + 1)) / TRAIL_STEPS);
  return (
    <g class="hand" style={{ rotate: `${atMs / turnMs}turn` }}>
      {arcs.map((turns) => (
        <circle
          key={turns}
          r={(inner + outer) / 2}
          stroke-width={outer - inner}
          pathLength={1}
          stroke-dasharray={`${turns} 1`}
          transform={`rotate(${-360 * (turns + 0.25)})`}
        />
      ))}
      <line y1={2 - inner} y2={-2 - outer} />
    </g>
  );
}

/** The dots of one cascade. Drawn once, when it is news: each falls to where tasks are then. */
class Fall extends Component<{ cascade: Cascade; view: TimerView }> {
  override shouldComponentUpdate(): boolean {
    return false;
  }

  override render(): JSX.Element | null {
    const { cascade, view } = this.props;
    const { level, bucket, tasks } = cascade;
    const { rings, bands } = ringsOf(view);
    if (rings[level] === undefined) return null;
    const { buckets } = rings[level - 1];
    const from = (bucket + 0.5) / view.wheelSize;
    const dots = Array.from({ length: Math.min(tasks, MAX_DOTS) }, (_, dot) => {
      const to = (pick(buckets) + Math.random()) / buckets.length;
      const way = to - from - Math.round(to - from); // the short way round
      const style = {
        '--from': placed(from, bands[level]),
        '--to': placed(from + way, bands[level - 1]),
        animationDelay: `${250 * Math.random()}ms`,
      };
      return <circle key={dot} class="dot" r="2.6" style={style} />;
    });
    return <g>{dots}</g>;
  }
}

function placed(turn: number, { inner, outer }: Band): string {
  return `rotate(${turn}turn) translateY(${-(inner + outer) / 2}px)`;
}

/** An index at random. A larger weight makes it more likely. Any index when all weights are 0. */
function pick(weights: readonly number[]): number {
  let left = Math.random() * sum(weights, Number);
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index >= 0 ? index : Math.floor(Math.random() * weights.length);
}
