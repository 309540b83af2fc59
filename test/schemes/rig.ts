// What a test of any of the eight timers begins with: the timer on a manual clock, and a log of what ran when.
import { ManualClock } from '../../src/index.ts';
import type { SystemTimerOptions } from '../../src/timer/system-timer-options.ts';
import { Task } from '../support/task.ts';
import type { AnyTimer, Contender } from './timers.ts';

export interface Rig {
  readonly clock: ManualClock;
  readonly timer: AnyTimer;
  /** `label@time` of each run, in order. */
  readonly log: string[];
  /** Adds a task that logs itself, then does `work`. */
  add(label: string, delayMs: number, work?: (task: Task) => void): Task;
  /** Moves the clock to `atMs` and runs what is due by then. */
  runTo(atMs: number): void;
}

export function rig({ make }: Contender, options: SystemTimerOptions = {}, startMs = 0): Rig {
  const clock = new ManualClock(startMs);
  const timer = make({ ...options, clock });
  const log: string[] = [];
  return {
    clock,
    timer,
    log,
    add(label, delayMs, work) {
      const task = new Task(
        delayMs,
        (self) => {
          log.push(`${label}@${clock.now()}`);
          work?.(self);
        },
        label,
      );
      timer.add(task);
      return task;
    },
    runTo(atMs) {
      clock.advance(atMs - clock.now());
      if (options.reaper === false) timer.advanceClock();
    },
  };
}

/** The `code` of what `action` throws. */
export function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}
