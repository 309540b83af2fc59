// What holds in a Semaphore and in Queues between any two calls: what can be handed over is.
import { HandOvers } from '../../../src/waits/lines/hand-overs.ts';
import type { Line } from '../../../src/waits/lines/line.ts';
import { Items } from '../../../src/waits/queues/items.ts';
import { Units } from '../../../src/waits/semaphore/units.ts';
import { mustHold } from './must-hold.ts';

/** @param events those of a Parking. */
export function checkHandOvers(events: unknown): void {
  if (!(events instanceof HandOvers)) return;
  const handOvers: HandOvers<unknown, Line<unknown>> = events;
  for (const line of handOvers.lists.lines()) {
    const isOwed = handOvers.owed.has(line);
    const canGive = handOvers.canGive(line);
    mustHold(isOwed || !canGive, 'nobody serves a line on which something is to be had');
    mustHold(isOwed || line.late === undefined, 'a deadline is held back for nothing');
    mustHold(!line.isServing, 'a line is served for ever');
    mustHold(!(line.isFiled && line.isIdle), 'an idle key takes memory');
  }
  if (events instanceof Units) checkUnits(events);
  if (events instanceof Items) checkItems(events);
}

function checkUnits({ lists, out: held }: Units<unknown>): void {
  let sum = 0;
  for (const line of lists.lines()) {
    mustHold(line.held >= 0, `${line.held} units are held`);
    for (const permit of line.labelled?.keys() ?? [])
      mustHold(permit.isHeld, 'a permit is listed, and not held');
    sum += line.held;
  }
  mustHold(sum === held, `${sum} units are held, ${held} are counted`);
}

function checkItems({ lists, size, keys, out: leased, delayed }: Items<unknown, unknown>): void {
  let items = 0;
  let withItems = 0;
  let away = 0;
  for (const line of lists.lines()) {
    const isAway = ({ state }: { state: string }): boolean => state === 'out' || state === 'later';
    mustHold(line.away().every(isAway), 'an item counts as away, and is not');
    away += line.away().length;
    const places = line.fresh.size + (line.back?.size() ?? 0);
    mustHold(places <= 2 * line.size + 17, `${places} places for ${line.size} items`);
    items += line.size;
    if (line.size > 0) withItems++;
  }
  mustHold(items === size && withItems === keys, `${items} items on ${withItems} keys are miscounted`);
  mustHold(away === leased + delayed, `${away} items are away, ${leased + delayed} are counted`);
}
