// What the page warns of: one table. A new warning is one entry of it.
//
// Ground rules. Pure: rules get the chosen purgatories only. A sentence begins with our words, never
// with a user's. `what` has no number that changes with each frame, because screen readers read the
// headline aloud when it changes. `why` has the numbers, and names a cause only where there is no
// other. The bounds are where a person who waits would notice.
import { BACKLOG, HELD, ITEMS_EXPIRE, ITEMS_FULL, ITEMS_OLD, LEASES_LAPSE } from './hand-over-rules.ts';
import { BLOCKED, HUNG, INTERRUPTED, LATE, SLOW_CONDITION, STARVED } from './host-rules.ts';
import type { Rule } from './rule.ts';
import {
  CUT_OFF,
  ENDLESS,
  EXPIRING,
  GROWING,
  HEAVY_KEY,
  LOADS_FAIL,
  LOADS_HANG,
  LONG_EVENT,
  OPEN_TRIES,
  OVERDUE,
  PILING_UP,
  REFUSED,
  REJECTED,
  THREW,
} from './wait-rules.ts';

/** Of the same level, the first one is the headline: it says most of what people notice. */
export const RULES: readonly Rule[] = [
  HUNG,
  OVERDUE,
  LOADS_HANG,
  LOADS_FAIL,
  OPEN_TRIES,
  HELD,
  REFUSED,
  ITEMS_FULL,
  REJECTED,
  THREW,
  CUT_OFF,
  BACKLOG,
  ITEMS_OLD,
  ITEMS_EXPIRE,
  LEASES_LAPSE,
  ENDLESS,
  PILING_UP,
  GROWING,
  LONG_EVENT,
  SLOW_CONDITION,
  BLOCKED,
  STARVED,
  LATE,
  HEAVY_KEY,
  INTERRUPTED,
  EXPIRING,
];
