// `purgatory/queues`: items by key, handed over to those who wait, first come first served.
export type { Taken, TakenMany } from './items.ts';
export {
  type ItemsSnapshot,
  Queues,
  type QueuesSnapshot,
  type TakeManyResult,
  type TakeResult,
} from './queues.ts';
export type { QueuesOptions, TakeManyOptions } from './queues-options.ts';
