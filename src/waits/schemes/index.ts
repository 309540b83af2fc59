// `purgatory/schemes`: the seven timers of Varghese & Lauck (1987), each with the interface Timer.
// (SystemTimer is scheme 7 with a DelayQueue.)
export {
  HashedWheelTimer,
  type HashedWheelTimerOptions,
  type Timeout,
  type TimeoutTask,
} from './hashed-wheel-timer.ts';
export { HeapTimer } from './heap-timer.ts';
export { HierarchicalWheelTimer, type HierarchicalWheelTimerOptions } from './hierarchical-wheel-timer.ts';
export { OrderedListTimer } from './ordered-list-timer.ts';
export type { SchemeTimerOptions } from './scheme-timer.ts';
export { SimpleWheelTimer, type SimpleWheelTimerOptions } from './simple-wheel-timer.ts';
export { SortedHashedWheelTimer } from './sorted-hashed-wheel-timer.ts';
export { UnorderedListTimer } from './unordered-list-timer.ts';
