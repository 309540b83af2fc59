/**
 * The common part of the three workloads with resident timers: filling up, and one system from one
 * maker of peers.
 */

import type { MakeTimerPeer, TimerPeer } from '../peers/timer-peer.ts';
import { realTimers } from '../peers/timer-peers.ts';
import { nsPerStep } from './measure.ts';
import type { Measured, Run, System } from './types.ts';

/**
 * The number of timers that a child starts once it is warm. With many resident, the collector takes
 * longer to settle.
 */
export function stepsOf({ quick }: Run): number {
  return quick ? 100_000 : 2_000_000;
}

export interface Resident {
  peer: TimerPeer;
  /** The handles of the resident timers, oldest first. */
  handles: unknown[];
  run: Run;
}

/** Starts the `size` resident timers, with the delays given, and then runs the workload. */
export function resident(
  make: MakeTimerPeer,
  delays: (size: number) => ArrayLike<number>,
  workload: (resident: Resident) => Promise<Measured>,
): System {
  return async (run) => {
    const delaysMs = delays(run.size);
    const peer = make({ onExpire: () => {} });
    const handles: unknown[] = new Array(run.size);
    await nsPerStep(run.size, (index) => {
      handles[index] = peer.start(delaysMs[index]);
    });
    return workload({ peer, handles, run });
  };
}

/** The workload for each of the systems that run on the host's clock. */
export function residentSystems(
  delays: (size: number) => ArrayLike<number>,
  workload: (resident: Resident) => Promise<Measured>,
): Record<string, System> {
  return Object.fromEntries(
    Object.entries(realTimers).map(([name, make]) => [name, resident(make, delays, workload)]),
  );
}
