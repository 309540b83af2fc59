/** The eight timers, and what the ledger in the header of each promises. */
import { type Clock, SystemTimer, type Timer } from 'purgatory';
import {
  HashedWheelTimer,
  HeapTimer,
  HierarchicalWheelTimer,
  OrderedListTimer,
  SimpleWheelTimer,
  SortedHashedWheelTimer,
  UnorderedListTimer,
} from 'purgatory/schemes';
import type { Growth } from './growth.ts';

export const METRICS = ['start', 'stop', 'tick', 'mixed'] as const;
export type Metric = (typeof METRICS)[number];

export interface Contender {
  make(options: { clock: Clock; reaper: false }): Timer;
  /** START_TIMER, STOP_TIMER, PER_TICK_BOOKKEEPING. */
  ledger: Record<Exclude<Metric, 'mixed'>, Growth>;
}

const TICK = { tickMs: 1 };

export const contenders: Record<string, Contender> = {
  '1 unordered list': {
    make: (options) => new UnorderedListTimer({ ...TICK, ...options }),
    ledger: { start: 'O(1)', stop: 'O(1)', tick: 'O(n)' },
  },
  '2 ordered list': {
    make: (options) => new OrderedListTimer({ ...TICK, ...options }),
    ledger: { start: 'O(n)', stop: 'O(1)', tick: 'O(1)' },
  },
  '3 heap': {
    make: (options) => new HeapTimer({ ...TICK, ...options }),
    ledger: { start: 'O(log n)', stop: 'O(log n)', tick: 'O(log n)' },
  },
  '4 simple wheel': {
    make: (options) => new SimpleWheelTimer({ ...TICK, ...options }),
    ledger: { start: 'O(1)', stop: 'O(1)', tick: 'O(1)' },
  },
  '5 sorted hashed wheel': {
    make: (options) => new SortedHashedWheelTimer({ ...TICK, ...options }),
    ledger: { start: 'O(n / wheelSize)', stop: 'O(1)', tick: 'O(1)' },
  },
  '6 hashed wheel': {
    make: (options) => new HashedWheelTimer({ ...TICK, ...options }),
    ledger: { start: 'O(1)', stop: 'O(1)', tick: 'O(n / wheelSize)' },
  },
  '7 hierarchical wheel': {
    make: (options) => new HierarchicalWheelTimer({ ...TICK, ...options }),
    ledger: { start: 'O(1)', stop: 'O(1)', tick: 'O(1)' },
  },
  SystemTimer: {
    make: (options) => new SystemTimer({ ...TICK, ...options }),
    ledger: { start: 'O(1)', stop: 'O(1)', tick: 'O(1)' },
  },
};
