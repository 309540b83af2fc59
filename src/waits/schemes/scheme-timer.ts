// What the seven timers have in common: a driven timer around a scheme.
//
// The reaper sleeps until the next tick in which the scheme has something to do. (The hardware
// clock of the paper wakes at every tick.) A scheme steps through its empty buckets in a loop. That
// costs PER_TICK_BOOKKEEPING for each, and no host timer. A pass collects all that is due before it
// runs the first task. Then it runs in slices.

import { type MakeScheme, PendingTasks } from '../../timer/pending-tasks.ts';
import { checkedTimerOptions, type TimerOptions } from '../../timer/system-timer-options.ts';
import { tickAt } from '../../timer/tick.ts';
import { Timer } from '../../timer/timer.ts';

/** The options that every scheme has: those of a SystemTimer, but for its wheels. */
export type SchemeTimerOptions = TimerOptions;

/**
 * A {@link Timer} that keeps its tasks by one of the schemes. It has the methods of a SystemTimer,
 * without periodic tasks and snapshots.
 */
export abstract class SchemeTimer extends Timer {
  /** The tick in ms. */
  readonly tickMs: number;

  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  protected constructor(makeScheme: MakeScheme, options: SchemeTimerOptions | undefined) {
    const checked = checkedTimerOptions(options);
    const { clock, tickMs } = checked;
    const nowMs = clock.now();
    super(checked, nowMs, new PendingTasks(makeScheme, tickAt(nowMs, tickMs)));
    this.tickMs = tickMs;
  }
}
