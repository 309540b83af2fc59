// The content of one sector of a ring, in words.

import { timerOf } from '../data/history.ts';
import { ringName, sectorOf } from '../data/rings.ts';
import { current, shown } from '../data/store.ts';
import { plural, time } from './format.ts';

/** Undefined when the ring or the sector does not exist any more. */
export function sectorTip(ringIndex: number, sector: number): string | undefined {
  const state = current();
  const frame = shown(state).frames.at(-1);
  const view = frame && timerOf(frame, state.choice.timer);
  const ring = view?.rings[ringIndex];
  const tasks = ring?.sectors[sector];
  if (view === undefined || ring === undefined || tasks === undefined) return undefined;
  const width = ring.buckets / ring.sectors.length;
  const first = sector * width;
  const buckets = width === 1 ? `bucket ${first}` : `buckets ${first} to ${first + width - 1}`;
  const holds = `${ringName(ringIndex, view.rings.length)}, ${buckets}: ${plural(tasks, 'task')}`;
  const here = sectorOf(ring, ring.position);
  if (sector === here) return `${holds}. The hand is here.`;
  const turnMs = ring.buckets * ring.tickMs;
  const startMs = Math.floor(view.nowMs / turnMs) * turnMs + first * ring.tickMs;
  const inMs = startMs - view.nowMs;
  return inMs > 0
    ? `${holds}, reached in ${time(inMs)}`
    : `${holds}, reached again in ${time(inMs + turnMs)}`;
}
