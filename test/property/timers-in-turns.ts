// Plays a history on timers of the system clock, which share the slice of a turn, and compares them
// with a naive list of their tasks.
//
// The test owns the time: it moves while tasks run, in microtasks after them, between turns, and
// when the host polls (timers-in-turns-time.ts).
//
// What is wrong inside a task is kept until the turn is over: the timer would report it.
import { SystemTimer } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { turn } from '../support/turns.ts';
import type { Act, History } from './timers-in-turns-acts.ts';
import { TurnBound } from './timers-in-turns-bound.ts';
import { PurgatoryBeside } from './timers-in-turns-purgatory.ts';
import { nameOf, PendingTasks, PlayedTask } from './timers-in-turns-tasks.ts';
import { OwnedTime } from './timers-in-turns-time.ts';

const MAX_PENDING = 400;
/** More than the microtasks of any act take. */
const HOPS = 12;
/** Real time and turns in which the host must have called a timer. */
const LOST_MS = 500;
const LOST_TURNS = 100;

export class TimersInTurns {
  readonly #history: History;
  readonly #timers: SystemTimer[];
  readonly #purgatory: PurgatoryBeside | undefined;
  readonly #bound: TurnBound;
  readonly #time: OwnedTime;
  readonly #inside: { runs: number; act: Act }[];
  readonly #after: { runs: number; act: Act }[];
  readonly #tasks: PlayedTask[] = [];
  readonly #pending = new PendingTasks();
  /** Timers in whose pass we are. */
  readonly #running = new Set<number>();
  /** Whether an advanceClock runs tasks, and whether a microtask after a task acts. */
  #isAdvancing = false;
  #isAfter = false;
  #runs = 0;
  #thrown = 0;
  #failure: string | undefined;

