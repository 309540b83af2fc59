// The pending tasks of one scheme timer: those ahead, which the scheme keeps, and those that are
// due.
//
// Ground rules. It owns the slab, `task.$slot` of its tasks, and two lists: `due`, which the pass
// under way has yet to run, and `next`, with which the next pass begins. It reads no clock and runs
// no task. Its timer (DrivenTimer) alone calls it, as PendingTasks describes. It is to a scheme
// timer what WheelTasks is to SystemTimer. But a scheme hands over all that is due at once. So
// there is one cursor and no horizon, and a task that is added while a pass is open never runs in
// that pass.
//
// Costs, besides the scheme's own: O(1) an operation, amortised where memory grows and shrinks.
import { mustHold } from '../../base/must-hold.ts';
import { NONE, Slab, type Slot } from '../../slab/slab.ts';
import type { PendingTasks } from '../../timer/pending-tasks.ts';
import { NOT_HELD } from '../../timer/timer-protocol.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import type { MakeScheme, Scheme } from './scheme.ts';

export class SchemeTasks implements PendingTasks {
  readonly #slab = new Slab<TimerTask>();
  readonly #scheme: Scheme;
  #due = this.#slab.makeList(NONE, NONE);
  #next = this.#slab.makeList(NONE, NONE);
  #cursor = 0;
  /** The highest tick filed so far. */
  #latest = 0;
  #size = 0;

  constructor(makeScheme: MakeScheme, cursor: number) {
    this.#scheme = makeScheme(this.#slab, cursor);
    this.#cursor = cursor;
    this.#latest = cursor;
  }

  get size(): number {
    return this.#size;
  }

  get cursor(): number {
    return this.#cursor;
  }

  holds(task: TimerTask, slot: number): boolean {
    return slot !== NOT_HELD && this.#slab.value(slot as Slot) === task;
  }

  add(task: TimerTask, tick: number): void {
    const slot = tick > this.#cursor ? this.#scheme.insert(tick) : this.#slab.push(this.#next, NONE, NONE);
    this.#slab.setValue(slot, task);
    task.$slot = slot;
    this.#size++;
    if (tick > this.#latest) this.#latest = tick;
  }

  release(task: TimerTask, slot: number): void {
    this.#slab.clearValue(slot as Slot);
    this.#scheme.remove(slot as Slot);
    task.$slot = NOT_HELD;
    this.#size--;
  }

  /** What falls due on the way waits for the next pass. */
  catchUp(tick: number): void {
    this.#collect(tick, this.#next);
  }

  /** Always true: a scheme does its bookkeeping at each tick, also when no task is due. */
  hasDue(): boolean {
    return true;
  }

  get isPassOpen(): boolean {
    return !this.#slab.isEmpty(this.#due);
  }

  openPass(tick: number): void {
    this.#slab.splice(this.#next, this.#due);
    if (tick > this.#cursor) this.#collect(tick, this.#due);
  }

  take(): TimerTask | undefined {
    const slot = this.#slab.next(this.#due);
    if (slot === this.#due) return undefined;
    const task = this.#slab.value(slot) as TimerTask;
    this.release(task, slot);
    return task;
  }

  lookFor(tick: number): number {
    return tick;
  }

  nextTick(): number {
    if (this.#size === 0) return Number.POSITIVE_INFINITY;
    if (this.isPassOpen || !this.#slab.isEmpty(this.#next)) return this.#cursor;
    return this.#scheme.nextTick();
  }

  firstTick(): number {
    return this.nextTick();
  }

  /** Nothing can be filed afterwards. */
  takeAll(): TimerTask[] {
    const tasks: TimerTask[] = [];
    this.#slab.splice(this.#next, this.#due);
    this.#collect(Math.max(this.#cursor, this.#latest), this.#due);
    for (let task = this.take(); task !== undefined; task = this.take()) tasks.push(task);
    return tasks;
  }

  get isSparse(): boolean {
    return this.#slab.isSparse;
  }

  shrink(): void {
    if (!this.#slab.isSparse || this.isPassOpen) return;
    const moved = this.#slab.compact();
    this.#due = moved(this.#due);
    this.#next = moved(this.#next);
    this.#scheme.relocate(moved);
    this.#slab.forEachValue((task, slot) => {
      task.$slot = slot;
    });
  }

  #collect(tick: number, due: Slot): void {
    this.#scheme.collect(tick, due);
    this.#cursor = tick;
  }

  check(): number {
    const { members, heads, earliest } = this.#scheme.check();
    const found = [...this.#slab.check(this.#due), ...this.#slab.check(this.#next), ...members];
    mustHold(new Set(found).size === found.length, 'a task is linked twice');
    mustHold(found.length === this.#size, `${found.length} tasks are linked, size says ${this.#size}`);
    for (const slot of found) {
      mustHold(this.#slab.value(slot)?.$slot === slot, 'a task does not know its slot');
    }
    mustHold(this.#slab.inUse === found.length + heads + 2, 'cells have leaked');
    const nextTick = this.#scheme.nextTick();
    mustHold(nextTick <= earliest, `looks at tick ${nextTick}, though ${earliest} is due`);
    mustHold(nextTick > this.#cursor, `looks at tick ${nextTick}, though it stands at ${this.#cursor}`);
    return found.length > members.length ? this.#cursor : earliest;
  }
}
