// The wheels of one timer as rings, and the same in a table.
//
// Ground rules. The sectors are drawn here, once for each frame of the server. What moves in between
// (hands, the flash of the hub) is a second picture above them, so that the sectors
// need not be drawn anew with it. To a screen reader it is one image, and the table says what it
// shows.
import type { JSX } from 'preact';
import type { Frame, TimerView } from '../../frame.ts';
import { sum } from '../data/history.ts';
import { ringName, ringPhrase, ringsOf, SHADES, sectorOf, sectorPath, shadeOf, VIEW } from '../data/rings.ts';
import { choose } from '../data/store.ts';
import { Explained, Figure, Section } from '../words/explained.tsx';
import { count, plural, shortCount, time } from '../words/format.ts';
import { Choose } from '../words/names.tsx';
import { quoted } from '../words/visible.ts';
import { Table } from './tables.tsx';
import { Motion } from './wheel-motion.tsx';

interface Props {
  readonly view: TimerView;
  readonly timers: readonly TimerView[];
  /** Since when this page has watched. */
  readonly first: Frame | undefined;
}

export function Wheels({ view, timers, first }: Props): JSX.Element {
  const { pending, totals, levels, wheelSize } = view;
  const perField = Math.ceil(wheelSize / (levels[0]?.buckets.length ?? wheelSize));
  const before = first?.timers.find(({ name }) => name === view.name);
  const names = timers.map(({ name, of }) => {
    return [name, of.length === 0 ? quoted(name) : `of ${of.map(quoted).join(', ')}`] as const;
  });
  return (
    <Section
      of="wheels"
      title="The wheels"
      aside={
        timers.length > 1 && (
          <Choose what="Timer" chosen={view.name} options={names} onChoose={(timer) => choose({ timer })} />
        )
      }
      class="wheels"
    >
      <div class="dial">
        <Rings view={view} />
        <Motion key={view.name} view={view} sinceMs={before?.nowMs ?? 0} />
        <p class="hub" aria-hidden="true">
          <strong>{shortCount(pending)}</strong>
          pending
        </p>
      </div>
      <p class="caption">
        Each ring is a timing wheel, the finest innermost; each field is {plural(perField, 'bucket')} of
        deadlines, and the more it stands out, the more tasks wait in it. The hands stand at the present.
      </p>
      <p class="legend" aria-hidden="true">
        Tasks
        {SHADES.map((shade, index) => (
          <span key={shade}>
            <i style={{ background: `var(--shade-${index})` }} /> {shade}
          </span>
        ))}
      </p>
      <dl class="next">
        <dt>
          <Explained of="head">Next wake-up</Explained>
        </dt>
        <dd data-test="head">{headInWords(view)}</dd>
      </dl>
      <RingTable view={view} />
      <div class="figures">
        <Figure of="pending" value={count(pending)} />
        <Figure of="ran" value={count(totals.ran)} />
        <Figure of="cascaded" value={count(totals.cascaded)} />
        <Figure of="yields" value={count(totals.slices)} />
        <Figure of="threw" value={count(totals.failed)} tone={totals.failed > 0 ? 'warn' : undefined} />
      </div>
    </Section>
  );
}

function headInWords({ levels, nowMs, delayQueue: { head } }: TimerView): string {
  if (head === null) return 'nothing: the timer sleeps';
  const { level, bucket, tasks, expirationMs } = head;
  const inMs = Math.max(0, expirationMs - nowMs);
  return `${ringPhrase(level, levels.length)}, bucket ${bucket}, ${plural(tasks, 'task')}, in ${time(inMs)}`;
}

function Rings({ view }: { view: TimerView }): JSX.Element {
  const { rings, bands } = ringsOf(view);
  const label = `${plural(view.pending, 'task')} in ${plural(rings.length, 'ring')}; the table below tells them.`;
  return (
    <svg viewBox={VIEW} role="img" aria-label={label}>
      {rings.map(({ buckets }, ring) =>
        buckets.map((tasks, sector) => (
          <path
            key={`${ring} ${sector}`}
            class="sector"
            d={sectorPath(bands[ring], sector, buckets.length)}
            data-ring={ring}
            data-sector={sector}
            style={{ fill: `var(--shade-${shadeOf(tasks)})` }}
          />
        )),
      )}
      <HeadMark view={view} />
    </svg>
  );
}

/** The outline of the sector that expires first, and an arrow from outside to its very bucket. */
function HeadMark({ view }: { view: TimerView }): JSX.Element | null {
  const { rings, bands } = ringsOf(view);
  const { level = -1, bucket = 0 } = view.delayQueue.head ?? {};
  if (rings[level] === undefined) return null;
  const { buckets } = rings[level];
  const turn = (bucket + 0.5) / view.wheelSize;
  return (
    <g class="head">
      <path d={sectorPath(bands[level], sectorOf(view, rings[level], bucket), buckets.length)} />
      <path
        class="arrow"
        d="M0 0L-5.5 -9.5L5.5 -9.5Z"
        transform={`rotate(${(turn * 360).toFixed(1)}) translate(0 ${-1 - bands[level].outer})`}
      />
    </g>
  );
}

function RingTable({ view }: { view: TimerView }): JSX.Element {
  const { rings, beyond } = ringsOf(view);
  const rows = rings.map(({ tickMs, buckets }, ring) => ({
    name: ringName(ring, rings.length),
    tick: time(tickMs),
    turn: time(tickMs * view.wheelSize),
    tasks: `${buckets.some((tasks) => tasks >= view.maxPerBucket) ? '≥ ' : ''}${count(sum(buckets, Number))}`,
  }));
  if (beyond > 0) rows.push({ name: 'Coarser still', tick: '', turn: '', tasks: count(beyond) });
  const explained = (['tick', 'turn', 'tasks'] as const).map(
    (of) => [<Explained of={of}>{of}</Explained>, (row: (typeof rows)[number]) => row[of]] as const,
  );
  return <Table test="rings" rows={rows} columns={[['Ring', ({ name }) => name], ...explained]} />;
}
