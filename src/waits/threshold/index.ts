// `purgatory/threshold`: waits for a number that only grows, such as an offset.
export type { ThresholdValue } from './threshold-heap.ts';
export { ThresholdOperation } from './threshold-operation.ts';
export type { Current, ThresholdPurgatoryOptions } from './threshold-options.ts';
export { ThresholdPurgatory, type ThresholdSnapshot } from './threshold-purgatory.ts';
export type { Threshold } from './thresholds.ts';
