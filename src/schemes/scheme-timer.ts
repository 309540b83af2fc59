// What the seven timers have in common: a driven timer around a scheme.
//
// Ground rules. Those of DrivenTimer. Two things differ from SystemTimer. A start first lets the ticks that have passed do their
// bookkeeping, so a scheme always stands at the present tick when it files. And a pass gathers all that is due before it runs
// the first task, then runs it in slices.
//
// The reaper sleeps till the next tick that the scheme has something to do at, instead of being woken every tick as the
// hardware clock of the paper does: a scheme steps through its empty buckets in a loop, which costs the ledger's
// PER_TICK_BOOKKEEPING and no host timer.
import { DrivenTimer } from '../timer/driven-timer.ts';
import { checkedTimerOptions, type SystemTimerOptions } from '../timer/system-timer-options.ts';
import { tickAt } from '../timer/tick.ts';
import type { MakeScheme } from './scheme.ts';
import { SchemeTasks } from './scheme-tasks.ts';

/** The options that every scheme has: those of a SystemTimer, but for its wheels. */
export type SchemeTimerOptions = Omit<SystemTimerOptions, 'wheelSize'>;

/** A {@link Timer} that keeps its tasks by one of the schemes; with the face of a SystemTimer, but for periodic tasks and snapshots. */
export abstract class SchemeTimer extends DrivenTimer {
  /** The tick in ms. */
  readonly tickMs: number;

  /** @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its range. */
  protected constructor(makeScheme: MakeScheme, options: SchemeTimerOptions | undefined) {
    const checked = checkedTimerOptions(options);
    const { clock, tickMs } = checked;
    const nowMs = clock.now();
    super(checked, nowMs, new SchemeTasks(makeScheme, tickAt(nowMs, tickMs)));
    this.tickMs = tickMs;
  }
}