  constructor(history: History) {
    this.#history = history;
    this.#inside = history.inside.map((each) => ({ ...each }));
    this.#after = history.after.map((each) => ({ ...each }));
    this.#bound = new TurnBound(history.slices, (wrong) => this.#fail(wrong));
    this.#time = new OwnedTime(history.pollMs);
    const onError = (error: unknown): void => this.#caught(error);
    this.#timers = history.slices.map(
      (sliceMs) => new SystemTimer({ tickMs: 1, wheelSize: 4, sliceMs, onError }),
    );
    if (history.hasPurgatory) this.#purgatory = this.#besideTimers(onError);
  }

  #besideTimers(onError: (error: unknown) => void): PurgatoryBeside {
    const time = this.#time;
    const willTry = (): number => (time.nowMs += this.#history.tryMs);
    const fail = (wrong: string): void => this.#fail(wrong);
    return new PurgatoryBeside(time, { willTry, fail, onError });
  }

  #fail(wrong: string | undefined): void {
    this.#failure ??= wrong;
  }

  #caught(error: unknown): void {
    if ((error as Error).message === 'planned') this.#thrown--;
    else this.#fail(`${(error as Error).stack}`);
  }

  async play(): Promise<void> {
    try {
      for (const { ms, turns, waits, act } of this.#history.steps) {
        await this.#turn(() => {
          this.#time.nowMs += ms;
          this.#do(act);
        });
        for (let i = 0; i < turns; i++) await this.#turn();
        const endMs = performance.now() + (waits ? 1.5 : 0);
        while (performance.now() < endMs) await this.#turn();
      }
      await this.#finish();
    } finally {
      for (const timer of this.#timers) timer.close();
      this.#purgatory?.close();
      for (let i = 0; i < 2; i++) await turn();
      this.#time.giveBack();
    }
  }

  /** From one immediate of ours to the next. What the engine has queued for a turn comes after ours. */
  async #turn(act?: () => void): Promise<void> {
    const next = turn(); // first: so it comes before what `act` queues
    act?.();
    for (let i = 0; i < HOPS; i++) await undefined;
    this.#check();
    this.#time.beginTurn();
    await next;
    this.#bound.check();
    this.#check();
  }

  async #finish(): Promise<void> {
    this.#inside.length = 0;
    this.#after.length = 0;
    this.#time.nowMs += 100;
    let last = -1;
    let turns = 0;
    for (let lostMs = 0; ; ) {
      const left = this.#pending.size + (this.#purgatory?.size ?? 0);
      if (left === 0) break;
      if (left !== last) {
        lostMs = performance.now() + LOST_MS;
        turns = 0;
      }
      last = left;
      if (++turns > LOST_TURNS && performance.now() > lostMs) this.#fail(`a wake-up is lost: ${left} wait`);
      await this.#turn();
    }
    await this.#turn();
    if (this.#thrown !== 0) this.#fail(`${this.#thrown} errors were not reported`);
    this.#check();
  }

  #check(): void {
    for (const [i, timer] of this.#timers.entries()) {
      checkTimerInvariants(timer);
      const { length } = this.#pending.of(i);
      if (timer.size !== length) this.#fail(`timer ${i} has ${timer.size} tasks, not ${length}`);
    }
    this.#purgatory?.check();
    if (this.#failure !== undefined) throw new Error(this.#failure);
  }

  #run(task: PlayedTask): void {
    const { timer } = task;
    this.#fail(this.#pending.run(task, this.#time.nowMs));
    if (!this.#isAdvancing) this.#bound.willRun(timer, this.#time.nowMs);
    const { ms, laterMs, hops } = this.#history.costs[task.id % this.#history.costs.length];
    this.#take(ms);
    this.#runs++;
    this.#running.add(timer);
    try {
      this.#doNext(this.#inside);
    } finally {
      this.#running.delete(timer);
      // In a microtask, the tasks of advanceClock leave nothing: it would come after the next
      // batch.
      if (!this.#isAfter) void this.#goOn(laterMs, hops);
    }
  }

  /** What a task leaves to a microtask. */
  async #goOn(ms: number, hops: number): Promise<void> {
    for (let i = 0; i < hops; i++) await undefined;
    this.#take(ms);
    this.#isAfter = true;
    try {
      this.#doNext(this.#after);
    } catch (error) {
      this.#caught(error);
    } finally {
      this.#isAfter = false;
    }
  }

  #take(ms: number): void {
    this.#time.nowMs += ms;
    this.#bound.took(ms);
  }

  #doNext(script: { runs: number; act: Act }[]): void {
    const next = script[0];
    if (next === undefined || next.runs-- > 0) return;
    script.shift();
    this.#do(next.act);
    if (next.act.do !== 'throw') return;
    this.#thrown++;
    throw new Error('planned');
  }

  #do(act: Act): void {
    switch (act.do) {
      case 'schedule':
        for (let i = 0; i < act.many && this.#pending.size < MAX_PENDING; i++) {
          const task = new PlayedTask(this.#tasks.length, act.delayMs, (ran) => this.#run(ran));
          this.#tasks.push(task);
          this.#add(task, act.timer % this.#timers.length);
        }
        return;
      case 'again':
      case 'cancel': {
        const task = this.#tasks[act.who % Math.max(1, this.#tasks.length)];
        if (task === undefined) return;
        const isPending = this.#pending.has(task);
        if (act.do === 'again') this.#add(task, isPending ? task.timer : act.timer % this.#timers.length);
        else if (this.#pending.delete(task) !== task.cancel()) this.#fail(`${nameOf(task)}: wrong cancel`);
        return;
      }
      case 'advanceClock':
        this.#advance(act.timer % this.#timers.length);
        return;
      case 'close': {
        const timer = act.timer % this.#timers.length;
        const expected = this.#pending.close(timer);
        const closed = this.#timers[timer].close() as PlayedTask[];
        if (`${closed.map(nameOf)}` !== `${expected.map(nameOf)}`) this.#fail(`close: ${closed.map(nameOf)}`);
        return;
      }
      case 'park':
        for (let i = 0; i < act.many; i++) this.#purgatory?.park(act.key, act.delayMs);
        return;
      case 'notify':
        this.#purgatory?.notify(act.key, act.ready);
        return;
    }
  }

  #add(task: PlayedTask, timer: number): void {
    try {
      this.#timers[timer].add(task);
    } catch (error) {
      if (!this.#timers[timer].isClosed) this.#fail(`${(error as Error).stack}`);
      return;
    }
    if (this.#timers[timer].isClosed) this.#fail('a closed timer takes a task');
    this.#pending.add(task, timer, this.#time.nowMs);
  }

  /** All that is due at the call runs in it, unless a pass of the timer is what calls. */
  #advance(timer: number): void {
    const isInPass = this.#running.has(timer);
    const tick = Math.floor(this.#time.nowMs);
    const before = this.#pending.sequence;
    const runs = this.#runs;
    const wasAdvancing = this.#isAdvancing;
    this.#isAdvancing = true;
    const ran = this.#timers[timer].advanceClock();
    this.#isAdvancing = wasAdvancing;
    const [first] = this.#pending.of(timer);
    if (isInPass ? ran > 0 : first !== undefined && first.tick <= tick && first.sequence < before) {
      this.#fail(`advanceClock of timer ${timer} runs ${ran}, and leaves ${first && nameOf(first)}`);
    }
    if (ran > this.#runs - runs) this.#fail(`advanceClock says it ran ${ran} of ${this.#runs - runs}`);
  }
}
