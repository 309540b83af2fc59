/**
 * Decides when a partition's log is flushed, and from when on an append counts as kept by this
 * node.
 *
 * By default it is kept when it is on the disk: a flush runs while there is something to flush, one
 * at a time, so that the appends made meanwhile share the next one. With a policy
 * (`--flush-messages`, `--flush-ms`) it is kept at once, and flushed later: a crash of the process
 * loses nothing then, a crash of the machine may. Owns nothing but its place in the log.
 */
import type { SystemTimer, TimerTask } from 'purgatory';
import type { PartitionLog } from './partition-log.ts';

export interface FlushPolicy {
  /** Flush after so many records; 0 does not count them. */
  readonly messages: number;
  /** Flush so many ms after an append; 0 does not look at the clock. */
  readonly ms: number;
}

export class Flusher {
  readonly #log: PartitionLog;
  readonly #policy: FlushPolicy;
  readonly #timer: SystemTimer;
  readonly #onKept: (endOffset: number) => void;
  readonly #isKeptWhenFlushed: boolean;
  #flushedOffset: number;
  #running: Promise<void> | undefined;
  #due: TimerTask | undefined;
  #isStopped = false;

  constructor(
    log: PartitionLog,
    policy: FlushPolicy,
    timer: SystemTimer,
    onKept: (endOffset: number) => void,
  ) {
    this.#log = log;
    this.#policy = policy;
    this.#timer = timer;
    this.#onKept = onKept;
    this.#isKeptWhenFlushed = policy.ms === 0 && policy.messages <= 1;
    this.#flushedOffset = log.endOffset;
  }

  /** To be called after each append. */
  onAppend(): void {
    const { messages, ms } = this.#policy;
    if (this.#isKeptWhenFlushed) {
      this.#start();
      return;
    }
    this.#onKept(this.#log.endOffset);
    if (messages > 0 && this.#log.endOffset - this.#flushedOffset >= messages) this.#start();
    else if (ms > 0) this.#due ??= this.#timer.schedule(() => this.#start(), ms);
  }

  /** The log was cut: what was flushed above its end will be written again. */
  onTruncate(): void {
    this.#flushedOffset = Math.min(this.#flushedOffset, this.#log.endOffset);
  }

  /** Resolves when no flush runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Resolves when no flush runs; none begins any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#due?.cancel();
    await this.#running;
  }

  #start(): void {
    this.#due?.cancel();
    this.#due = undefined;
    // Nothing may go on after a flush that failed: its rejection is left to end the process.
    this.#running ??= this.#flush();
  }

  async #flush(): Promise<void> {
    do {
      this.#flushedOffset = await this.#log.flush();
      if (this.#isStopped) break;
      if (this.#isKeptWhenFlushed) this.#onKept(this.#flushedOffset);
    } while (this.#isKeptWhenFlushed && this.#flushedOffset < this.#log.endOffset);
    this.#running = undefined;
  }
}
