/**
 * Timers from npm that run here.
 *
 * - undici `lib/util/timers.js`: delays over one second go to an array that is scanned whole twice
 *   a second, accurate to about a second. A cleared timer stays in the array until the next scan.
 *   It runs on its own clock only, so it is not in `expire`.
 * - timer-wheel 1.0.0: wheels that the user has to advance. Adds read Date.now(), so it is not in
 *   `expire` either.
 *
 * These cannot run here: `wheel-timer` and `@nxtedition/timers` are not in the registry that this
 * was built with. `qwp0905/timer` is installed from GitHub only. Schedulers of cron expressions and
 * pools of workers serve another purpose.
 */
import { createRequire } from 'node:module';
import { HostAlarm } from './host-alarm.ts';
import type { TimerPeer, TimerPeerOptions } from './timer-peer.ts';

const require = createRequire(import.meta.url);

interface UndiciTimers {
  setTimeout(callback: () => void, delayMs: number): object;
  clearTimeout(timer: object): void;
}

export const undiciTimers = ({ onExpire }: TimerPeerOptions): TimerPeer<object> => {
  const timers = require('undici/lib/util/timers.js') as UndiciTimers;
  return {
    start: (delayMs) => timers.setTimeout(onExpire, delayMs),
    cancel: (timer) => timers.clearTimeout(timer),
    advance: () => {
      throw new Error('undici’s timers run on no clock but their own');
    },
  };
};

export const timerWheelPackage = ({ onExpire }: TimerPeerOptions): TimerPeer<{ remove(): void }> => {
  const { ActionTimerWheel } = require('timer-wheel') as typeof import('timer-wheel');
  const wheel = new ActionTimerWheel();
  const alarm = new HostAlarm(() => {
    wheel.advance();
    return performance.now() + 1000;
  });
  alarm.atLatest(performance.now() + 1000, performance.now());
  return {
    start: (delayMs) => wheel.schedule(onExpire, delayMs),
    cancel: (handle) => handle.remove(),
    advance: () => {
      throw new Error('timer-wheel adds by Date.now()');
    },
  };
};
