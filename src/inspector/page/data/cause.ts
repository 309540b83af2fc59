// Why an event loop was late, judged by what the process did meanwhile. Pure.
import type { HostTime } from '../../frame.ts';

/** `machine`: it was ready to run and got no CPU. `callbacks`: it ran. `stopped`: neither. */
export type Cause = 'machine' | 'callbacks' | 'stopped';

/** The cause of the longest block in a span of time. */
export function causeOf({ blockedMs, cpuMs, waitedMs, load }: HostTime): Cause {
  const half = blockedMs / 2;
  const hadNoCpu = waitedMs === null ? load > 1 && cpuMs < half : waitedMs >= half && waitedMs >= cpuMs;
  if (hadNoCpu) return 'machine';
  return cpuMs >= half ? 'callbacks' : 'stopped';
}

export const CAUSES: Record<Cause, string> = {
  machine: 'The process was ready to run and got no CPU: others on this machine take it.',
  callbacks: 'The process was computing all the time: a callback takes long, or code spins on microtasks.',
  stopped:
    'The process used no CPU meanwhile: it was stopped, or suspended, or it waited in a synchronous call (a file, a child process).',
};
