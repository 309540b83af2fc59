// Plays a random history on a SystemTimer and on the naive reference in lock-step.
//
// The real timer leads. Whenever it runs a task, the reference says whether that was the one to run
// now. A fault that a callback finds is kept until the step ends, because the timer would take a
// throw for the user's.
import { expect } from 'chai';
import { SystemTimer, type Timer, TimerTask } from '../../src/index.ts';
import type { SystemTimerOptions } from '../../src/timer/system-timer-options.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { deeplySame, same } from '../support/same.ts';
import type { Action, History, Step } from './timer-arbitraries.ts';
import { TimerReference } from './timer-reference.ts';
import { WatchedClock } from './watched-clock.ts';

class ScriptedTask extends TimerTask {
  readonly id: number;
  readonly #run: (id: number) => void;

  constructor(id: number, delayMs: number, run: (id: number) => void) {
    super(delayMs);
    this.id = id;
    this.#run = run;
  }

  override run(): void {
    this.#run(this.id);
  }
}

class ScriptedError extends Error {}

/** A timer that histories can be played on. */
export interface PlayedTimer extends Timer {
  readonly nextExpirationMs: number | undefined;
  /** The longest delay that it takes, where it has a bound. */
  readonly maxDelayMs?: number;
}

/** How such a timer is made, and its invariants checked. */
export interface Player {
  make(options: SystemTimerOptions): PlayedTimer;
  check(timer: PlayedTimer): void;
}

const systemTimerPlayer: Player = {
  make: (options) => new SystemTimer(options),
  check: (timer) => checkTimerInvariants(timer as SystemTimer),
};

export class TimerHistory {
  readonly #history: History;
  readonly #player: Player;
  readonly #clock: WatchedClock;
  readonly #timer: PlayedTimer;
  readonly #reference: TimerReference;
  readonly #tasks: ScriptedTask[];
  #isInside = false;
  #isClosed = false;
  #runs = 0;
  #thrown = 0;
  #reported = 0;
  /**
   * The scripted actions that callbacks may still take. Tasks that add themselves would go on for
   * ever.
   */
  #budget = 200;
  #failure: unknown;

  constructor(history: History, player: Player = systemTimerPlayer) {
    this.#history = history;
    this.#player = player;
    const { tickMs, wheelSize, reaper, maxPending, startMs } = history;
    this.#clock = new WatchedClock(startMs, (wake) => this.#pass(wake));
    this.#reference = new TimerReference(tickMs);
    const onError = (error: unknown): void => {
      if (error instanceof ScriptedError) this.#reported++;
      else this.#failure ??= error;
    };
    this.#timer = player.make({ tickMs, wheelSize, reaper, maxPending, clock: this.#clock, onError });
    this.#tasks = history.tasks.map(
      ({ delayMs }, id) => new ScriptedTask(id, delayMs, (ran) => this.#onRun(ran)),
    );
  }

