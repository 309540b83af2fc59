// The items of Queues at one moment, as plain JSON.
import { cut, keyText } from '../../base/text.ts';
import { firstOf } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import { MAX_LINES } from '../lines/key-lines.ts';
import type { Items } from './items.ts';

/** The items of {@link Queues}. */
export interface ItemsSnapshot {
  /** Of all keys: those that can be taken. */
  size: number;
  /** Keys that have an item that can be taken. */
  keys: number;
  /** The option; null for no limit. */
  max: number | null;
  /** Items that were taken or leased since it was made; one that came back counts each time. */
  taken: number;
  /** Items that are out on lease. */
  leased: number;
  /** Items that come later. */
  delayed: number;
  /** Items whose deadline came before anybody took them, since it was made. */
  expired: number;
  /** Leases that ended by their time, since it was made. */
  lapsed: number;
  /** The lease that has lasted longest. Null: none does. */
  leasedLongest: LeasedItem | null;
  /** The leases that have lasted longest, `top` of them, that one first. Of 16,384 keys at most. */
  leases: LeasedItem[];
  /**
   * The key whose first item has been kept longest, and for how long at least: since a snapshot has
   * found it. A put reads no clock. Of 16,384 keys at most. Null: nothing is kept.
   */
  oldest: { key: string; ageMs: number } | null;
  /** The keys with the most items, `top` of them. Of 16,384 keys at most. */
  longest: LongQueue[];
}

/** An item that is out on lease. */
export interface LeasedItem {
  key: string;
  /** Null for a lease without one. */
  label: string | null;
  ageMs: number;
  deliveries: number;
}

/** A key with many items. */
export interface LongQueue {
  key: string;
  size: number;
}

/** O(keys with items, up to MAX_LINES). */
export function itemsSnapshot<V, K>(
  items: Items<V, K>,
  maxItems: number,
  nowMs: number,
  top: number,
): ItemsSnapshot {
  const { size, keys, taken, out: leased, delayed, expired, lapsed, lists } = items;
  const lines = leased + size === 0 ? [] : firstOf(lists.lines(), MAX_LINES);
  const most = Math.max(top, 1);
  const leases = lines
    .flatMap((line) => line.away())
    .filter(({ state }) => state === 'out')
    .sort((x, y) => x.sinceMs - y.sinceMs)
    .slice(0, most)
    .map(({ label, sinceMs, key, deliveries }): LeasedItem => {
      const ageMs = Math.max(0, Math.round(nowMs - sinceMs));
      return { key: keyText(key), label: label === undefined ? null : cut(label), ageMs, deliveries };
    });
  const filled = lines.filter((line) => line.size > 0);
  const [oldest = null] = filled
    .map((line) => ({ line, ageMs: Math.max(0, Math.round(line.keptMs(nowMs))) }))
    .sort((x, y) => y.ageMs - x.ageMs);
  const longest = filled
    .sort((x, y) => y.size - x.size)
    .slice(0, top)
    .map((line): LongQueue => ({ key: keyText(line.key), size: line.size }));
  return {
    size,
    keys,
    max: maxItems === Number.POSITIVE_INFINITY ? null : maxItems,
    taken,
    leased,
    delayed,
    expired,
    lapsed,
    leasedLongest: leases[0] ?? null,
    leases: leases.slice(0, top),
    oldest: oldest && { key: keyText(oldest.line.key), ageMs: oldest.ageMs },
    longest,
  };
}
