// The wheels of one timer as rings, and the same in a table.
//
// Ground rules. The sectors are drawn here, once for each frame of the server. WheelMotion draws
// what moves in between (hands, falling tasks, the flash of the hub) on a canvas above them. To a
// screen reader the picture is one image, and the table says what it shows.
import type { JSX } from 'preact';
import type { Ring, TimerView } from '../../view-types.ts';
import { sum } from '../data/history.ts';
import {
  at,
  type Band,
  bandsOf,
  CENTRE,
  hubOf,
  ringName,
  ringPhrase,
  SHADES,
  SIZE,
  sectorOf,
  sectorPath,
  shadeOf,
} from '../data/rings.ts';
import { choose } from '../data/store.ts';
import { Explained, Figure, Section } from '../words/explained.tsx';
import { count, plural, shortCount, time } from '../words/format.ts';
import { Choose } from '../words/names.tsx';
import { quoted } from '../words/visible.ts';
import { MotionCanvas } from './wheel-motion.tsx';

interface Props {
  readonly view: TimerView;
  readonly timers: readonly TimerView[];
}

export function Wheels({ view, timers }: Props): JSX.Element {
  const { rings, head } = view;
  return (
    <Section
      of="wheels"
      title="The wheels"
      aside={timers.length > 1 && <Timers timers={timers} chosen={view.name} />}
      class="wheels"
    >
      <div class="dial">
        <Rings view={view} />
        <div aria-hidden="true">
          <MotionCanvas />
        </div>
        <p class="hub" aria-hidden="true">
          <strong>{shortCount(view.pending)}</strong>
          pending
        </p>
      </div>
      <p class="caption">
        Each ring is a timing wheel, the finest innermost; each field is a bucket of deadlines, the darker,
        the more tasks wait in it. The hand stands at the present.
      </p>
      <p class="legend" aria-hidden="true">
        Tasks
        {SHADES.map((shade, index) => (
          <span key={shade}>
            <i data-shade={index} /> {shade}
          </span>
        ))}
      </p>
      <dl class="next">
        <div>
          <dt>
            <Explained of="head">Next to expire</Explained>
          </dt>
          <dd data-test="head">
            {head === null
              ? 'nothing: the timer sleeps'
              : `${ringPhrase(head.ring, rings.length)}, bucket ${head.bucket}, ${plural(head.tasks, 'task')}, in ${time(Math.max(0, head.inMs))}`}
          </dd>
        </div>
        <div>
          <dt>
            <Explained of="cascade">Last cascade</Explained>
          </dt>
          <dd data-test="cascade">
            <LastCascade view={view} />
          </dd>
        </div>
      </dl>
      <RingTable view={view} />
      <div class="figures small">
        <Figure of="pending" name="pending">
          {count(view.pending)}
        </Figure>
        <Figure of="ran" name="ran">
          {count(view.totals.ran)}
        </Figure>
        <Figure of="cascaded" name="cascaded">
          {count(view.totals.cascaded)}
        </Figure>
        <Figure of="slices" name="yields">
          {count(view.totals.slices)}
        </Figure>
        <Figure of="failed" name="threw" tone={view.totals.failed > 0 ? 'warn' : undefined}>
          {count(view.totals.failed)}
        </Figure>
      </div>
    </Section>
  );
}

function Timers({ timers, chosen }: { timers: Props['timers']; chosen: string }): JSX.Element {
  return (
    <Choose
      what="Timer"
      chosen={chosen}
      options={timers.map(({ name, of }) => [
        name,
        of.length === 0 ? quoted(name) : `of ${of.map(quoted).join(', ')}`,
      ])}
      onChoose={(timer) => choose({ timer })}
    />
  );
}

function Rings({ view }: { view: TimerView }): JSX.Element {
  const { rings, head } = view;
  const bands = bandsOf(rings.length);
  const label = `${plural(view.pending, 'task')} in ${plural(rings.length, 'ring')}; the table below tells them.`;
  return (
    <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={label}>
      <circle class="hub-disc" cx={CENTRE} cy={CENTRE} r={hubOf(rings.length)} />
      {rings.map((ring, index) => (
        <g key={index}>
          {ring.sectors.map((tasks, sector) => (
            <path
              key={sector}
              class="sector"
              d={sectorPath(bands[index], sector, ring.sectors.length)}
              data-ring={index}
              data-sector={sector}
              data-shade={shadeOf(tasks)}
            />
          ))}
        </g>
      ))}
      {head !== null && rings[head.ring] !== undefined && (
        <HeadMark ring={rings[head.ring]} band={bands[head.ring]} bucket={head.bucket} />
      )}
    </svg>
  );
}

/** The outline of the sector that expires first, and an arrow from outside to its very bucket. */
function HeadMark({ ring, band, bucket }: { ring: Ring; band: Band; bucket: number }): JSX.Element {
  const turn = (bucket + 0.5) / ring.buckets;
  const [x, y] = at(turn, band.outer + 1);
  return (
    <g class="head">
      <path d={sectorPath(band, sectorOf(ring, bucket), ring.sectors.length)} />
      <path
        class="arrow"
        d="M0 0L-5.5 -9.5L5.5 -9.5Z"
        transform={`translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${(turn * 360).toFixed(1)})`}
      />
    </g>
  );
}

function LastCascade({ view: { lastCascade, rings } }: { view: TimerView }): JSX.Element {
  if (lastCascade === null) return <>none since this page watches</>;
  const { tasks, bucket, ring, agoMs } = lastCascade;
  return (
    <>
      {plural(tasks, 'task')} fell from bucket {bucket} of {ringPhrase(ring, rings.length)}, {time(agoMs)} ago
    </>
  );
}

function RingTable({ view }: { view: TimerView }): JSX.Element {
  const { rings, beyond } = view;
  return (
    <table>
      <caption class="unseen">The rings, finest first</caption>
      <thead>
        <tr>
          <th scope="col">Ring</th>
          {(['tick', 'turn', 'tasks'] as const).map((term) => (
            <th key={term} scope="col">
              <Explained of={term}>{term}</Explained>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rings.map((ring, index) => (
          <tr key={index}>
            <th scope="row">{ringName(index, rings.length)}</th>
            <td>{time(ring.tickMs)}</td>
            <td>{time(ring.tickMs * ring.buckets)}</td>
            <td data-test={`ring-${index}`}>
              {ring.isMore && '≥ '}
              {count(sum(ring.sectors, (tasks) => tasks))}
            </td>
          </tr>
        ))}
        {beyond > 0 && (
          <tr>
            <th scope="row">Coarser still</th>
            <td />
            <td />
            <td>{count(beyond)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
