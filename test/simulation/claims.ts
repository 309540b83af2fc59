// Tokens, each for one wait of any process: as the jobs of a table that `notify` with `atMost` tells of.
//
// A claim of a synchronous condition is final. So each token that was claimed is the answer of the wait
// that claimed it, and while a token is left nobody may wait for long who could have it.
import type { Actor, Ended, Stage, Wait } from './model.ts';
import type { Waits } from './waits.ts';

export class Claims {
  readonly #world: Stage;
  readonly #waits: Waits;
  readonly #left = new Map<string, { readonly token: number; readonly sinceMs: number }[]>();
  /** The token of each wait that has claimed one, and was not answered yet. */
  readonly #claimed = new Map<Wait, number>();
  #made = 0;

  constructor(world: Stage, waits: Waits) {
    this.#world = world;
    this.#waits = waits;
  }

  offer(process: Actor, key: string, many: number): void {
    const left = this.#left.get(key) ?? [];
    this.#left.set(key, left);
    for (let i = 0; i < many; i++) left.push({ token: ++this.#made, sinceMs: this.#world.time.nowMs });
    this.#world.log?.(process, `offers ${many} on ${key}`);
  }

  take(wait: Wait): number | undefined {
    if (wait.ending !== undefined) this.#world.violate('a claim was tried behind its end', wait);
    const token = this.#left.get(wait.key)?.shift()?.token;
    if (token !== undefined) this.#claimed.set(wait, token);
    return token;
  }

  ended<R extends Ended>(wait: Wait, result: R): R {
    const token = this.#claimed.get(wait);
    this.#claimed.delete(wait);
    if (result.expired !== (token === undefined) || (token !== undefined && result.value !== token)) {
      this.#world.violate('a claim has ended without what it claimed', { ...wait, token, ...result });
    }
    return result;
  }

  /** A token that nobody takes, though somebody waits for it. */
  check(): void {
    const { settledMs, plan, time } = this.#world;
    for (const [key, left] of this.#left) {
      if (left.length === 0) continue;
      for (const wait of this.#waits.on(key)) {
        const fromMs = Math.max(left[0].sinceMs, wait.parkedMs, settledMs + plan.recoveryMs);
        if (time.nowMs <= fromMs + plan.soonMs || wait.process.host.stands) continue;
        this.#world.violate('a token is left though a wait could claim it', { ...wait, ...left[0] });
      }
    }
  }

  /** @returns how many were claimed and belong to nobody: of processes that live. */
  get lost(): number {
    return [...this.#claimed.keys()].filter(({ process }) => !process.isDead).length;
  }
}
