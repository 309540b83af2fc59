// A purgatory beside the timers of a history: its events and its deadlines take turns with them.
import { DelayedOperation, Purgatory } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';

class PlayedOp extends DelayedOperation {
  readonly key: string;
  readonly dueMs: number;
  readonly #stage: PurgatoryBeside;
  isReady = false;

  constructor(stage: PurgatoryBeside, key: string, delayMs: number, nowMs: number) {
    super(delayMs);
    this.#stage = stage;
    this.key = key;
    this.dueMs = nowMs + delayMs;
  }

  override tryComplete(): boolean {
    this.#stage.willTry();
    return this.isReady && this.forceComplete();
  }

  override onComplete(): void {
    this.#stage.didComplete(this);
  }

  override onExpiration(): void {
    this.#stage.didExpire(this);
  }
}

/** Of the history: what tries do, and where faults are told. */
interface Around {
  willTry(): void;
  fail(wrong: string): void;
  onError(error: unknown): void;
}

export class PurgatoryBeside {
  readonly #purgatory: Purgatory<string, PlayedOp>;
  readonly #parked = new Set<PlayedOp>();
  readonly #time: { readonly nowMs: number };
  readonly #around: Around;
  readonly willTry: () => void;

  constructor(time: { readonly nowMs: number }, around: Around) {
    this.#time = time;
    this.#around = around;
    this.willTry = () => around.willTry();
    this.#purgatory = new Purgatory('model', { onError: (error) => around.onError(error) });
  }

  get size(): number {
    return this.#parked.size;
  }

  park(key: string, delayMs: number): void {
    const op = new PlayedOp(this, key, delayMs, this.#time.nowMs);
    if (!this.#purgatory.tryCompleteElseWatch(op, [key])) this.#parked.add(op);
  }

  /** From now on each so-manieth operation on the key can complete. */
  notify(key: string, ready: number): void {
    let i = 0;
    for (const op of this.#parked) if (op.key === key) op.isReady ||= i++ % ready === 0;
    this.#purgatory.notify(key);
  }

  didComplete(op: PlayedOp): void {
    if (!this.#parked.delete(op)) this.#around.fail('an operation completes twice');
  }

  didExpire(op: PlayedOp): void {
    if (this.#time.nowMs < op.dueMs) this.#around.fail('an operation expires early');
    if (op.isReady) this.#around.fail('an operation expires, though its event came in time');
  }

  check(): void {
    checkPurgatoryInvariants(this.#purgatory);
    const { numDelayed } = this.#purgatory;
    if (numDelayed !== this.size) this.#around.fail(`${numDelayed} are parked, not ${this.size}`);
  }

  close(): void {
    this.#purgatory.close();
  }
}
