// What the page warns of: one table. A new warning is one entry of it.
//
// Ground rules. Pure: rules get the chosen purgatories only. A sentence begins with our words, never
// with a user's. `what` has no number that changes with each frame, because screen readers read the
// headline aloud when it changes. `why` has the numbers, and names a cause only where there is no
// other. The bounds are where a person who waits would notice.
import * as handOvers from './hand-over-rules.ts';
import * as host from './host-rules.ts';
import type { Rule } from './rule.ts';
import * as waits from './wait-rules.ts';

/** Of the same level, the first one is the headline: it says most of what people notice. */
export const RULES: readonly Rule[] = [
  host.HUNG,
  waits.OVERDUE,
  waits.LOADS_HANG,
  waits.LOADS_FAIL,
  waits.OPEN_TRIES,
  handOvers.HELD,
  waits.REFUSED,
  handOvers.ITEMS_FULL,
  waits.REJECTED,
  waits.THREW,
  waits.CUT_OFF,
  waits.IN_DOUBT,
  handOvers.BACKLOG,
  handOvers.ITEMS_OLD,
  handOvers.ITEMS_EXPIRE,
  handOvers.LEASES_LAPSE,
  waits.ENDLESS,
  waits.PILING_UP,
  waits.GROWING,
  waits.LONG_EVENT,
  host.SLOW_CONDITION,
  host.BLOCKED,
  host.STARVED,
  host.LATE,
  waits.HEAVY_KEY,
  host.INTERRUPTED,
  waits.EXPIRING,
];
