// How guests enter the purgatories of a random history and leave them by themselves: what each call
// must return.
import type { Spec } from './purgatory-arbitraries.ts';
import { SIGNALS } from './purgatory-arbitraries.ts';
import type { Frame, Thrown } from './purgatory-frames.ts';
import { codeOf, HistoryOperation, HistoryWaiter } from './purgatory-guests.ts';
import type { Guest } from './purgatory-reference.ts';
import { Stage } from './purgatory-stage.ts';

/** What scripts throw. */
export class ScriptedError extends Error {}

export abstract class ComingsAndGoings extends Stage {
  readonly controllers = Array.from({ length: SIGNALS }, () => new AbortController());

  parkNew(spec: Spec): void {
    const operation = new HistoryOperation(this.guests.length, spec, this);
    this.guests.push(operation);
    this.operations.push(operation);
    this.park(operation, spec.keys);
  }

  park(operation: HistoryOperation, keys: readonly number[]): void {
    // An operation that parked itself again inside its own tries would do so without end.
    if (this.stack.some((frame) => frame.kind === 'park' && frame.guest === operation)) return;
    const reference = this.referenceOf(operation);
    const refusal = reference.isClosed
      ? { error: 'ERR_PURGATORY_CLOSED' }
      : reference.holds(operation)
        ? { error: 'ERR_PURGATORY_ALREADY_WATCHED' }
        : operation.hasCompleted
          ? false
          : undefined;
    const i = operation.spec.purgatory % this.purgatories.length;
    let result: boolean | Thrown = false;
    const frame = this.within(this.#parkFrame(operation, keys), () => {
      try {
        result = this.purgatories[i].tryCompleteElseWatch(operation, keys);
        this.#parkTriedOnce(operation);
      } catch (error) {
        result = { error: error instanceof ScriptedError ? error : codeOf(error) };
      }
    });
    // What its second try has completed in another way counts, as for an event.
    let expected = refusal ?? (frame.tries === 2 ? operation.hasCompleted : frame.result);
    if (refusal !== undefined) {
      this.verify('tried although refused', frame.tries, 0);
    } else if (frame.tries === 1 && frame.result === false && !operation.hasCompleted) {
      const why = reference.holds(operation) ? 'nothing' : this.#refusal(operation, reference.isClosed);
      expected = why === 'nothing' ? false : { error: why };
    }
    this.verify('tryCompleteElseWatch', result, expected);
  }

  /** The call has parked it, after one try, and no code of a user came between. */
  #parkTriedOnce(guest: HistoryOperation | HistoryWaiter): void {
    const frame = this.top;
    if (frame?.kind !== 'park' || frame.tries !== 1 || frame.result !== false) return;
    const reference = this.referenceOf(guest);
    if (reference.holds(guest) || (!guest.isWaiter && (guest as HistoryOperation).hasCompleted)) return;
    if (this.#refusal(guest, reference.isClosed) !== 'nothing') return;
    reference.park(guest, frame.keys, this.clock.now(), this.timerReference.isInPass);
  }

  /** Why a guest was not parked after its first try. */
  #refusal(guest: HistoryOperation | HistoryWaiter, isClosed: boolean): string {
    if (isClosed) return 'ERR_PURGATORY_CLOSED';
    return this.referenceOf(guest).isFull || this.isTimerFull(guest) ? 'ERR_PURGATORY_FULL' : 'nothing';
  }

  #parkFrame(guest: Guest, keys: readonly number[]): Extract<Frame, { kind: 'park' }> {
    return { kind: 'park', guest, keys, tries: 0, result: false };
  }

  wait(spec: Spec): void {
    const signal = spec.signal === undefined ? undefined : this.controllers[spec.signal].signal;
    const waiter = new HistoryWaiter(this.guests.length, spec, this);
    const reference = this.referenceOf(waiter);
    if (signal?.aborted === true && reference.isClosed) return;
    this.guests.push(waiter);
    if (signal?.aborted === true) waiter.expect({ kind: 'rejected', value: signal.reason });
    else if (reference.isClosed) waiter.expect({ kind: 'rejected', value: 'ERR_PURGATORY_CLOSED' });
    else if (reference.isFull || this.isTimerFull(waiter))
      waiter.expect({ kind: 'rejected', value: 'ERR_PURGATORY_FULL' });
    const refused = waiter.expected.kind !== 'pending';
    const frame = this.within(this.#parkFrame(waiter, spec.keys), () => {
      const i = spec.purgatory % this.purgatories.length;
      waiter.follow(
        this.purgatories[i].waitFor(spec.keys, waiter.attempt, { timeoutMs: spec.delayMs, signal }),
      );
      this.#parkTriedOnce(waiter);
    });
    this.verify('attempts of a refused waiter', refused && frame.tries > 0, false);
    if (!refused && frame.tries === 1 && frame.result === false) {
      const why = this.#refusal(waiter, reference.isClosed);
      if (why !== 'nothing' && !reference.holds(waiter)) waiter.expect({ kind: 'rejected', value: why });
    }
  }

  cancel(operation: HistoryOperation): void {
    this.verify('cancel', operation.cancel(), this.referenceOf(operation).leave(operation));
  }

  force(operation: HistoryOperation): void {
    const expected = !operation.hasCompleted;
    let completed: boolean | undefined;
    let thrown: Thrown | undefined;
    const frame = this.within(
      { kind: 'force', guest: operation, thrown: undefined as Thrown | undefined },
      () => {
        try {
          completed = operation.forceComplete();
        } catch (error) {
          thrown = { error };
        }
      },
    );
    this.verify('a throw out of forceComplete', thrown, frame.thrown);
    if (thrown === undefined) this.verify('forceComplete', completed, expected);
    else if (this.stack.length > 0) throw (thrown as Thrown).error;
  }
}
