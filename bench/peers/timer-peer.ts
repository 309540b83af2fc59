/**
 * What the timer workloads need of a system: start, cancel, and, if it can run on our clock,
 * advance. A child makes one system only, so the calls through this interface stay monomorphic.
 */
import type { Clock } from 'purgatory';

export interface TimerPeer<Handle = unknown> {
  start(delayMs: number): Handle;
  cancel(handle: Handle): void;
  /** Runs what is due by the clock given at creation. */
  advance(): void;
}

export interface TimerPeerOptions {
  onExpire: () => void;
  /** Moves by hand; without it the system reads the host's time and wakes itself. */
  clock?: Clock;
}

export type MakeTimerPeer = (options: TimerPeerOptions) => TimerPeer;
