// What the models of the work inside one process have in common.
//
// Ground rules. A model notes what it is told: by the calls that it makes and by the promises that
// settle. Between two turns of its process that leave nothing to do (`check`) all promises have settled.
// So the model must be equal to what it plays then. Meanwhile it may be behind.
import type { KeyLines } from '../../src/waits/lines/key-lines.ts';
import type { Line } from '../../src/waits/lines/line.ts';
import type { Queues } from '../../src/waits/queues/index.ts';
import type { Semaphore } from '../../src/waits/semaphore/index.ts';
import type { Random } from '../support/random.ts';
import { type Actor, codeOf, isLongOver, ROUNDING_MS, type Stage } from './model.ts';

export const TIMEOUTS_MS: readonly number[] = [0, 5, 50, 500, 5_000];
/** As many wait at once that a hand-over to all takes several batches. */
export const CROWD = 80;

export interface Abortable {
  readonly signal: AbortSignal | undefined;
  readonly reason: unknown;
}

/** The codes of a refusal or an end that `checkRejection` takes for right, besides a deadline. */
const ENDS: readonly string[] = ['ERR_PURGATORY_CLOSED', 'ERR_PURGATORY_FULL'];

/** How many idle keys take memory, besides the one that may. */
export function idleLines({ $parked }: Semaphore | Queues<number>): number {
  const lines = [...($parked.lists as unknown as KeyLines<string, Line<string>>).lines()];
  return Math.max(0, lines.filter(({ isIdle }) => isIdle).length - 1);
}

export abstract class LocalModel {
  protected readonly world: Stage;
  protected readonly process: Actor;
  /** Something was done since the last check. */
  protected isTouched = false;
  /** Counts the checks: what was true before and after one was true at it. */
  protected turn = 0;
  /** Waits that have not ended. */
  #open = 0;
  /** Promises that nothing is in use. */
  protected awaitIdle = 0;

  constructor(world: Stage, process: Actor) {
    this.world = world;
    this.process = process;
  }

  /** At the end of a turn in which nothing was left for the next. */
  check(): void {
    if (this.isTouched && !this.process.isDead) this.compare();
    this.isTouched = false;
    this.turn++;
  }

  /** A snapshot is dear, so not each check takes one. */
  protected get isSampled(): boolean {
    return this.turn % 16 === 0;
  }

  /** Compares the model with what it plays. */
  protected abstract compare(): void;

  /** What is left of it in a world that has ended: nothing may be. */
  leftBehind(): Record<string, number> {
    return { open: this.#open, awaitIdle: this.awaitIdle };
  }

  /** Hears how a wait ends: `ended`, then what it ends with. */
  protected follow<T>(
    promise: Promise<T>,
    ended: () => void,
    answered: (result: T) => void,
    rejected: (error: unknown) => void,
  ): void {
    this.#open++;
    const heard =
      <V>(go: (value: V) => void) =>
      (value: V): void => {
        if (this.process.isDead) return;
        this.isTouched = true;
        this.#open--;
        ended();
        go(value);
      };
    promise.then(heard(answered), heard(rejected));
  }

  protected whenIdle(of: Semaphore | Queues<number>): void {
    this.awaitIdle++;
    void of.idle().then(() => {
      this.awaitIdle--;
      this.isTouched = true;
    });
  }

  get nowMs(): number {
    return this.process.host.nowMs;
  }

  protected violate(what: string, about?: object): void {
    if (!this.process.isDead) this.world.violate(what, about);
  }

  /** Whether what was due at `atMs` must be over. */
  protected isLongOver(atMs: number): boolean {
    return isLongOver(this.world, this.process, atMs);
  }

  /** The end of a wait that was rejected. @param codes of further ends that are right. */
  protected checkRejection(
    error: unknown,
    { reason }: Abortable,
    deadlineMs: number,
    codes: readonly string[] = [],
  ): void {
    const code = codeOf(error);
    if (code === 'ERR_PURGATORY_TIMEOUT') this.checkExpiry(deadlineMs);
    else if (error !== reason && !ENDS.includes(code) && !codes.includes(code))
      this.violate('a wait was rejected', { error });
  }

  protected checkExpiry(deadlineMs: number): void {
    if (this.nowMs < deadlineMs - ROUNDING_MS) this.violate('a deadline came early', { deadlineMs });
  }

  /** A quarter of the waits have a signal, which aborts. */
  abort(random: Random): Abortable {
    if (!random.chance(0.25)) return { signal: undefined, reason: undefined };
    const controller = new AbortController();
    const reason = new Error('aborted');
    this.process.host.later(random.range(0, 400), () => {
      this.isTouched = true;
      controller.abort(reason);
    });
    return { signal: controller.signal, reason };
  }

  /** `go` in `ms`, as the code of the process. */
  protected later(ms: number, go: () => void): void {
    this.process.host.later(ms, () => {
      this.isTouched = true;
      go();
    });
  }
}
