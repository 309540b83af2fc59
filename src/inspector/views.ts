// From snapshots to what the page is told: bounded, whatever the wheels' size and however many are parked.
//
// Ground rules. Pure. Costs O(buckets) a timer and O(TOP) a purgatory.
import type { PurgatorySnapshot } from '../purgatory/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/timer-snapshot.ts';
import {
  type Cascade,
  MAX_KEY_LENGTH,
  MAX_KEYS,
  MAX_RINGS,
  MAX_SECTORS,
  type PurgatoryView,
  type Ring,
  type TimerView,
} from './frame.ts';

type Level = TimerSnapshot['levels'][number];

export function timerView(snapshot: TimerSnapshot, cascades: readonly Cascade[]): TimerView {
  const { levels, delayQueue, lateness, nowMs } = snapshot;
  const { head } = delayQueue;
  return {
    tickMs: snapshot.tickMs,
    wheelSize: snapshot.wheelSize,
    nowMs,
    pending: snapshot.pending,
    rings: levels.slice(0, MAX_RINGS).map((level) => ringOf(level, snapshot.maxPerBucket)),
    beyond: levels.slice(MAX_RINGS).reduce((tasks, { buckets }) => tasks + sum(buckets), 0),
    head: head && {
      ring: head.level,
      bucket: head.bucket,
      tasks: head.tasks,
      inMs: head.expirationMs - nowMs,
    },
    lateness: lateness.histogram,
    totals: snapshot.totals,
    cascades,
  };
}

/** Neighbours are summed up where there are more buckets than sectors; both are powers of two. */
function ringOf({ tickMs, position, buckets }: Level, maxPerBucket: number): Ring {
  const width = Math.max(1, buckets.length / MAX_SECTORS);
  const sectors: number[] = [];
  for (let start = 0; start < buckets.length; start += width) {
    sectors.push(sum(buckets.slice(start, start + width)));
  }
  const isMore = buckets.includes(maxPerBucket);
  return { tickMs, position, buckets: buckets.length, sectors, isMore };
}

export function purgatoryView(snapshot: PurgatorySnapshot): PurgatoryView {
  const { nowMs } = snapshot;
  return {
    name: snapshot.name,
    parked: snapshot.parked,
    watched: snapshot.watched,
    watchedKeys: snapshot.watchedKeys,
    maxParked: snapshot.maxParked,
    totals: snapshot.totals,
    hottestKeys: snapshot.hottestKeys.map(({ key, watchers }) => ({ key: cut(key), watchers })),
    oldest: snapshot.oldest.map(({ type, keys, ageMs, deadlineMs }) => ({
      type: cut(type),
      keys: shownKeys(keys, keys.length),
      ageMs,
      leftMs: deadlineMs === null ? null : deadlineMs - nowMs,
    })),
  };
}

/** The first of `count` keys, and how many there are besides. */
export function shownKeys(keys: readonly string[], count: number): string[] {
  const shown = keys.slice(0, MAX_KEYS).map(cut);
  if (count > MAX_KEYS) shown.push(`and ${count - MAX_KEYS} more`);
  return shown;
}

export function cut(text: string): string {
  return text.length <= MAX_KEY_LENGTH ? text : `${text.slice(0, MAX_KEY_LENGTH - 1)}…`;
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
