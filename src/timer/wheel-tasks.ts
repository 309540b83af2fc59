// The pending tasks of a SystemTimer, and the pass that takes out those that are due.
//
// Ground rules. It owns the young tasks (YoungTasks) and the wheels (TimingWheels), which together
// hold every pending task. Its timer (DrivenTimer) alone calls it, as PendingTasks describes.
//
//   where a task is   young -> filed in a bucket -> due -> taken out
//   without delay     next -> due -> taken out
//
// No young task is for a tick before the head of the DelayQueue. So the young tasks are filed when
// a bucket is about to leave the queue, and nobody has to look for them before that.
//
// Three ticks: cursor <= horizon <= now. The cursor is the tick that the wheels stand at. The
// horizon is the target of the pass under way, or the cursor when there is none. A pass takes the
// due tasks first, and then, bucket by bucket, what expires up to the horizon. The timer can leave
// a pass and go on with it later. A task for a tick that is not ahead of the horizon has no delay.
// It waits in `next` for the next pass, so a task that a pass adds never runs in that pass.
//
// Costs. add, release: O(1), plus O(log buckets) for the first task of a bucket. take: amortised
// O(1) for each task and for each wheel that it was filed above the lowest. A jump of the clock
// costs what one step costs.
import { mustHold } from '../must-hold.ts';
import type { PendingTasks } from './pending-tasks.ts';
import { NOT_HELD, type TimerTask } from './timer-task.ts';
import { type DidCascade, TimingWheels } from './timing-wheels.ts';
import { YoungTasks } from './young-tasks.ts';

export class WheelTasks implements PendingTasks {
  readonly #young = new YoungTasks();
  readonly #bits: number;
  readonly #didCascade: DidCascade;
  #wheels: TimingWheels;
  #horizon = 0;
  #size = 0;

  /**
   * @param bits log2 of the buckets of each wheel.
   * @param tick the tick to start from.
   * @param didCascade as for TimingWheels.
   */
  constructor(bits: number, tick: number, didCascade: DidCascade) {
    this.#bits = bits;
    this.#didCascade = didCascade;
    this.#wheels = new TimingWheels(bits, tick, didCascade);
    this.#horizon = tick;
  }

  get size(): number {
    return this.#size;
  }

  get cursor(): number {
    return this.#wheels.cursor;
  }

  holds(task: TimerTask, slot: number): boolean {
    if (YoungTasks.isRow(slot)) return this.#young.holds(task, slot);
    return this.#wheels.holds(task, slot);
  }

  add(task: TimerTask, tick: number): void {
    const wheels = this.#wheels;
    if (tick <= this.#horizon) {
      wheels.fileForNext(task, tick);
    } else if (tick < wheels.headExpiration) {
      wheels.file(task, tick);
    } else {
      if (this.#young.isFull) this.#fileYoung();
      this.#young.add(task, tick);
    }
    this.#size++;
  }

  /** To be done before a bucket leaves the queue. */
  #fileYoung(): void {
    this.#young.fileIn(this.#wheels);
  }

  release(task: TimerTask, slot: number): void {
    if (YoungTasks.isRow(slot)) this.#young.release(task, slot);
    else this.#wheels.release(task, slot);
    this.#size--;
  }

  /** Takes out a task, if it is here, that was frozen and could not be told its slot. O(tasks). */
  releaseFrozen(task: TimerTask): void {
    const slot = this.filed().find(task);
    if (slot !== NOT_HELD) this.release(task, slot);
  }

  /**
   * Moves the wheels towards `tick` as far as nothing expires: a task that is added next is then
   * filed low.
   */
  catchUp(tick: number): void {
    if (this.isPassOpen) return;
    const wheels = this.#wheels;
    if (wheels.headExpiration <= tick) this.#dropEmptyHeads();
    const head = wheels.headExpiration;
    if (tick < head) wheels.cursor = tick;
    // Beyond 2^53 the tick before the head may be no double, and round to the head: then the cursor
    // stays.
    else if (head - 1 < head) wheels.cursor = head - 1;
    this.#horizon = wheels.cursor;
  }

  get isPassOpen(): boolean {
    return this.cursor < this.#horizon || this.#wheels.hasDue;
  }

  /** Whether a pass is open, or tasks without delay wait for the next. No bucket tells of these. */
  get isOverdue(): boolean {
    return this.isPassOpen || this.#wheels.hasNext;
  }

  hasDue(tick: number): boolean {
    return this.#wheels.headExpiration <= tick || this.isOverdue;
  }

  openPass(tick: number): void {
    this.#wheels.expireNext();
    if (tick > this.#horizon) this.#horizon = tick;
  }

  /**
   * As in PendingTasks. While a large bucket cascades, no task is at hand though the pass is open.
   */
  take(): TimerTask | undefined {
    const wheels = this.#wheels;
    for (;;) {
      const task = wheels.takeDue();
      if (task !== undefined) {
        this.#size--;
        return task;
      }
      this.#fileYoung();
      const head = wheels.headExpiration;
      if (head > this.#horizon) {
        wheels.cursor = this.#horizon;
        return undefined;
      }
      wheels.expireHead();
      if (wheels.headExpiration === head && !wheels.hasDue) return undefined;
    }
  }

  /** The tick of the task that `take` returned last. */
  get takenTick(): number {
    return this.#wheels.takenTick;
  }

  /** Its bucket is the head of the queue then. */
  lookFor(): number {
    return this.nextTick();
  }

  nextTick(): number {
    if (this.#size === 0) return Number.POSITIVE_INFINITY;
    if (this.isOverdue) return this.cursor;
    this.#dropEmptyHeads();
    return this.#wheels.headExpiration;
  }

  firstTick(): number {
    const tick = this.nextTick();
    if (tick === Number.POSITIVE_INFINITY || this.isOverdue) return tick;
    this.#fileYoung();
    return this.#wheels.firstTick();
  }

  /** Mostly the head has tasks: then it stays, and the young tasks stay young. */
  #dropEmptyHeads(): void {
    if (this.#wheels.hasHead) return;
    this.#fileYoung();
    this.#wheels.dropEmptyHeads();
  }

  takeAll(): TimerTask[] {
    const tasks: TimerTask[] = [];
    while (this.#size > 0) {
      if (!this.isPassOpen) this.openPass(this.nextTick());
      const task = this.take();
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  }

  shrink(): void {
    this.#wheels.shrink();
  }

  rest(): void {
    if (this.#wheels.isLarge) this.#wheels = new TimingWheels(this.#bits, this.#horizon, this.#didCascade);
    else this.#wheels.rest(this.#horizon);
  }

  /** The wheels with every pending task: the young ones are filed first. For snapshots. */
  filed(): TimingWheels {
    this.#fileYoung();
    return this.#wheels;
  }

  check(): number {
    const wheels = this.#wheels;
    mustHold(this.cursor <= this.#horizon, 'the cursor is ahead of the horizon');
    const tasks = this.#young.check(wheels.headExpiration) + wheels.check();
    mustHold(tasks === this.#size, `${tasks} tasks are held, size says ${this.#size}`);
    // Not nextTick(): that may file the young tasks, and a history that is checked at each step
    // would have none.
    if (tasks === 0) return Number.POSITIVE_INFINITY;
    return this.isOverdue ? this.cursor : wheels.headExpiration;
  }
}
