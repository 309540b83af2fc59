// What all parts of a bus work with: its options, its timer, its meter, and who hears what went
// wrong, which is `onError`, or the warnings of the process.
//
// Invariants. It does not report the same error twice in a row, until the bus is live again. Without
// `onError` it prints what somebody must repair. It also prints that the bus does not become live,
// once, and once in a gap that does not end by itself. The cause is often a wrong address, a new
// password, or a server that has become a replica, and nothing else would say so.
import { PurgatoryError } from '../base/errors.ts';
import { reportError, throwLater } from '../base/report-error.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import { type Bus, type CheckedBusOptions, isRefusal } from './bus-options.ts';
import { BusMeter } from './telemetry/bus-meter.ts';

/** How long a new bus may take to become live before that is worth a warning. */
const LIVE_WITHIN_MS = 5_000;
/** The same for a bus in a gap: an engine that starts again, or a failover, takes less. */
const GAP_WITHIN_MS = 30_000;

export class BusContext {
  /** The name of the engine. */
  readonly engine: string;
  readonly options: CheckedBusOptions;
  readonly timer: SystemTimer;
  readonly meter: BusMeter;
  #overdue: TimerTask | undefined;
  #lastReport = '';

  constructor(bus: Bus, engine: string, options: CheckedBusOptions) {
    this.engine = engine;
    this.options = options;
    this.timer = new SystemTimer({ clock: options.clock, onError: throwLater }).unref();
    this.meter = new BusMeter(bus, engine, this.timer.now());
    this.#warnAfter(LIVE_WITHIN_MS);
  }

  fellIntoGap(): void {
    this.#warnAfter(GAP_WITHIN_MS);
  }

  becameLive(): void {
    this.#lastReport = '';
    this.#overdue?.cancel();
  }

  report(error: unknown): void {
    this.meter.didFail(error, this.timer.now());
    const text = String(error);
    if (text === this.#lastReport) return;
    this.#lastReport = text;
    const { onError } = this.options;
    if (onError !== undefined) {
      reportError(error, undefined, (each) => onError(each));
    } else if (error instanceof PurgatoryError || isRefusal(error)) {
      this.#overdue?.cancel(); // this warning names the reason already
      process.emitWarning(error as Error);
    }
  }

  #warnAfter(ms: number): void {
    if (this.options.onError === undefined) this.#overdue = this.timer.schedule(() => this.#warn(ms), ms);
  }

  #warn(ms: number): void {
    const said = this.meter.lastError?.message ?? 'no error came, and no answer';
    process.emitWarning(
      `A bus over ${this.engine} (prefix "${this.options.prefix}") has not been live for ` +
        `${ms / 1_000} s: ${said}. It tries on, and until then hints reach no other process. ` +
        'Pass onError to get each error.',
      { type: 'PurgatoryWarning', code: 'PURGATORY_BUS_NOT_LIVE' },
    );
  }
}
