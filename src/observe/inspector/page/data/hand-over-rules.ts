// The rules of what is handed over: units of semaphores, and items of queues.
import { NOTED, type Second } from '../../frame.ts';
import { clock, count, plural, share, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { last, most, sum, views } from './history.ts';
import { each, eachGrowing, grown, MANY, MINUTE_MS, past, type Rule } from './rule.ts';

/** A wait for a unit that is so old is told, where others wait too or half of its time is gone. */
const LONG_WAIT_MS = 10_000;
/** In such spans items are compared. */
const SPANS_S = [10, 60] as const;
const FULL_SHARE = 0.9;
const OLD_MS = 60_000;

const itemsOf =
  (name: string) =>
  ({ purgatories }: Second): number | undefined =>
    purgatories[name]?.items?.size;

export const HELD: Rule = {
  name: 'held',
  watch: ({ seconds }) =>
    seconds
      .slice(-1)
      .flatMap(views)
      .flatMap(({ name, held }) => {
        if (held === undefined) return [];
        const { key, waiting, waitedMs } = held;
        return [
          `${plural(waiting, 'wait')} for ${quoted(key)} in ${quoted(name)}, the oldest for ${time(waitedMs)}`,
        ];
      }),
  past: past(
    each(({ held }, at, seconds) => {
      const isLong =
        held !== undefined && (held.waitedMs >= LONG_WAIT_MS || (held.holder?.ageMs ?? 0) >= NOTED.heldMs);
      return isLong ? { ...held, sinceMs: seconds[at].wallMs - held.waitedMs } : undefined;
    }),
    (found) => {
      const { name, key, waiting, waitedMs, sinceMs, holder } = most(found, (one) => one.waitedMs);
      const waits = plural(waiting, 'wait is parked', 'waits are parked');
      const who =
        holder === undefined
          ? 'Who holds it, a label of the permit would say: acquire({ label })'
          : `${quoted(holder.label)} has held ${plural(holder.units, 'unit')} for ${time(holder.ageMs)}`;
      const why = `For ${quoted(key)} in ${quoted(name)}, ${waits}, the oldest since ${clock(sinceMs)} (${time(waitedMs)}). ${who}. Is it released on every path?`;
      return ['a permit is held for long while others wait', why];
    },
  ),
};

export const BACKLOG: Rule = {
  name: 'backlog',
  watch: eachGrowing(itemsOf, (name, items, more) => `${plural(items, 'item')} in ${quoted(name)}, ${more}`),
  past: past(
    each(({ name, parked, items }, at, seconds) => {
      const spanS = SPANS_S.find((span) => grown(seconds, at, span, itemsOf(name)) >= MANY);
      if (items === undefined || spanS === undefined || parked >= items.size) return undefined;
      const taken = sum(
        seconds.slice(at + 1 - spanS, at + 1),
        ({ purgatories }) => purgatories[name]?.taken ?? 0,
      );
      return { parked, size: items.size, spanS, more: grown(seconds, at, spanS, itemsOf(name)), taken };
    }),
    (found) => {
      const { name, parked, size, spanS, more, taken } = last(found);
      const why = `In ${quoted(name)} ${plural(size, 'item')} were kept, ${count(more)} more than ${spanS} s before; ${taken === 0 ? 'none was' : `${count(taken)} were`} taken meanwhile, and ${takersIn(parked)}. Do the takers run, and are they enough? maxItems refuses what is too much.`;
      return ['items pile up, and too few are taken', why];
    },
    MINUTE_MS,
  ),
};

export const ITEMS_OLD: Rule = {
  name: 'items old',
  past: past(
    each(({ parked, items }) =>
      items != null && (items.oldest?.ageMs ?? 0) >= OLD_MS
        ? { ...items.oldest, size: items.size, parked }
        : undefined,
    ),
    (found) => {
      const { name, key = '', ageMs = 0, size, parked } = most(found, (one) => one.ageMs ?? 0);
      const why = `In ${quoted(name)} the first item of ${quoted(key)} has been kept for ${time(ageMs)} or longer, of ${plural(size, 'item')} in all; ${takersIn(parked)}. Do the takers run, are they enough, and do they take this key?`;
      return ['items wait long for a taker', why];
    },
    MINUTE_MS,
  ),
};

export const ITEMS_FULL: Rule = {
  name: 'items full',
  past: past(
    each(({ items }) => {
      const { size = 0, delayed = 0, max = null } = items ?? {};
      return max !== null && size + delayed >= FULL_SHARE * max ? { stored: size + delayed, max } : undefined;
    }),
    (found) => {
      const { name, stored, max } = last(found);
      const why = `${quoted(name)} keeps ${count(stored)} of ${plural(max, 'item')}, ${share(stored, max)}. What is put beyond that is refused with ERR_PURGATORY_FULL.`;
      return [`queues are ${stored >= max ? 'full' : 'nearly full'}`, why];
    },
  ),
};

export const ITEMS_EXPIRE: Rule = {
  name: 'items expire',
  past: past(
    each(({ itemsExpired, parked }) => (itemsExpired ? { itemsExpired, parked } : undefined)),
    (found) => {
      const { name, parked } = last(found);
      const all = plural(
        sum(found, ({ itemsExpired }) => itemsExpired),
        'item',
      );
      return [
        'items expire before anybody takes them',
        `${all} of ${quoted(name)} did; ${takersIn(parked)}. Do the takers run, and are they enough?`,
      ];
    },
  ),
};

export const LEASES_LAPSE: Rule = {
  name: 'leases lapse',
  past: past(
    each(({ lapsed, items }) => (lapsed ? { lapsed, longest: items?.leasedLongest ?? null } : undefined)),
    (found) => {
      const { name, longest } = last(found);
      const all = plural(
        sum(found, ({ lapsed }) => lapsed),
        'lease',
      );
      const out =
        longest === null
          ? ''
          : ` Out longest: an item of ${quoted(longest.key)}, for ${time(longest.ageMs)}, ${longest.label === null ? 'by a lease without a label' : `by ${quoted(longest.label)}`}, delivered ${plural(longest.deliveries, 'time')}.`;
      const why = `${all} of ${quoted(name)} ended by their time, and the items are given again: the work takes longer than leaseMs, or who had them has gone.${out}`;
      return ['leases end before their items are acknowledged', why];
    },
  ),
};

function takersIn(parked: number): string {
  return parked === 0
    ? 'nobody waits for one'
    : `${plural(parked, 'take waits', 'takes wait')} for other keys`;
}
