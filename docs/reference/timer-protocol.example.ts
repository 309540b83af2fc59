import { Purgatory, type Timer, type TimerTask } from 'purgatory';
import { checkAddable, NOT_HELD } from 'purgatory/timer-protocol';

/** The simplest timer: a map, and a look through all of it. Here a call of `advanceClock` is a millisecond. */
class MapTimer implements Timer {
  readonly #dueAt = new Map<TimerTask, number>();
  #now = 0;

  get size(): number {
    return this.#dueAt.size;
  }

  add(task: TimerTask): void {
    const delayMs = checkAddable(task, this);
    this.#dueAt.delete(task);
    this.#dueAt.set(task, this.#now + delayMs);
    task.$keeper = this;
    task.$slot = 0;
  }

  remove(task: TimerTask): boolean {
    if (!this.#dueAt.has(task)) return false;
    if (task.$keeper !== this && task.$keeper !== undefined) return task.$keeper.remove(task);
    this.#release(task);
    return true;
  }

  advanceClock(): number {
    this.#now++;
    const due = [...this.#dueAt].filter(([, at]) => at <= this.#now).map(([task]) => task);
    for (const task of due) {
      this.#release(task);
      task.run();
    }
    return due.length;
  }

  close(): TimerTask[] {
    const tasks = [...this.#dueAt].sort(([, a], [, b]) => a - b).map(([task]) => task);
    return tasks.filter((task) => this.remove(task));
  }

  /** The keeper of a parked operation stays: the operation's `run` needs it. */
  #release(task: TimerTask): void {
    this.#dueAt.delete(task);
    task.$slot = NOT_HELD;
    if (task.$keeper === this) task.$keeper = undefined;
  }
}

const timer = new MapTimer();
const polls = new Purgatory('polls', { timer });
const poll = polls.waitFor(['news'], () => undefined, { timeoutMs: 2 });
console.log(timer.advanceClock(), timer.advanceClock()); // 0 1
console.log(await poll); // { expired: true }
