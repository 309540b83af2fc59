// The timer of the drop-in timers: wheels with ticks that are finer than a timer of the host.
//
// Why. A deadline is rounded up to a tick, and the host waits whole ms from now. With ticks of 1 ms
// every timeout of n ms waits n + 1 ms of the host, where Node's waits n. With a sixteenth of a ms,
// the host's own lateness covers the tick (clock/system-clock.ts). A shorter tick gains nothing.
//
// Ground rules. Those of Timer. Nobody can see this timer, so it has no meter.
import type { Clock } from '../../clock/clock.ts';
import { type MakeScheme, PendingTasks } from '../../timer/pending-tasks.ts';
import { tickAt } from '../../timer/tick.ts';
import { Timer } from '../../timer/timer.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { WheelScheme } from '../../timer/wheels/wheel-scheme.ts';

/** A power of two: ticks and ms are exact in each other. */
const TICK_MS = 1 / 16;
/** log2 of the buckets of a wheel. The lowest reaches 256 ms, the second 17 minutes. */
const WHEEL_BITS = 12;

export class FineTimer extends Timer {
  constructor(clock: Clock, sliceMs: number, onError: (error: unknown, task: TimerTask) => void) {
    const nowMs = clock.now();
    const options = {
      clock,
      sliceMs,
      onError,
      tickMs: TICK_MS,
      maxPending: Number.POSITIVE_INFINITY,
      reaper: true,
    };
    const make: MakeScheme = (slab, cursor) => new WheelScheme(slab, cursor, WHEEL_BITS);
    const tasks = new PendingTasks(make, tickAt(nowMs, TICK_MS));
    super(options, nowMs, tasks);
  }
}
