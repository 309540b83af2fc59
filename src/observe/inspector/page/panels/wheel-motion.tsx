// The moving parts of the wheels: the hands, and a pulse of the hub where tasks ran.
//
// Ground rules. It draws only what frames contain, and the browser moves it (style/motion.css). A
// hand turns to where the timer's own time is, in the time between two frames: with a ManualClock,
// or with no news, it stands still. Costs: O(rings), whatever is parked. For readers who want less
// motion, hands move with the frames.
import type { JSX } from 'preact';
import type { TimerView } from '../../frame.ts';
import { type Band, ringsOf, VIEW } from '../data/rings.ts';

/** The length of a hand's trail: at most this part of a turn of its ring, and at most this time. */
const TRAIL_TURNS = 0.14;
const TRAIL_MS = 1500;
const TRAIL_STEPS = 8;

interface Props {
  readonly view: TimerView;
  /** The time of the timer when the page began to watch it. */
  readonly sinceMs: number;
}

export function Motion({ view, sinceMs }: Props): JSX.Element {
  const { nowMs, wheelSize, totals } = view;
  const { rings, bands, hub } = ringsOf(view);
  return (
    <svg class="motion" viewBox={VIEW} aria-hidden="true">
      <circle key={totals.ran} class="pulse" r={hub - 3} />
      {rings.map(({ tickMs }, ring) => {
        const turnMs = tickMs * wheelSize;
        // Whole turns count, as the hand must not go back. Few of them: browsers keep seven digits.
        const turns = nowMs / turnMs - Math.floor(sinceMs / turnMs);
        const trail = Math.min(TRAIL_TURNS, TRAIL_MS / turnMs);
        return <Hand key={ring} band={bands[ring]} turns={turns} trail={trail} />;
      })}
    </svg>
  );
}

function Hand({ band, turns, trail }: { band: Band; turns: number; trail: number }): JSX.Element {
  const { inner, outer } = band;
  // Arcs of growing length that all end at the hand: where more of them lie, it is darker.
  const arcs = Array.from({ length: TRAIL_STEPS }, (_, step) => (trail * (step + 1)) / TRAIL_STEPS);
  return (
    <g class="hand" style={{ rotate: `${turns}turn` }}>
      {arcs.map((length) => (
        <circle
          key={length}
          r={(inner + outer) / 2}
          stroke-width={outer - inner}
          pathLength={1}
          stroke-dasharray={`${length} 1`}
          transform={`rotate(${-360 * (length + 0.25)})`}
        />
      ))}
      <line y1={2 - inner} y2={-2 - outer} />
    </g>
  );
}
