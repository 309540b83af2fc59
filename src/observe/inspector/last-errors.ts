// The last error of each purgatory that went to `onError`, from the library's channels.
//
// Ground rules. It listens while somebody needs it: from the first `start` to the `stop` that
// belongs to it. It keeps texts and no operation, and no purgatory: errors are found by weak
// reference. O(1) an error.

import { cut } from '../../base/text.ts';
import { listen } from '../events/channels.ts';
import type { LastError } from './view-types.ts';
import { typeOf } from './views.ts';

const now = performance.now.bind(performance);

interface Noted extends Omit<LastError, 'agoMs'> {
  readonly atMs: number;
}

export class LastErrors {
  #of = new WeakMap<object, Noted>();
  #users = 0;
  #stops: (() => void)[] = [];

  start(): void {
    if (this.#users++ > 0) return;
    this.#stops = [
      listen('purgatory:operation:error', ({ purgatory, operation, error }) => {
        this.#note(purgatory, typeOf(operation), error);
      }),
      listen('purgatory:operation:rejected', ({ purgatory, operation, error }) => {
        this.#note(purgatory, typeOf(operation), error);
      }),
      listen('purgatory:load:failed', ({ waits, keys, error }) => {
        this.#note(waits, keys === 1 ? 'a load of 1 key' : `a load of ${keys} keys`, error);
      }),
    ];
  }

  stop(): void {
    if (--this.#users > 0) return;
    for (const stop of this.#stops) stop();
    this.#of = new WeakMap();
  }

  /** The last error of a purgatory, or of SharedWaits. */
  of(purgatory: object): LastError | null {
    const noted = this.#of.get(purgatory);
    if (noted === undefined) return null;
    const { atMs, ...what } = noted;
    return { ...what, agoMs: now() - atMs };
  }

  #note(purgatory: object, operation: string, error: unknown): void {
    this.#of.set(purgatory, { operation, message: messageOf(error), atMs: now() });
  }
}

/** Characters shown of the message of an error. */
const MAX_MESSAGE_LENGTH = 200;

/** User code throws anything, and a getter or toString of it may throw again. */
export function messageOf(error: unknown): string {
  try {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return cut(message, MAX_MESSAGE_LENGTH);
  } catch {
    return 'an error whose text cannot be read: reading it throws';
  }
}
