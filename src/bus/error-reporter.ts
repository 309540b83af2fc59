// Who hears what went wrong with a bus: `onError`, or the warnings of the process.
//
// Ground rules. It does not report the same error twice in a row, until the bus is live again.
// Without `onError` it prints what somebody must repair. It also prints, once, that the bus has not
// become live in time. The cause is often a wrong address, and nothing else would say so.
import { PurgatoryError } from '../base/errors.ts';
import { reportError } from '../base/report-error.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import { isRefusal } from './bus.ts';
import type { BusBase } from './bus-base.ts';

/** How long a bus may take to become live before that is worth a warning. */
const LIVE_WITHIN_MS = 5_000;

export class ErrorReporter {
  readonly #base: BusBase;
  readonly #overdue: TimerTask | undefined;
  #last = '';

  constructor(base: BusBase) {
    this.#base = base;
    if (base.options.onError !== undefined) return;
    this.#overdue = base.timer.schedule(() => this.#warnOfNoConnection(), LIVE_WITHIN_MS);
  }

  becameLive(): void {
    this.#last = '';
    this.#overdue?.cancel();
  }

  report(error: unknown): void {
    const { meter, timer, options } = this.#base;
    meter.didFail(error, timer.now());
    const text = String(error);
    if (text === this.#last) return;
    this.#last = text;
    const { onError } = options;
    if (onError !== undefined) {
      reportError(error, undefined, (each) => onError(each));
    } else if (error instanceof PurgatoryError || isRefusal(error)) {
      this.#overdue?.cancel(); // this warning names the reason already
      process.emitWarning(error as Error);
    }
  }

  #warnOfNoConnection(): void {
    const { engine, options, meter } = this.#base;
    const said = meter.lastError?.message ?? 'no error came, and no answer';
    process.emitWarning(
      `A bus over ${engine} (prefix "${options.prefix}") is not live ${LIVE_WITHIN_MS / 1_000} s after ` +
        `it was made: ${said}. It tries on, and until then hints reach no other process. ` +
        'Pass onError to get each error.',
      { type: 'PurgatoryWarning', code: 'PURGATORY_BUS_NOT_LIVE' },
    );
  }
}
