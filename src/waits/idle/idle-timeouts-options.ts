// The options of IdleTimeouts, and their checks.
import { checkedClock, checkedFunction, requiredNumber } from '../../base/checks.ts';
import { knownOptions, type OptionNames } from '../../base/unread-options.ts';
import type { Clock } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { checkedTimer, SystemTimer } from '../../timer/system-timer.ts';
import type { Timer } from '../../timer/timer.ts';
import { hintAtDate } from '../../timer/timer-task.ts';

/** Is called with an element that has become idle. */
export type IdleListener<E> = (element: E) => void;

/** The options of {@link IdleTimeouts}; all may be left out. */
export interface IdleTimeoutsOptions<E> {
  /**
   * After how many ms without a touch an element is idle: > 0, up to Number.MAX_SAFE_INTEGER.
   * Default: none, so the first `touch` of each element has to name one.
   */
  timeoutMs?: number | undefined;
  /**
   * A timer to share. It holds one task for up to 32 elements that are looked at together. When it
   * is closed, the tracked elements never become idle, and new ones are refused. Default: a
   * SystemTimer of its own, which closes with it.
   */
  timer?: Timer | undefined;
  /**
   * The clock that `timer` reads, for a timer without a property `clock`. Default: that property,
   * else {@link systemClock}. A clock that the timer does not read is refused.
   */
  clock?: Clock | undefined;
  /** The first listener. */
  onIdle?: IdleListener<E> | undefined;
  /**
   * Is called with what a listener throws. Default: it is thrown in a later turn, as an uncaught
   * exception.
   */
  onError?: ((error: unknown, element: E) => void) | undefined;
}

const IDLE_OPTIONS: OptionNames<IdleTimeoutsOptions<unknown>> = {
  timeoutMs: true,
  timer: true,
  clock: true,
  onIdle: true,
  onError: true,
};
const TIMEOUT_MS = { min: Number.MIN_VALUE, max: Number.MAX_SAFE_INTEGER } as const;

/** Every option, checked, with its default. `clock` is what the timer reads. */
type CheckedIdleTimeoutsOptions<E> = IdleTimeoutsOptions<E> & {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly ownsTimer: boolean;
};

/** @throws TypeError, RangeError (Node's codes) for a bad option. */
export function checkedIdleTimeoutsOptions<E>(
  options: IdleTimeoutsOptions<E> | undefined,
): CheckedIdleTimeoutsOptions<E> {
  const { timeoutMs, timer, clock, onIdle, onError } = knownOptions('idle timeouts', options, IDLE_OPTIONS);
  const checkedMs = timeoutMs === undefined ? undefined : requiredTimeout('options.timeoutMs', timeoutMs);
  checkedFunction('options.onError', onError);
  checkedFunction('options.onIdle', onIdle);
  const shared: (Timer & { clock?: Clock }) | undefined =
    timer === undefined ? undefined : checkedTimer(timer, clock);
  const source = checkedClock(clock === undefined ? shared?.clock : clock, systemClock);
  return {
    timeoutMs: checkedMs,
    timer: shared ?? new SystemTimer({ clock: source }),
    ownsTimer: shared === undefined,
    clock: source,
    onIdle,
    onError,
  };
}

/** @throws TypeError, RangeError (Node's codes) for what is no timeout. */
export function requiredTimeout(name: string, timeoutMs: number | undefined): number {
  return hintAtDate(name, requiredNumber(name, timeoutMs, TIMEOUT_MS));
}
