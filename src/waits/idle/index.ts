// `purgatory/idle`: idle timeouts for connections and sessions.
export { labelObject } from '../../base/label-object.ts';
export type { SnapshotOptions } from '../../purgatory/telemetry/purgatory-snapshot.ts';
export {
  type IdleListener,
  IdleTimeouts,
  type IdleTimeoutsOptions,
  type IdleTimeoutsSnapshot,
  type IdleTotals,
  type QuietElement,
} from './idle-timeouts.ts';
