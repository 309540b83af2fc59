// Hands over what has come free: to the first that waits, and on, as far as it goes.
//
// Invariants. When a call or a batch has ended, nothing is to be had on a line on which somebody
// waits for it, but on lines that are owed: a job serves those, in order. A hand-over takes the
// wait off its lists and the timer in the call; its promise settles by the settler. The deadline of
// a wait on a line that is owed comes after what is due: it may be among those served.
//
// Costs. A hand-over: O(keys of the wait). One call makes MAX_ANSWERS of them at most.
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { Parking, type PendingEvents } from '../../purgatory/parking.ts';
import { NO_EVENT } from '../../purgatory/passes.ts';
import type { ParkingParts } from '../../purgatory/purgatory-options.ts';
import { Barrier, type BarrierOptions, type BarrierResult } from '../../timer/barrier.ts';
import { type Job, MAX_ANSWERS } from '../../turns/scheduler.ts';
import { KeyLines, type LinesOwner } from './key-lines.ts';
import type { Line } from './line.ts';

export abstract class HandOvers<K, L extends Line<K>> implements PendingEvents, LinesOwner<K, L> {
  readonly parking: Parking<K, KeyLines<K, L>>;
  readonly lists: KeyLines<K, L>;
  /** @internal */
  readonly owed: Set<L> = new Set();
  /** What was given and is to come back, of all keys: units that are held, items that are on lease. */
  out = 0;
  readonly #idle = new Barrier();
  readonly #job: Job;

  constructor(parts: ParkingParts) {
    this.lists = new KeyLines(this);
    this.parking = new Parking(parts, this.lists);
    this.parking.events = this;
    const doBatch = (job: Job): boolean => this.#serveBatch(job);
    this.#job = this.parking.scheduler.job({ sliceMs: parts.sliceMs, doBatch });
  }

  abstract newLine(key: K): L;

  /** Whether somebody waits on `line`, and there is enough for the first. */
  abstract canGive(line: L): boolean;

  /** Hands over to the first on `line`, where `canGive` is true. */
  protected abstract give(line: L): void;

  firstRemoved(line: L): void {
    if (!line.isServing && this.canGive(line)) this.#owe(line);
  }

  forgotten(): void {
    this.parking.giveMemoryBack();
  }

  /** Waits until nothing is out. */
  idle(options: BarrierOptions | undefined): Promise<BarrierResult> {
    return this.#idle.wait(this.parking.timer.clock, this.out === 0, options);
  }

  /** Something has come back. */
  protected openIdle(): void {
    if (this.out === 0 && this.#idle.isAwaited) this.#idle.open();
  }

  /**
   * Something has come free on `line`: `most` hand-overs at most are made in the call, the rest by a
   * job. Returns how many were made.
   */
  serve(line: L, most: number = MAX_ANSWERS): number {
    if (line.waiting === 0 || line.isServing) return 0;
    const given = this.#give(line, most);
    if (given === most && this.canGive(line)) this.#owe(line);
    return given;
  }

  /** Something has come free on any line: as `serve`, and a batch for all of them. O(lines). */
  protected serveAll(): void {
    let left = MAX_ANSWERS;
    for (const line of this.lists.lines()) left -= this.serve(line, left);
  }

  /** Makes `most` hand-overs at most. Returns how many it made. */
  #give(line: L, most: number): number {
    const { parking } = this;
    parking.underWay.push(NO_EVENT);
    let given = 0;
    line.isServing = true;
    while (given < most && this.canGive(line)) {
      this.give(line);
      given++;
    }
    line.isServing = false;
    parking.endEvent();
    return given;
  }

  #owe(line: L): void {
    this.owed.add(line);
    this.#job.wake();
  }

  #serveBatch(job: Job): boolean {
    const owed = this.owed;
    for (const line of owed) {
      if (job.stepsLeft <= 0) break;
      owed.delete(line);
      if (this.#serveOwed(line, job)) owed.add(line); // behind the others
    }
    return owed.size > 0;
  }

  /** Returns whether anything is left to do on `line`. */
  #serveOwed(line: L, job: Job): boolean {
    const given = line.isServing ? 0 : this.#give(line, Math.min(job.stepsLeft, job.answersLeft));
    job.count(Math.max(given, 1), given);
    if (this.canGive(line)) return true;
    const { late } = line;
    if (late === undefined) return false;
    // Nothing was due to them. If one of them held up those behind it, these are served next.
    let expired = 0;
    do {
      const operation = late[expired++];
      if (this.parking.keeps(operation)) this.parking.expire(operation);
      job.count(1, 1);
    } while (expired < late.length && job.stepsLeft > 0 && !this.canGive(line));
    late.splice(0, expired);
    if (late.length === 0) line.late = undefined;
    return late.length > 0 || this.canGive(line);
  }

  isStillDue(operation: DelayedOperation): boolean {
    if (this.owed.size === 0) return true;
    for (const line of this.lists.linesOf(operation)) {
      // Behind those whose deadlines came before, if there are such.
      if (!this.owed.has(line) || !(line.late !== undefined || this.canGive(line))) continue;
      line.late ??= [];
      line.late.push(operation);
      return false;
    }
    return true;
  }
}
