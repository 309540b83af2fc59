// `purgatory/semaphore`: permits by key, first come first served. A lock, a limit, a pool's places.
export { labelObject } from '../../base/label-object.ts';
export type { BarrierOptions, BarrierResult } from '../../timer/barrier.ts';
export {
  type HeldPermit,
  Semaphore,
  type SemaphoreSnapshot,
  type UnitsSnapshot,
} from './semaphore.ts';
export type { AcquireOptions, SemaphoreOptions, TryAcquireOptions } from './semaphore-options.ts';
export type { Permit } from './units.ts';
