// What callbacks of operations have returned, if it may be a promise: what that rejects with goes
// where a throw of the callback goes.
//
// An operation that completes in its first try, or expires, has no keeper while its callbacks run. So
// what they return waits here for the purgatory or timer that has called, which takes it right after
// the call. What nobody takes is left alone: its rejection is unhandled.
import type { TimerTask } from '../timer/timer-task.ts';

const promised = new WeakMap<TimerTask, unknown[]>();

export function promise(operation: TimerTask, result: unknown): void {
  promised.set(operation, [...(promised.get(operation) ?? []), result]);
}

/** Takes what callbacks of `operation` have returned. O(1). */
export function takePromised(operation: TimerTask): readonly unknown[] | undefined {
  const all = promised.get(operation);
  if (all !== undefined) promised.delete(operation);
  return all;
}
