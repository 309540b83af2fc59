// The buses to other processes, a line each: whether hints arrive, and what the last gap cost.
import type { JSX } from 'preact';
import type { BusView, Frame } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { clock, count, plural, time } from '../words/format.ts';
import { Bold, Name } from '../words/names.tsx';
import { tone } from '../words/tone.ts';
import { quoted } from '../words/visible.ts';

const TONES = { connecting: undefined, live: 'well', gap: 'bad', closed: 'bad' };
const CAUSES = {
  connection: 'the connection broke',
  echo: 'no echo came back',
  publish: 'the engine took no frame',
  sequence: 'frames were missing',
};

export function Buses({ frame: { buses, wallMs } }: { frame: Frame }): JSX.Element | null {
  if (buses.length === 0) return null;
  return (
    <Section of="buses" title="Buses" class="wide">
      <ul class="buses">
        {buses.map((bus, index) => (
          <li key={index} data-test="bus">
            <Bold of={bus.name ?? bus.engine} />{' '}
            {bus.name !== null && (
              <small>
                <Name of={bus.engine} />{' '}
              </small>
            )}
            <span class="state" {...tone(TONES[bus.state])}>
              {bus.state}
            </span>
            {bus.doubt !== null && ', in doubt'}
            {bus.state === 'live' && `, echo ${time(bus.echo.lastMs)}`}
            {`, ${plural(bus.peers, 'other process', 'other processes')}; `}
            {lastGap(bus, (atMs) => clock(wallMs - (bus.nowMs - atMs)))}
            {/* While a bus is not live, the reason is what a reader looks for. */}
            {bus.lastError !== null &&
              bus.state !== 'live' &&
              `; last error ${clock(wallMs - (bus.nowMs - bus.lastError.atMs))}: ${quoted(bus.lastError.message)}`}
            <small>
              {' '}
              {count(bus.totals.published)} hints published, {count(bus.totals.received)} received
              {interest(bus)}
              {bus.pendingKeys > 0 && `, ${plural(bus.pendingKeys, 'key')} to be sent`}
            </small>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Where its hints went, and what it listens to. */
function interest({ routing, totals, subscriptions, acknowledgementsPending: pending }: BusView): string {
  if (routing !== 'interest') return '';
  const { routed, broadcast, forNobody } = totals;
  const sent = `${count(routed)} routed, ${count(broadcast)} broadcast, ${count(forNobody)} for nobody`;
  const awaited = pending > 0 ? ` (${count(pending)} more not acknowledged yet)` : '';
  return `, ${sent}, ${plural(subscriptions, 'subscription')}${awaited}`;
}

function lastGap({ lastGap: gap, lastSweep: sweep }: BusView, clockOf: (atMs: number) => string): string {
  if (gap === null) return 'no gap so far';
  if (gap.endedMs === null) return `gap since ${clockOf(gap.beganMs)} (${CAUSES[gap.cause]})`;
  const text = `last gap ${clockOf(gap.beganMs)} for ${time(gap.endedMs - gap.beganMs)} (${CAUSES[gap.cause]})`;
  // A sweep that began before the gap belongs to an earlier gap.
  if (sweep === null || sweep.beganMs < gap.beganMs) return text;
  const took = sweep.endedMs === null ? 'so far' : `in ${time(sweep.endedMs - sweep.beganMs)}`;
  return `${text}, ${plural(sweep.tried, 'wait')} tried again ${took}`;
}
