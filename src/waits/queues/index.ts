// `purgatory/queues`: items by key, handed over to those who wait, first come first served.
export { labelObject } from '../../base/label-object.ts';
export type { BarrierOptions, BarrierResult } from '../../timer/barrier.ts';
export type { Taken, TakenMany } from './items.ts';
export type { ItemsSnapshot, LeasedItem, LongQueue } from './items-snapshot.ts';
export type { Lease } from './lease.ts';
export {
  type LeaseResult,
  Queues,
  type QueuesSnapshot,
  type TakeManyResult,
  type TakeResult,
} from './queues.ts';
export type {
  LaterOptions,
  LeaseOptions,
  PutOptions,
  QueuesOptions,
  TakeManyOptions,
} from './queues-options.ts';
