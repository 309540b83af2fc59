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
      const takers = parked === 0 ? 'nobody waits for one' : plural(parked, 'take waits', 'takes wait');
      const why = `In ${quoted(name)} ${plural(size, 'item')} were kept, ${count(more)} more than ${spanS} s before; ${taken === 0 ? 'none was' : `${count(taken)} were`} taken meanwhile, and ${takers}. Do the takers run, and are they enough? maxItems refuses what is too much.`;
      return ['items pile up, and too few are taken', why];
    },
    MINUTE_MS,
  ),
};

export const ITEMS_FULL: Rule = {
  name: 'items full',
  past: past(
    each(({ items: { size = 0, max = null } = {} }) =>
      max !== null && size >= FULL_SHARE * max ? { size, max } : undefined,
    ),
    (found) => {
      const { name, size, max } = last(found);
      const why = `${quoted(name)} keeps ${count(size)} of ${plural(max, 'item')}, ${share(size, max)}. What is put beyond that is refused with ERR_PURGATORY_FULL.`;
      return [`queues are ${size >= max ? 'full' : 'nearly full'}`, why];
    },
  ),
};
