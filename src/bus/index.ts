// `purgatory/bus`: hints between processes, and what an author of another transport needs.
// docs/many-processes.md

export type { BarrierOptions, BarrierResult } from '../timer/barrier.ts';
export { createBus } from './bus.ts';
export type { Bus, BusOptions } from './bus-options.ts';
export { refusal } from './bus-options.ts';
export type {
  BusMember,
  HintValue,
  JoinableBus,
  KeyInterest,
  Membership,
  MergeValues,
  Routing,
} from './membership/bus-member.ts';
export { MAX_KEY_BYTES } from './membership/bus-member.ts';
export type { BusEcho, BusOverflow, BusStateChanged, BusSwept } from './telemetry/bus-meter.ts';
export type {
  BusSnapshot,
  BusState,
  BusTotals,
  DoubtSnapshot,
  ErrorSnapshot,
  GapCause,
  GapSnapshot,
  SweepSnapshot,
} from './telemetry/bus-snapshot.ts';
export { MAX_FRAME_BYTES, type Transport, type TransportLink } from './transport.ts';
export { LocalHub, type LocalHubOptions } from './transports/local-hub.ts';
export type { HubFaults } from './transports/local-network.ts';
