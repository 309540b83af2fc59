/**
 * The host's own setTimeout and clearTimeout: a linked list for each delay, and a heap of those
 * lists.
 */
import type { TimerPeer, TimerPeerOptions } from './timer-peer.ts';

export const nativeTimers = ({ onExpire }: TimerPeerOptions): TimerPeer<NodeJS.Timeout> => ({
  start: (delayMs) => setTimeout(onExpire, delayMs),
  cancel: (timeout) => clearTimeout(timeout),
  advance: () => {
    throw new Error('setTimeout runs on no clock but the host’s');
  },
});
