// A timer from outside the library: an array, with the protocol of timer-protocol.ts.
import type { Clock, Timer, TimerTask } from '../../src/index.ts';
import { checkAddable, NOT_HELD } from '../../src/timer/timer-protocol.ts';

export class ListTimer implements Timer {
  readonly #clock: Clock;
  readonly #pending: { task: TimerTask; dueMs: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#pending.length;
  }

  add(task: TimerTask): void {
    const dueMs = this.#clock.now() + checkAddable(task, this);
    const index = this.#indexOf(task);
    if (index >= 0) this.#pending.splice(index, 1);
    this.#pending.push({ task, dueMs });
    this.#pending.sort((a, b) => a.dueMs - b.dueMs);
    task.$keeper = this;
    task.$slot = 0;
  }

  remove(task: TimerTask): boolean {
    const index = this.#indexOf(task);
    if (index < 0) return false;
    const keptBy = task.$keeper;
    if (keptBy !== undefined && keptBy !== this) return keptBy.remove(task);
    this.#release(index);
    return true;
  }

  advanceClock(): number {
    let ran = 0;
    while (this.#pending.length > 0 && this.#pending[0].dueMs <= this.#clock.now()) {
      this.#release(0).run();
      ran++;
    }
    return ran;
  }

  close(): TimerTask[] {
    const returned: TimerTask[] = [];
    for (const { task } of [...this.#pending]) {
      const index = this.#indexOf(task);
      const keptBy = task.$keeper;
      if (keptBy !== undefined && keptBy !== this) {
        task.$slot = NOT_HELD;
        this.#pending.splice(index, 1);
        if (keptBy.remove(task)) returned.push(task);
      } else {
        returned.push(this.#release(index));
      }
    }
    return returned;
  }

  #indexOf(task: TimerTask): number {
    return this.#pending.findIndex((pending) => pending.task === task);
  }

  #release(index: number): TimerTask {
    const [{ task }] = this.#pending.splice(index, 1);
    task.$slot = NOT_HELD;
    if (task.$keeper === this) task.$keeper = undefined;
    return task;
  }
}
