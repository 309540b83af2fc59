// The loads of the SharedWaits of a process, from a store that is far, fails and may be behind: a key is
// loaded where somebody waits, once at a time, and as many keys and loads at once as there may be.
import { type Actor, mine, type Stage } from './model.ts';
import { RECHECK_MS, type Waits } from './waits.ts';

interface Loader extends Actor {
  readonly world: Stage & { readonly waits: Waits };
  after<T>(ms: number, read: () => T): Promise<T>;
  /** What another computer decides about `key` now. */
  noise(key: string, salt: number): number;
}

export class Loads {
  readonly concurrency: number;
  readonly #process: Loader;
  readonly #underWay = new Map<AbortSignal, readonly string[]>();

  constructor(process: Loader) {
    this.#process = process;
    this.concurrency = process.index % 2 === 0 ? 2 : 4;
  }

  load(keys: readonly string[], signal: AbortSignal): Promise<Map<string, number>> {
    const { world } = this.#process;
    this.#check(keys);
    this.#underWay.set(signal, keys);
    const [how, lag, half, ms] = [1, 2, 3, 4].map((salt) => this.#process.noise(keys[0], salt));
    // In a gap nothing says when to load once more what was loaded too early.
    const isSound = !world.isChaos && world.time.nowMs > world.settledMs + world.plan.recoveryMs;
    const lagMs = isSound && lag < 0.3 ? RECHECK_MS * 0.8 : 0;
    const read = () => new Map(keys.map((key) => [key, world.waits.versionBehind(key, lagMs)]));
    const early = half < 0.5 ? read() : undefined;
    const end = <T>(go: () => T) =>
      this.#process.after(15 * ms, () => {
        this.#underWay.delete(signal);
        return go();
      });
    if (!world.isChaos || how < 0.85) return end(() => early ?? read());
    const fail = (): never => {
      this.#underWay.delete(signal);
      throw mine('load');
    };
    if (how < 0.93) return end(fail);
    return how < 0.97 ? fail() : new Promise(() => {});
  }

  #check(keys: readonly string[]): void {
    const { world, shared } = this.#process;
    // An aborted load has given its keys and its place up when it has ended, or after a while.
    const others = [...this.#underWay].filter(([signal]) => !signal.aborted);
    const about = { keys, others: others.map(([, each]) => each) };
    if (keys.length > world.plan.config.loadBatch || new Set(keys).size < keys.length)
      world.violate('a load of too many keys, or of one twice', about);
    if (others.length >= this.concurrency) world.violate('too many loads at once', about);
    for (const key of keys) {
      if (others.some(([, each]) => each.includes(key)))
        world.violate('a key has two loads at a time', { key, ...about });
      if (![...world.waits.on(key)].some(({ owner }) => owner === shared))
        world.violate('a key is loaded that nobody waits for', { key, ...about });
    }
  }
}
