// `purgatory/idle`: idle timeouts for connections and sessions.
export { IdleTimeouts } from './idle-timeouts.ts';
export type { IdleListener, IdleTimeoutsOptions } from './idle-timeouts-options.ts';
