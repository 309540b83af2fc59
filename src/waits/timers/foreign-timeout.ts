// A timeout or interval while the host's setTimeout, or setInterval, is a replacement, usually a
// fake. It is one timer of the replacement.
//
// Ground rules. It keeps its task while the task is pending (timer-task.ts). There is nothing
// else: no wheel, no clock. So fakes that move no time work too, and code that counts, steps
// through or clears the timers of a fake finds each of ours there.
import { ForeignTimer, foreignToTimers, MAX_TIMEOUT_MS } from '../../clock/replacements.ts';
import type { TaskKeeper, TimerTask } from '../../timer/timer-task.ts';

export class ForeignTimeout implements TaskKeeper {
  #timer!: ForeignTimer;

  /**
   * Starts `task` by the foreign setTimeout, or by the foreign setInterval if it `repeats`. Returns
   * false when that function is the host's own, uses our timers itself, came in their place, or
   * cannot wait for so long.
   */
  static start(task: TimerTask, repeats: boolean, isRef: boolean): boolean {
    const name = repeats ? 'setInterval' : 'setTimeout';
    const start = foreignToTimers(name);
    if (start === undefined || task.delayMs > MAX_TIMEOUT_MS) return false;
    task.$keeper?.remove(task);
    const keeper = new ForeignTimeout();
    const run = (): void => {
      if (task.$keeper !== keeper) return;
      if (!repeats) task.$keeper = undefined;
      task.run();
    };
    keeper.#timer = new ForeignTimer(name, start, run, Math.ceil(task.delayMs));
    if (!isRef || keeper.#timer.isOurs) keeper.unref();
    if (keeper.#timer.isOurs) return false;
    task.$keeper = keeper;
    return true;
  }

  remove(task: TimerTask): boolean {
    task.$keeper = undefined;
    this.#timer.clear();
    return true;
  }

  ref(): void {
    this.#timer.ref();
  }

  unref(): void {
    this.#timer.unref();
  }
}
