// How the short histories of the soak are shared out. Nothing is imported here, so the process that
// starts the loads can read it too.

/** What `historiesOf(5)` gives: every sequence of five out of 23 acts. */
export const HISTORIES: number = 23 ** 5;
/** Parts of about a second each. */
export const UNITS = 161;
