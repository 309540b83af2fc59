// `purgatory/idle`: idle timeouts for connections and sessions.
export { type IdleListener, IdleTimeouts, type IdleTimeoutsOptions } from './idle-timeouts.ts';
