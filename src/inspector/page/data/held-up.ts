// Events that were under way while the event loop was blocked. An event goes on in turns of the
// loop, so it stood still for as long. Pure.
import type { Frame, Second } from '../../frame.ts';
import type { PassUnderWay } from '../../view-types.ts';
import { count, plural } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { sum } from './history.ts';

/** The oldest event of a purgatory. */
export interface HeldUp extends PassUnderWay {
  readonly purgatory: string;
  /** How many events it had under way. */
  readonly passes: number;
}

/** 61,000 of 100,000 tried */
export function progress({ tried, watchers }: PassUnderWay): string {
  return `${count(tried)} of ${count(watchers)} tried`;
}

/** A sentence with a space before it, or nothing. */
export function heldUpInWords(heldUp: readonly HeldUp[], chosen: string | undefined): string {
  const of = heldUp.filter(({ purgatory }) => chosen === undefined || purgatory === chosen);
  if (of.length === 0) return '';
  const oldest = of.reduce((a, b) => (b.ageMs > a.ageMs ? b : a));
  const others = sum(of, ({ passes }) => passes) - 1;
  const and = others > 0 ? `, nor could ${plural(others, 'other')}` : '';
  return ` The event on ${quoted(oldest.key)} in ${quoted(oldest.purgatory)} could not go on meanwhile (${progress(oldest)})${and}.`;
}

/** What was under way before a block that ended with this frame, or in this second. */
export function heldUpAt({ host, purgatories }: Frame | Second): HeldUp[] {
  return passesAt(purgatories).filter(({ ageMs }) => ageMs >= host.blockedMs);
}

function passesAt(purgatories: Frame['purgatories'] | Second['purgatories']): HeldUp[] {
  if (Array.isArray(purgatories)) {
    const views: Frame['purgatories'] = purgatories;
    return views.flatMap(({ name, events: { oldestPass, passesUnderWay } }) =>
      oldestPass === null ? [] : [{ ...oldestPass, purgatory: name, passes: passesUnderWay }],
    );
  }
  return Object.entries(purgatories).flatMap(([purgatory, [, , , , , rare]]) =>
    rare?.pass === undefined ? [] : [{ ...rare.pass, purgatory }],
  );
}
