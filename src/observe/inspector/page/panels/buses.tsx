// The buses to other processes, a line each: whether hints arrive, and what the last gap cost.
import type { JSX } from 'preact';
import type { Frame } from '../../frame.ts';
import type { BusView } from '../../view-types.ts';
import { Section } from '../words/explained.tsx';
import { clock, count, plural, time } from '../words/format.ts';
import { Name } from '../words/names.tsx';
import { quoted } from '../words/visible.ts';

export function Buses({ frame: { buses, wallMs } }: { frame: Frame }): JSX.Element | null {
  if (buses.length === 0) return null;
  return (
    <Section
      of="buses"
      title={buses.length === 1 ? 'Bus' : plural(buses.length, 'bus', 'buses')}
      class="wide"
    >
      <ul class="buses">
        {buses.map((bus, index) => (
          <li key={index} data-state={bus.state} data-test="bus">
            <strong>
              <Name of={bus.name ?? bus.engine} />
            </strong>{' '}
            {bus.name !== null && (
              <small>
                <Name of={bus.engine} />{' '}
              </small>
            )}
            <span class="state">{bus.state}</span>
            {bus.echoMs !== null && `, echo ${time(bus.echoMs)}`}
            {`, ${plural(bus.peers, 'other process', 'other processes')}; `}
            {lastGap(bus, wallMs)}
            {lastError(bus, wallMs)}
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
function interest({ interest: of }: BusView): string {
  if (of === null) return '';
  const sent = `${count(of.routed)} routed, ${count(of.broadcast)} broadcast, ${count(of.forNobody)} for nobody`;
  const pending = of.acknowledgementsPending;
  const awaited = pending > 0 ? ` (${count(pending)} more not acknowledged yet)` : '';
  return `, ${sent}, ${plural(of.subscriptions, 'subscription')}${awaited}`;
}

/** While a bus is not live, the reason is what a reader looks for. */
function lastError({ state, lastError: error }: BusView, wallMs: number): string {
  if (error === null || state === 'live') return '';
  return `; last error ${clock(wallMs - error.agoMs)}: ${quoted(error.message)}`;
}

function lastGap({ lastGap: gap, lastSweep: sweep }: BusView, wallMs: number): string {
  if (gap === null) return 'no gap so far';
  const began = clock(wallMs - gap.beganAgoMs);
  if (gap.tookMs === null) return `gap since ${began} (${gap.cause})`;
  const told = `last gap ${began} for ${time(gap.tookMs)} (${gap.cause})`;
  // A sweep that began before the gap belongs to an earlier gap.
  if (sweep === null || sweep.beganAgoMs > gap.beganAgoMs) return told;
  const waits = plural(sweep.tried, 'wait');
  return sweep.tookMs === null
    ? `${told}, ${waits} tried again so far`
    : `${told}, ${waits} tried again in ${time(sweep.tookMs)}`;
}
