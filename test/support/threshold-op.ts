// Threshold operations that log what happens to them, and the set-up for tests of a threshold
// purgatory.
import { ManualClock, type PurgatoryOptions, SystemTimer } from '../../src/index.ts';
import { ThresholdOperation, ThresholdPurgatory } from '../../src/waits/threshold/index.ts';

export class LoggingOperation extends ThresholdOperation {
  readonly label: string;
  readonly #log: string[];
  readonly #answer: () => void;

  constructor(label: string, delayMs: number, log: string[], answer: () => void = () => {}) {
    super(delayMs);
    this.label = label;
    this.#log = log;
    this.#answer = answer;
  }

  override onComplete(): void {
    this.#log.push(`complete ${this.label}`);
    this.#answer();
  }

  override onExpiration(): void {
    this.#log.push(`expire ${this.label}`);
  }
}

export interface Gauge {
  readonly clock: ManualClock;
  readonly timer: SystemTimer;
  readonly log: string[];
  readonly errors: unknown[];
  readonly purgatory: ThresholdPurgatory<string, number | bigint, LoggingOperation>;
  /** Parks an operation for one threshold. */
  park(label: string, key: string, threshold: number | bigint, answer?: () => void): LoggingOperation;
}

/**
 * A threshold purgatory on a shared timer and a manual clock. Its operations have a deadline of
 * 1,000 ms.
 */
export function gauge(options: PurgatoryOptions<LoggingOperation> = {}): Gauge {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock });
  const log: string[] = [];
  const errors: unknown[] = [];
  const purgatory = new ThresholdPurgatory<string, number | bigint, LoggingOperation>('test', {
    timer,
    onError: (error) => errors.push(error),
    ...options,
  });
  return {
    clock,
    timer,
    log,
    errors,
    purgatory,
    park(label, key, threshold, answer) {
      const op = new LoggingOperation(label, 1000, log, answer);
      purgatory.tryCompleteElseWatch(op, [[key, threshold]]);
      return op;
    },
  };
}

/** What is parked, by every count there is. */
export function counts({ purgatory, timer }: Gauge): number[] {
  return [purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys, timer.size];
}
