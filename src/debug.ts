// What the library says to developers who ask for it: `NODE_DEBUG=purgatory`. It writes to the console in no other case, and only of
// what is rare; what happens often is told on channels (purgatory/events). A call costs a few ns while nobody has asked.
import { debuglog } from 'node:util';

export const debug: (format: string, ...values: unknown[]) => void = debuglog('purgatory');

/** Whether somebody asked when the process began: for hints that must be looked for. */
export const isDebugging: boolean = debuglog('purgatory').enabled;
