// What the engine takes of the host: the functions as they were when this module ran, and constants.
// Nothing else imports node:timers.
//
// Why. A fake may come and go while the engine works, and what the engine asks of a fake is lost with
// it. An ES module is safe from that: its imports are bindings of what node:timers had. But compiled
// to CommonJS (or after syncBuiltinESMExports) each use of an import reads a property, which a fake
// replaces. So each is read once, here.
import * as timers from 'node:timers';

/** As the globals were: of the host, or of a wrapper (an agent, zone.js) or a fake that was there first. */
export const host: Readonly<
  Pick<typeof globalThis, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>
> = { setTimeout, setInterval, clearTimeout, clearInterval };
/** Whether the global setTimeout was the one of Node. */
export const isSetTimeoutOfNode: boolean = setTimeout === timers.setTimeout;
/** It is never cleared: clock/later.ts. */
export const hostSetImmediate: typeof setImmediate = timers.setImmediate;
export const HostDate: DateConstructor = Date;
export const hostPerformance: typeof performance = performance;
export const hostPerformanceNow: typeof performance.now = performance.now;
/** The monotonic time, in ns. */
export const hostHrtime: () => bigint = process.hrtime.bigint;

const hostSetTimeout = timers.setTimeout;

/** Resolves after `ms` of the host's time. */
export function hostPause(ms: number): Promise<void> {
  return new Promise((resolve) => void hostSetTimeout(resolve, ms));
}

/** Resolves in the next turn of the host, and in the async context of who awaits it. */
export function hostTurn(): Promise<void> {
  return new Promise((resolve) => void hostSetImmediate(resolve));
}
