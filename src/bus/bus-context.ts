// What all parts of a bus work with: its options, its timer, its meter, and who hears what went
// wrong, which is `onError`, or the warnings of the process.
//
// Invariants. It does not report the same error twice in a row, until the bus is live again. Without
// `onError` it prints what somebody must repair. It also prints, once each, that the bus does not
// become live, that a gap does not end, and that gaps come often. The cause is often a wrong
// address, a new password, or a server that has become a replica, and nothing else would say so.
import { PurgatoryError } from '../base/errors.ts';
import { reportError, throwLater } from '../base/report-error.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import { type Bus, type CheckedBusOptions, isRefusal } from './bus-options.ts';
import { BusMeter, textOf } from './telemetry/bus-meter.ts';

/** How long a new bus may take to become live before that is worth a warning. */
const LIVE_WITHIN_MS = 5_000;
/** The same for a bus in a gap: an engine that starts again, or a failover, takes less. */
const GAP_WITHIN_MS = 30_000;
/** So many gaps in a minute are worth one. */
const OFTEN = 5;
const MINUTE_MS = 60_000;
const TRIES_ON = 'It tries on, and until then hints reach no other process.';
const GAPS =
  'After each, all that is parked is tried. An engine or a proxy that ends idle connections needs an echoMs ' +
  'that is shorter than its timeout.';

export class BusContext {
  /** The name of the engine. */
  readonly engine: string;
  readonly options: CheckedBusOptions;
  readonly timer: SystemTimer;
  readonly meter: BusMeter;
  #overdue: TimerTask | undefined;
  /** When the last gaps began. Undefined: nobody is to be warned of them, or was. */
  #gapsMs: number[] | undefined;
  #lastReport = '';

  constructor(bus: Bus, engine: string, options: CheckedBusOptions) {
    this.engine = engine;
    this.options = options;
    this.timer = new SystemTimer({ clock: options.clock, onError: throwLater }).unref();
    this.meter = new BusMeter(bus, engine, this.timer.now());
    if (options.onError === undefined) this.#gapsMs = [];
    this.#warnAfter(LIVE_WITHIN_MS);
  }

  fellIntoGap(): void {
    this.#warnAfter(GAP_WITHIN_MS);
    const nowMs = this.timer.now();
    this.#gapsMs = this.#gapsMs?.filter((ms) => nowMs - ms <= MINUTE_MS).concat(nowMs);
    if (this.#gapsMs?.length !== OFTEN) return;
    this.#gapsMs = undefined;
    this.#warn('PURGATORY_BUS_GAPS_OFTEN', `has been in ${OFTEN} gaps within a minute`, GAPS);
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
      reportError(this.#named(error), undefined, (each) => onError(each));
    } else if (error instanceof PurgatoryError || isRefusal(error)) {
      this.#overdue?.cancel(); // this warning names the reason already
      process.emitWarning(this.#named(error));
    }
  }

  /** `error` with a code, and with whose it is: a process may have several buses. */
  #named(error: unknown): Error {
    const text = `${textOf(error)} (a bus over ${this.engine}, prefix "${this.options.prefix}")`;
    if (error instanceof PurgatoryError) return new PurgatoryError(error.code, text, error);
    const code = codeOf(error);
    if (code === undefined) return new PurgatoryError('ERR_PURGATORY_BUS_GAP', text, { cause: error });
    return Object.assign(new Error(text, { cause: error }), { code });
  }

  #warnAfter(ms: number): void {
    if (this.options.onError !== undefined) return;
    const what = `has not been live for ${ms / 1_000} s`;
    this.#overdue = this.timer.schedule(() => this.#warn('PURGATORY_BUS_NOT_LIVE', what, TRIES_ON), ms);
  }

  #warn(code: string, what: string, then: string): void {
    const said = this.meter.lastError?.message ?? 'no error came, and no answer';
    process.emitWarning(
      `A bus over ${this.engine} (prefix "${this.options.prefix}") ${what}: ${said}. ${then} ` +
        'Pass onError to get each error.',
      { type: 'PurgatoryWarning', code },
    );
  }
}

/** The code of the client, or of the system: a client of NATS has it in its cause. */
function codeOf(error: unknown): unknown {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return code ?? (cause as { code?: unknown } | undefined)?.code;
}
