// The tasks of timers that share the slice of a turn, and the naive list of those that are pending.
import { TimerTask } from '../../src/index.ts';

/** A task that asks its history what to do. */
export class PlayedTask extends TimerTask {
  readonly #play: (task: PlayedTask) => void;
  readonly id: number;
  /** Where it is pending. */
  timer = -1;
  tick = 0;
  dueMs = 0;
  sequence = 0;

  constructor(id: number, delayMs: number, play: (task: PlayedTask) => void) {
    super(delayMs);
    this.id = id;
    this.#play = play;
  }

  override run(): void {
    this.#play(this);
  }
}

const inOrder = (a: PlayedTask, b: PlayedTask): number => a.tick - b.tick || a.sequence - b.sequence;

export function nameOf({ timer, id, tick }: PlayedTask): string {
  return `task ${id} of timer ${timer} at tick ${tick}`;
}

export class PendingTasks {
  readonly #pending = new Set<PlayedTask>();
  #sequence = 0;

  get size(): number {
    return this.#pending.size;
  }

  /** How many were ever added. */
  get sequence(): number {
    return this.#sequence;
  }

  has(task: PlayedTask): boolean {
    return this.#pending.has(task);
  }

  /** Adds or moves `task`. */
  add(task: PlayedTask, timer: number, nowMs: number): void {
    task.timer = timer;
    task.dueMs = nowMs + task.delayMs;
    task.tick = task.delayMs === 0 ? Math.floor(nowMs) : Math.ceil(task.dueMs);
    task.sequence = this.#sequence++;
    this.#pending.add(task);
  }

  delete(task: PlayedTask): boolean {
    return this.#pending.delete(task);
  }

  /** `task` runs. Returns what is wrong with that. */
  run(task: PlayedTask, nowMs: number): string | undefined {
    const [first] = this.of(task.timer);
    if (!this.delete(task)) return `${nameOf(task)} runs, but is not pending`;
    if (nowMs < task.dueMs) return `${nameOf(task)} is ${task.dueMs - nowMs} ms early`;
    return first === task ? undefined : `${nameOf(task)} runs before ${nameOf(first)}`;
  }

  /** Takes out those of a timer, in order. */
  close(timer: number): PlayedTask[] {
    const tasks = this.of(timer);
    for (const task of tasks) this.delete(task);
    return tasks;
  }

  /** Those of a timer, in order. */
  of(timer: number): PlayedTask[] {
    return [...this.#pending].filter((task) => task.timer === timer).sort(inOrder);
  }
}
