// The eight timers that one suite and one model hold to the same behaviour.

import { SystemTimer } from '../../../src/timer/system-timer.ts';
import type { SystemTimerOptions } from '../../../src/timer/system-timer-options.ts';
import {
  HashedWheelTimer,
  HeapTimer,
  HierarchicalWheelTimer,
  OrderedListTimer,
  SimpleWheelTimer,
  SortedHashedWheelTimer,
  UnorderedListTimer,
} from '../../../src/waits/schemes/index.ts';
import type { SchemeTimer, SchemeTimerOptions } from '../../../src/waits/schemes/scheme-timer.ts';

export type AnyTimer = SystemTimer | SchemeTimer;

/** One of the eight, as the suite and the model make it. */
export interface Contender {
  readonly name: string;
  /** With a tick of 1 ms unless told; `wheelSize` for those that have a wheel. */
  make(options: SystemTimerOptions): AnyTimer;
  /** Whether it takes delays up to Number.MAX_SAFE_INTEGER. */
  readonly isUnbounded: boolean;
}

/** Buckets of the wheel of bounded interval: all delays of the suite but the huge ones fit. */
const INTERVAL = 2 ** 17;

export const contenders: readonly Contender[] = [
  wheelless(UnorderedListTimer),
  wheelless(OrderedListTimer),
  wheelless(HeapTimer),
  {
    name: 'SimpleWheelTimer',
    isUnbounded: false,
    make: ({ wheelSize = INTERVAL, ...options }) => new SimpleWheelTimer({ ...options, wheelSize }),
  },
  contender(SortedHashedWheelTimer),
  {
    name: 'HashedWheelTimer',
    isUnbounded: true,
    make: (options) => new HashedWheelTimer({ tickMs: 1, ...options }),
  },
  {
    name: 'HierarchicalWheelTimer',
    isUnbounded: true,
    make: ({ wheelSize = 8, ...options }) =>
      new HierarchicalWheelTimer({ ...options, levels: [wheelSize, 3, 5] }),
  },
  contender(SystemTimer),
];

/** One that has no wheel. */
function wheelless(Timer: new (options: SchemeTimerOptions) => AnyTimer): Contender {
  return { name: Timer.name, isUnbounded: true, make: ({ wheelSize: _, ...options }) => new Timer(options) };
}

function contender(Timer: new (options: SystemTimerOptions) => AnyTimer): Contender {
  return { name: Timer.name, isUnbounded: true, make: (options) => new Timer(options) };
}
