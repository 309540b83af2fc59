// `purgatory/threshold`: waits for a number that only grows, such as an offset.
export { ThresholdOperation } from './threshold-operation.ts';
export type { Current, ThresholdPurgatoryOptions } from './threshold-options.ts';
export { ThresholdPurgatory, type ThresholdSnapshot } from './threshold-purgatory.ts';
export type { Threshold, ThresholdValue } from './thresholds.ts';
