/**
 * What servers write by hand where they await an event: a promise, a Map of Sets, and a setTimeout
 * for each wait. Each has what its peer of ours has: a deadline, a condition, removal at once. None
 * has a signal, a limit, a label or fair turns.
 */

/** A wait of 30 s, as ours resolve. */
export type Waited = { expired: false; value: unknown } | { expired: true };

/** What is looked at when an event on the key comes: undefined for "not yet". */
type Condition = (state: number) => unknown;

interface Wait {
  readonly condition: Condition;
  readonly resolve: (result: Waited) => void;
  readonly timeout: NodeJS.Timeout;
}

/** The waits of each key. */
class WaitsOfKeys {
  readonly #waits = new Map<string, Set<Wait>>();

  add(key: string, condition: Condition, timeoutMs: number): Promise<Waited> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => {
        this.#remove(key, wait);
        resolve({ expired: true });
      }, timeoutMs);
      const wait: Wait = { condition, resolve, timeout };
      const waits = this.#waits.get(key);
      if (waits === undefined) this.#waits.set(key, new Set([wait]));
      else waits.add(wait);
    });
  }

  event(key: string, state: number): void {
    const waits = this.#waits.get(key);
    if (waits === undefined) return;
    for (const wait of waits) {
      const value = wait.condition(state);
      if (value === undefined) continue;
      this.#remove(key, wait);
      wait.resolve({ expired: false, value });
    }
  }

  #remove(key: string, wait: Wait): void {
    clearTimeout(wait.timeout);
    const waits = this.#waits.get(key);
    waits?.delete(wait);
    if (waits?.size === 0) this.#waits.delete(key);
  }
}

/** As `waitFor`. */
export class WaitsByHand {
  readonly #waits = new WaitsOfKeys();

  wait(key: string, attempt: () => unknown, timeoutMs: number): Promise<Waited> {
    const value = attempt();
    if (value !== undefined) return Promise.resolve({ expired: false, value });
    return this.#waits.add(key, attempt, timeoutMs);
  }

  notify(key: string): void {
    this.#waits.event(key, 0);
  }
}

/** As `awaitAtLeast`. */
export class ThresholdsByHand {
  readonly #waits = new WaitsOfKeys();
  readonly #values = new Map<string, number>();

  awaitAtLeast(key: string, threshold: number, timeoutMs: number): Promise<Waited> {
    const value = this.#values.get(key);
    if (value !== undefined && value >= threshold) return Promise.resolve({ expired: false, value });
    return this.#waits.add(key, (reached) => (reached >= threshold ? reached : undefined), timeoutMs);
  }

  advance(key: string, value: number): void {
    this.#values.set(key, value);
    this.#waits.event(key, value);
  }
}

/** As `waitUntil`: each wait reads the state itself, then each event reads it once for its key. */
export class SharedWaitsByHand {
  readonly #waits = new WaitsOfKeys();
  readonly #load: (key: string) => Promise<number>;

  constructor(load: (key: string) => Promise<number>) {
    this.#load = load;
  }

  async waitUntil(key: string, accept: Condition, timeoutMs: number): Promise<Waited> {
    const wait = this.#waits.add(key, accept, timeoutMs); // first: no change must be missed
    const value = accept(await this.#load(key));
    if (value !== undefined) this.#waits.event(key, await this.#load(key));
    return wait;
  }

  async changed(key: string): Promise<void> {
    this.#waits.event(key, await this.#load(key));
  }
}

interface Expected {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly timeout: NodeJS.Timeout;
}

/** As `expect`. */
export class RepliesByHand {
  readonly #expected = new Map<string, Expected>();

  expect(id: string, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => {
        this.#expected.delete(id);
        reject(new Error('the reply has not come'));
      }, timeoutMs);
      this.#expected.set(id, { resolve, reject, timeout });
    });
  }

  resolve(id: string, value: unknown): void {
    const expected = this.#expected.get(id);
    if (expected === undefined) return;
    clearTimeout(expected.timeout);
    this.#expected.delete(id);
    expected.resolve(value);
  }
}
