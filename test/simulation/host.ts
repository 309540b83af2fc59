// The host of one simulated process: its clock, its turns, its stops.
//
// Ground rules. A turn runs the wake-ups that are due, what has arrived, and what was left to it
// (`Clock.nextTurn`), each with its microtasks. A process that stands still has no turns, and what
// comes for it waits. Three modes: 'reads', as the system clock on Node (what has arrived runs before
// wake-ups, which get the reading from before it); 'plain', a clock that knows no reads, whose time
// moves within a turn; 'still', whose time stands while code runs.
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { hostSetImmediate } from '../../src/base/host.ts';
import { noise } from '../../src/base/random.ts';
import type { Clock, WakeUp } from '../../src/clock/clock.ts';
import type { Time } from './time.ts';

export type Mode = 'reads' | 'plain' | 'still';

setFlagsFromString('--allow-natives-syntax');
/** Runs all microtasks. Does nothing when it is called by one. */
export const runMicrotasks = runInThisContext('() => %PerformMicrotaskCheckpoint()') as () => void;

/** Runs `go` in a turn of the real host, outside of its microtasks, so that it can run them. */
export function inTurn<T>(go: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    hostSetImmediate(() => {
      try {
        resolve(go());
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** Whose code runs. */
let current: Host | undefined;

interface HeldWake extends WakeUp {
  readonly atMs: number;
  readonly order: number;
  /** When the host gets to it: some are late. */
  readonly dueMs: number;
  readonly wake: (dueMs?: number) => void;
  isQueued: boolean;
}

/** So close, two times are one. */
const ROUNDING_MS = 1e-9;
/** The least time between two turns of a process that has more to do. */
const LEAST_TURN_MS = 0.01;

export class Host {
  readonly clock: Clock;
  readonly mode: Mode;
  readonly #time: Time;
  readonly #jitterMs: number;
  readonly #seed: number;
  /** A crash ends it for good: nothing of it runs any more. */
  isDead = false;
  frozenUntilMs = 0;
  /** When it was last made to stand still, until then. */
  stoodUntilMs = 0;
  /** For how long its own clock stood with it. */
  suspendedMs = 0;
  /** When the turn under way began. */
  turnBeganMs = 0;
  /** When the one before it began. */
  lastTurnMs = 0;
  /** Where its time stands in the turn under way: code takes time. */
  #localMs: number;
  busyUntilMs = 0;
  #turnAtMs = Number.POSITIVE_INFINITY;
  readonly #wakes = new Set<HeldWake>();
  #made = 0;
  #arrived: (() => void)[] = [];
  #left: (() => void)[] = [];
  /** Called at the end of each turn. */
  turnEnded: () => void = () => {};
  threw: (error: unknown) => void = () => {};

  constructor(time: Time, mode: Mode, jitterMs: number, seed: number) {
    this.#time = time;
    this.mode = mode;
    this.#jitterMs = jitterMs;
    this.#seed = seed;
    this.#localMs = time.nowMs;
    this.stoodUntilMs = time.nowMs;
    this.clock = {
      now: () => this.nowMs,
      wakeAt: (atMs, wake) => this.#wakeAt(atMs, wake),
      nextTurn: (go) => this.#nextTurn(go),
      isStill: mode === 'still',
    };
  }

  get nowMs(): number {
    const { nowMs } = this.#time;
    return (current === this ? this.#localMs : Math.max(nowMs, this.busyUntilMs)) - this.suspendedMs;
  }

  get isIdle(): boolean {
    return this.#left.length === 0;
  }

  get stands(): boolean {
    return this.isDead || this.frozenUntilMs >= this.#time.nowMs || this.busyUntilMs > this.#time.nowMs;
  }

  get isRunning(): boolean {
    return current === this;
  }

  /** What is left of it in a world that has ended. */
  get leftBehind(): number {
    return this.#wakes.size + this.#left.length;
  }

  /** The code that runs takes `ms`. */
  spend(ms: number): void {
    if (this.mode !== 'still') this.#localMs += ms;
  }

  /** `go` has arrived, and runs in the next turn. */
  push(go: () => void): void {
    if (this.isDead) return;
    this.#arrived.push(go);
    this.#arm(this.#time.nowMs);
  }

  /** `go` arrives after `ms`. */
  later(ms: number, go: () => void): void {
    this.#time.after(ms, () => this.push(go));
  }

  /** Runs `go` as the code of this process, outside of its turns: its beginning. */
  begin(go: () => void): void {
    current = this;
    this.#localMs = this.#time.nowMs;
    this.#run(go);
    current = undefined;
    this.#arm(this.#time.nowMs);
  }

  /** It stands still for `ms`. @param isSuspended whether its clock stands still, too. */
  freeze(ms: number, isSuspended: boolean): void {
    const { nowMs } = this.#time;
    const beforeMs = Math.max(this.frozenUntilMs, this.busyUntilMs, nowMs);
    this.frozenUntilMs = Math.max(beforeMs, nowMs + ms);
    this.stoodUntilMs = this.frozenUntilMs;
    if (isSuspended) this.suspendedMs += this.frozenUntilMs - beforeMs;
    this.#turnAtMs = Number.POSITIVE_INFINITY;
    this.#arm(this.frozenUntilMs);
  }

  #nextTurn(go: () => void): void {
    if (current !== this) {
      this.push(go); // the network delivers
      return;
    }
    this.#left.push(go);
  }

  #wakeAt(atMs: number, wake: (dueMs?: number) => void): WakeUp {
    const lateMs = this.#jitterMs > 0 ? this.#jitterMs * noise(this.#seed, atMs) : 0;
    const held: HeldWake = {
      atMs,
      order: this.#made++,
      dueMs: atMs + lateMs,
      wake,
      isQueued: false,
      cancel: () => void this.#wakes.delete(held),
    };
    this.#wakes.add(held);
    const { nowMs } = this;
    if (this.mode === 'reads' && atMs <= nowMs) {
      this.#queue(held, nowMs);
      if (current !== this) this.#arm(this.#time.nowMs);
    } else if (current !== this) this.#arm(held.dueMs + this.suspendedMs);
    return held;
  }

  /** As Node's immediates: after what has arrived, with the reading from before that. */
  #queue(held: HeldWake, readingMs: number): void {
    held.isQueued = true;
    this.#left.push(() => {
      if (this.#wakes.delete(held)) held.wake(readingMs);
    });
  }

  #arm(atMs: number): void {
    if (this.isDead) return;
    const at = Math.max(atMs, this.frozenUntilMs, this.busyUntilMs, this.#time.nowMs);
    if (at >= this.#turnAtMs) return;
    this.#turnAtMs = at;
    this.#time.wakeAt(at, () => {
      if (this.#turnAtMs === at) this.#turn();
    });
  }

  #run(go: () => void): void {
    try {
      go();
    } catch (error) {
      this.threw(error);
    }
    runMicrotasks();
    this.#time.steps++;
  }

  #turn(): void {
    const { nowMs } = this.#time;
    this.#turnAtMs = Number.POSITIVE_INFINITY;
    if (this.isDead) return;
    if (nowMs < this.frozenUntilMs || nowMs < this.busyUntilMs) {
      this.#arm(nowMs);
      return;
    }
    current = this;
    this.#localMs = nowMs;
    this.lastTurnMs = this.turnBeganMs;
    this.turnBeganMs = nowMs;
    this.#runDue(this.nowMs);
    const arrived = this.#arrived;
    this.#arrived = [];
    this.#runAll(arrived);
    const left = this.#left;
    this.#left = [];
    this.#runAll(left);
    if (!this.isDead) this.turnEnded();
    this.busyUntilMs = this.#localMs;
    current = undefined;
    this.#armNext();
  }

  #runAll(all: readonly (() => void)[]): void {
    for (const go of all) if (!this.isDead) this.#run(go);
  }

  #runDue(readingMs: number): void {
    const due: HeldWake[] = [];
    for (const held of this.#wakes)
      if (!held.isQueued && held.dueMs <= readingMs + ROUNDING_MS) due.push(held);
    if (due.length > 1) due.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
    for (const held of due) {
      if (!this.#wakes.has(held) || this.isDead) continue;
      if (this.mode === 'reads') this.#queue(held, readingMs);
      else {
        this.#wakes.delete(held);
        this.#run(() => held.wake());
      }
    }
  }

  #armNext(): void {
    const soonMs = this.#time.nowMs + LEAST_TURN_MS;
    if (this.#left.length > 0) this.#arm(Math.max(this.busyUntilMs, soonMs));
    else {
      let nextMs = Number.POSITIVE_INFINITY;
      for (const held of this.#wakes) if (!held.isQueued) nextMs = Math.min(nextMs, held.dueMs);
      if (nextMs < Number.POSITIVE_INFINITY) this.#arm(Math.max(nextMs + this.suspendedMs, soonMs));
    }
    if (this.#arrived.length > 0) this.#arm(soonMs);
  }
}
