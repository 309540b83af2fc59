// Makes the views of the page from snapshots: bounded, however large the wheels are and however
// many operations are parked.
//
// Ground rules. Pure. Costs O(buckets) a timer and O(TOP) a purgatory.

import { cut } from '../../base/text.ts';
import type { BusSnapshot } from '../../bus/telemetry/bus-snapshot.ts';
import { PromisedOperation } from '../../purgatory/promised-operation.ts';
import type { PurgatorySnapshot } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../../timer/telemetry/timer-state.ts';
import type { ObservedSnapshot } from '../live-sources.ts';
import { MAX_KEY_LENGTH, MAX_KEYS, MAX_NAME_LENGTH, MAX_RINGS, MAX_SECTORS } from './frame.ts';
import type {
  BusView,
  LastError,
  OldOperation,
  PassUnderWay,
  PurgatoryView,
  Ring,
  TimerView,
} from './view-types.ts';

type Level = TimerSnapshot['levels'][number];

export function timerView(
  snapshot: TimerSnapshot,
): Omit<TimerView, 'name' | 'of' | 'cascades' | 'lastCascade'> {
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
  };
}

/**
 * Where there are more buckets than sectors, neighbours are added up. Both numbers are powers of
 * two.
 */
function ringOf({ tickMs, position, buckets }: Level, maxPerBucket: number): Ring {
  const width = Math.max(1, buckets.length / MAX_SECTORS);
  const sectors: number[] = [];
  for (let start = 0; start < buckets.length; start += width) {
    sectors.push(sum(buckets.slice(start, start + width)));
  }
  const isMore = buckets.includes(maxPerBucket);
  return { tickMs, position, buckets: buckets.length, sectors, isMore };
}

/** @param known the oldest operations, where the purgatory shows them. */
export function purgatoryView(
  name: string,
  snapshot: ObservedSnapshot,
  known: readonly Pick<OldOperation, 'id' | 'type'>[],
  lastError: LastError | null,
): PurgatoryView {
  const { nowMs } = snapshot;
  return {
    name,
    parked: snapshot.parked,
    watched: snapshot.watched,
    watchedKeys: snapshot.watchedKeys,
    maxParked: snapshot.maxParked,
    totals: snapshot.totals,
    refused: snapshot.refused ?? {},
    events: { ...snapshot.events, oldestPass: passView(snapshot.events) },
    lastError,
    hottestKeys: snapshot.hottestKeys.map(({ key, watchers }) => ({
      key: cut(key, MAX_KEY_LENGTH),
      watchers,
    })),
    oldest: snapshot.oldest.map((old, index) =>
      operationView(known[index] ?? { id: null, type: old.type }, old, nowMs),
    ),
  };
}

export function passView({ oldestPass }: ObservedSnapshot['events']): PassUnderWay | null {
  return oldestPass && { ...oldestPass, key: cut(oldestPass.key, MAX_KEY_LENGTH) };
}

/**
 * The shown type of an operation: the label of a waiter of `waitFor` if it has one, else the class.
 */
export function typeOf(operation: object): string {
  const label = operation instanceof PromisedOperation ? operation.label : undefined;
  return cut(label || operation.constructor.name, MAX_KEY_LENGTH);
}

export function operationView(
  { id, type }: Pick<OldOperation, 'id' | 'type'>,
  { keys, ageMs, deadlineMs }: PurgatorySnapshot['oldest'][number],
  nowMs: number,
): OldOperation {
  const leftMs = deadlineMs === null ? null : deadlineMs - nowMs;
  return { id, type: cut(type, MAX_KEY_LENGTH), ...shownKeys(keys, keys.length), ageMs, leftMs };
}

/** @param name that it was given, or its place in an array, which is no name for people. */
export function busView(name: string, snapshot: BusSnapshot): BusView {
  const { nowMs, echo, lastGap, lastError, lastSweep, totals } = snapshot;
  const took = ({ beganMs, endedMs }: { beganMs: number; endedMs: number | null }) => ({
    beganAgoMs: nowMs - beganMs,
    tookMs: endedMs === null ? null : endedMs - beganMs,
  });
  return {
    name: /^\d+$/.test(name) ? null : cut(name, MAX_NAME_LENGTH),
    engine: snapshot.engine,
    prefix: snapshot.prefix,
    state: snapshot.state,
    forMs: nowMs - snapshot.sinceMs,
    peers: snapshot.peers,
    pendingKeys: snapshot.pendingKeys,
    echoMs: echo.histogram.counts.some((count) => count > 0) ? echo.lastMs : null,
    lastGap: lastGap && { cause: lastGap.cause, ...took(lastGap) },
    lastError: lastError && {
      message: cut(lastError.message, MAX_KEY_LENGTH),
      agoMs: nowMs - lastError.atMs,
    },
    lastSweep: lastSweep && { tried: lastSweep.tried, ...took(lastSweep) },
    totals: { published: totals.published, received: totals.received, gaps: sum(Object.values(totals.gaps)) },
    interest:
      snapshot.routing === 'interest'
        ? {
            routed: totals.routed,
            broadcast: totals.broadcast,
            forNobody: totals.forNobody,
            subscriptions: snapshot.subscriptions,
            acknowledgementsPending: snapshot.acknowledgementsPending,
          }
        : null,
  };
}

/** The first of `count` keys, and the number of the others. */
export function shownKeys(keys: readonly string[], count: number): { keys: string[]; more: number } {
  const shown = keys.slice(0, MAX_KEYS).map((key) => cut(key, MAX_KEY_LENGTH));
  return { keys: shown, more: count - shown.length };
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
