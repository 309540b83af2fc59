// The last error of each purgatory that user code threw, from the library's channels.
//
// Ground rules. It listens from `start` to `stop`. It keeps texts and no operation, and no
// purgatory: errors are found by weak reference. O(1) an error.

import { cut, keyText } from '../../base/text.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { listen } from '../events/channels.ts';
import type { LastError } from './frame.ts';

/** Characters shown of the message of an error. */
const MAX_MESSAGE_LENGTH = 200;

export class LastErrors {
  #of = new WeakMap<object, LastError>();
  #stops: (() => void)[] = [];

  start(): void {
    this.#stops = [
      ...(['purgatory:operation:error', 'purgatory:operation:rejected'] as const).map((channel) =>
        listen(channel, ({ purgatory, operation, key, error }) => {
          this.#note(purgatory, typeOf(operation), key, error);
        }),
      ),
      listen('purgatory:load:failed', ({ waits, keys, key, error }) => {
        this.#note(waits, keys === 1 ? 'a load of 1 key' : `a load of ${keys} keys`, key, error);
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#of = new WeakMap();
  }

  /** The last error of a purgatory, or of SharedWaits. */
  of(purgatory: object): LastError | undefined {
    return this.#of.get(purgatory);
  }

  #note(purgatory: object, operation: string, key: unknown, error: unknown): void {
    const shownKey = key === undefined ? null : keyText(key);
    this.#of.set(purgatory, { operation, key: shownKey, message: messageOf(error) });
  }
}

/** The label of a wait if it has one, else its type. */
export function typeOf(operation: DelayedOperation): string {
  return cut(operation.$label || operation.$type);
}

/** User code throws anything, and a getter or toString of it may throw again. */
export function messageOf(error: unknown): string {
  try {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return cut(message, MAX_MESSAGE_LENGTH);
  } catch {
    return 'an error whose text cannot be read: reading it throws';
  }
}
