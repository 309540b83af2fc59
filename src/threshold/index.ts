export type { ThresholdValue } from './threshold-heap.ts';
export { ThresholdOperation } from './threshold-operation.ts';
export { ThresholdPurgatory, type ThresholdPurgatoryOptions } from './threshold-purgatory.ts';
export type { Threshold } from './thresholds.ts';
