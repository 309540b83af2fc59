// The last error of each purgatory that went to `onError`, from the library's channels.
//
// Ground rules. It listens while somebody needs it: from the first `start` to the `stop` that
// belongs to it. It keeps texts and no operation, and no purgatory: errors are found by weak
// reference. O(1) an error.
import { type OperationError, operationError } from '../purgatory/telemetry/operation-events.ts';
import { type LoadFailed, loadFailed } from '../shared/load-events.ts';
import { cut } from '../text.ts';
import type { LastError } from './view-types.ts';
import { typeOf } from './views.ts';

const now = performance.now.bind(performance);

interface Noted extends Omit<LastError, 'agoMs'> {
  readonly atMs: number;
}

export class LastErrors {
  #of = new WeakMap<object, Noted>();
  #users = 0;

  start(): void {
    if (this.#users++ > 0) return;
    operationError.subscribe(this.#threw);
    loadFailed.subscribe(this.#failed);
  }

  stop(): void {
    if (--this.#users > 0) return;
    operationError.unsubscribe(this.#threw);
    loadFailed.unsubscribe(this.#failed);
    this.#of = new WeakMap();
  }

  /** The last error of a purgatory, or of SharedWaits. */
  of(purgatory: object): LastError | null {
    const noted = this.#of.get(purgatory);
    if (noted === undefined) return null;
    const { atMs, ...what } = noted;
    return { ...what, agoMs: now() - atMs };
  }

  readonly #threw = (event: unknown): void => {
    const { purgatory, operation, error } = event as OperationError;
    this.#note(purgatory, typeOf(operation), error);
  };

  readonly #failed = (event: unknown): void => {
    const { waits, keys, error } = event as LoadFailed;
    this.#note(waits, keys === 1 ? 'a load of 1 key' : `a load of ${keys} keys`, error);
  };

  #note(purgatory: object, operation: string, error: unknown): void {
    this.#of.set(purgatory, { operation, message: cut(messageOf(error), MAX_MESSAGE_LENGTH), atMs: now() });
  }
}

/** Characters shown of the message of an error. */
const MAX_MESSAGE_LENGTH = 200;

/** User code throws anything, and a getter or toString of it may throw again. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'an error whose text cannot be read: reading it throws';
  }
}