  play(): void {
    for (const step of this.#history.steps) {
      this.#step(step);
      if (this.#failure !== undefined) throw this.#failure;
      this.#check();
    }
    this.#timer.close();
  }

  #step(step: Step): void {
    if (step.kind === 'advance') {
      this.#clock.advance(step.ms);
      if (this.#history.reaper) this.#checkNothingLate();
    } else {
      this.#act(step);
    }
  }

  #act(action: Action): void {
    const task = 'task' in action ? this.#tasks[action.task % this.#tasks.length] : this.#tasks[0];
    switch (action.kind) {
      case 'add':
        this.#add(task);
        break;
      case 'cancel':
        same(task.cancel(), this.#reference.remove(task.id) !== undefined, 'cancel');
        break;
      case 'addMany':
      case 'cancelMany':
        for (let i = 0; i < action.count; i++) {
          const one = this.#tasks[(action.task + i * action.stride) % this.#tasks.length];
          if (action.kind === 'addMany') this.#add(one);
          else same(one.cancel(), this.#reference.remove(one.id) !== undefined, 'cancel');
        }
        break;
      case 'remove':
        same(this.#timer.remove(task), this.#reference.remove(task.id) !== undefined, 'remove');
        break;
      case 'advanceClock':
        this.#advanceClock();
        break;
      case 'close': {
        const ids = this.#timer.close().map((closed) => (closed as ScriptedTask).id);
        deeplySame(
          ids,
          this.#reference.clear().map(({ id }) => id),
          'close',
        );
        this.#isClosed = true;
        break;
      }
      case 'throw':
        if (!this.#isInside) return;
        this.#thrown++;
        throw new ScriptedError();
    }
  }

  #add(task: ScriptedTask): void {
    const isFull = this.#reference.size >= this.#history.maxPending && !this.#reference.has(task.id);
    const isTooFar = task.delayMs > (this.#timer.maxDelayMs ?? Number.POSITIVE_INFINITY);
    const refusals = [
      isTooFar && 'ERR_OUT_OF_RANGE',
      this.#isClosed && 'ERR_PURGATORY_CLOSED',
      isFull && 'ERR_PURGATORY_FULL',
    ];
    const expected = refusals.find((refusal) => refusal !== false);
    let code: unknown;
    try {
      this.#timer.add(task);
    } catch (error) {
      code = (error as { code: unknown }).code;
      if (code === undefined) throw error;
    }
    same(code, expected, 'add');
    if (code === undefined) this.#reference.add(task.id, this.#clock.now(), task.delayMs, this.#isInside);
  }

  #advanceClock(): void {
    if (this.#reference.isInPass) {
      same(this.#timer.advanceClock(), 0, 'an advanceClock from inside');
      return;
    }
    const before = this.#runs;
    let count = 0;
    this.#pass(() => {
      count = this.#timer.advanceClock();
    });
    same(count, this.#runs - before, 'the count of advanceClock');
  }

  #pass(go: () => void): void {
    this.#reference.beginPass();
    go();
    const missed = this.#reference.next(this.#clock.now());
    this.#reference.endPass();
    if (missed !== undefined) this.#failure ??= new Error(`task ${missed.id} was due and did not run`);
  }

  #onRun(id: number): void {
    this.#runs++;
    try {
      const nowMs = this.#clock.now();
      same(this.#reference.isInPass, true, 'a run outside of a pass');
      const next = this.#reference.next(nowMs);
      same(id, next?.id, 'the task that runs');
      if (next === undefined) return;
      this.#reference.remove(id);
      const dueMs = Math.max(this.#reference.edgeMs(next), next.addedMs);
      if (this.#history.reaper) expect(nowMs - dueMs, 'lateness').to.be.within(0, 1);
      same(this.#tasks[id].isPending, false, 'isPending inside run');
      same(this.#timer.size, this.#reference.size, 'size inside run');
    } catch (error) {
      this.#failure ??= error;
      return;
    }
    this.#isInside = true;
    try {
      const { script } = this.#history.tasks[id % this.#history.tasks.length];
      for (const action of script) if (this.#budget-- > 0) this.#act(action);
    } finally {
      this.#isInside = false;
    }
  }

  /**
   * After an advance, only tasks may be overdue that were added without delay during it, less than
   * 1 ms ago.
   */
  #checkNothingLate(): void {
    const nowMs = this.#clock.now();
    for (const entry of this.#reference.entries) {
      const dueMs = Math.max(this.#reference.edgeMs(entry), entry.addedMs);
      if (dueMs <= nowMs) same(entry.addedInside && nowMs < dueMs + 1, true, `task ${entry.id} overdue`);
    }
  }

  #check(): void {
    this.#player.check(this.#timer);
    same(this.#timer.size, this.#reference.size, 'size');
    same(this.#reported, this.#thrown, 'errors reported');
    for (const task of this.#tasks) same(task.isPending, this.#reference.has(task.id), 'isPending');
    if (!this.#history.asks) return;
    const first = this.#reference.entries[0];
    if (first === undefined) same(this.#timer.nextExpirationMs, undefined);
    else
      expect(this.#timer.nextExpirationMs).to.be.at.most(
        Math.max(this.#reference.edgeMs(first), this.#clock.now()),
      );
  }
}
