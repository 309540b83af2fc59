// The set-up for a test of any of the eight timers: the timer on a manual clock, and a log of what
// ran when.
import type { SystemTimerOptions } from '../../../src/timer/system-timer-options.ts';
import { type Bench, benchOf } from '../../support/task.ts';
import type { AnyTimer, Contender } from './timers.ts';

export function rig({ make }: Contender, options: SystemTimerOptions = {}, startMs = 0): Bench<AnyTimer> {
  return benchOf(make, options, startMs);
}
