/**
 * A member's session: only its deadline completes it, and every sign of life moves that by parking
 * it anew. It is cancelled while the member waits for a join or a sync, because who waits for the
 * broker cannot be late. (Kafka: DelayedHeartbeat.)
 */
import { WaitingOperation } from '../waiting/waiting-room.ts';

export class DelayedHeartbeat extends WaitingOperation {
  readonly #onSessionEnd: () => void;

  constructor(sessionTimeoutMs: number, onSessionEnd: () => void) {
    super(sessionTimeoutMs);
    this.#onSessionEnd = onSessionEnd;
  }

  override tryComplete(): boolean {
    return false;
  }

  protected override answer(): void {
    this.#onSessionEnd();
  }
}
