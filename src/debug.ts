// Debug output for developers who ask for it: `NODE_DEBUG=purgatory`. The library writes to the
// console in no other case.
//
// Ground rules. Only rare events are printed. Frequent events go to channels (purgatory/events). A
// call costs a few ns while debugging is off.
import { debuglog } from 'node:util';

export const debug: (format: string, ...values: unknown[]) => void = debuglog('purgatory');

/** Whether debugging was on when the process began. For output that takes work to prepare. */
export const isDebugging: boolean = debuglog('purgatory').enabled;
