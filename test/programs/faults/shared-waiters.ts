// Waiters of one key of shared state, in one process of a fault run.
//
// Ground rules. All wait for one and the same version, so hints before it are in vain for all of
// them. The key is key 0 of the state. A load takes as long as a small query.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '../../../src/bus/bus-options.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import type { SharedState } from './shared-state.ts';

const KEY = '0';
const LOAD_MS = 5;
const TIMEOUT_MS = 300_000;

export class SharedWaiters {
  loads = 0;
  /** Waiters that were looked at, by all loads together. */
  tries = 0;
  answered = 0;
  readonly #state: SharedState;
  readonly #waits: SharedWaits<number>;

  constructor(bus: Bus, state: SharedState) {
    this.#state = state;
    this.#waits = new SharedWaits('shared', {
      bus,
      load: async (keys) => {
        this.loads++;
        const version = state.version(0);
        await sleep(LOAD_MS);
        return new Map(keys.map((key) => [key, version]));
      },
    });
  }

  /** Parks `count` waiters until the key has reached `version`. */
  park(count: number, version: number): void {
    const accept = (found: number | undefined): number | undefined => {
      this.tries++;
      return found !== undefined && found >= version ? found : undefined;
    };
    for (let i = 0; i < count; i++) void this.#wait(accept);
  }

  /** One change of the key, and one hint. */
  change(): void {
    this.#state.bump(0);
    this.#waits.changed(KEY);
  }

  close(): void {
    this.#waits.close();
  }

  async #wait(accept: (version: number | undefined) => number | undefined): Promise<void> {
    const result = await this.#waits.waitUntil(KEY, accept, { timeoutMs: TIMEOUT_MS });
    // What is done with an answer: it becomes the text of a response.
    if (!result.expired && JSON.stringify(result) !== '') this.answered++;
  }
}
