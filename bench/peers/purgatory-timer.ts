/** Ours: a SystemTimer with one subclass of TimerTask, and the same through `schedule`. */
import { SystemTimer, TimerTask } from 'purgatory';
import type { TimerPeer, TimerPeerOptions } from './timer-peer.ts';

export const purgatoryTimer = ({ onExpire, clock }: TimerPeerOptions): TimerPeer<TimerTask> => {
  class Task extends TimerTask {
    run(): void {
      onExpire();
    }
  }
  const timer = new SystemTimer(clock === undefined ? {} : { clock, reaper: false });
  return {
    start: (delayMs) => {
      const task = new Task(delayMs);
      timer.add(task);
      return task;
    },
    cancel: (task) => {
      task.cancel();
    },
    advance: () => {
      timer.advanceClock();
    },
  };
};

export const purgatorySchedule = ({ onExpire, clock }: TimerPeerOptions): TimerPeer<TimerTask> => {
  const timer = new SystemTimer(clock === undefined ? {} : { clock, reaper: false });
  return {
    start: (delayMs) => timer.schedule(onExpire, delayMs),
    cancel: (task) => {
      task.cancel();
    },
    advance: () => {
      timer.advanceClock();
    },
  };
};
