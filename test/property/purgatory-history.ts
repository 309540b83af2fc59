// Plays a random history on purgatories that share a timer, and on the naive references in
// lock-step: the actions, and what each must return. Its callbacks are in purgatory-stage.ts.

import { checkTimerInvariants } from '../support/checks/timer.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { turn } from '../support/turns.ts';
import { type Action, BURST_KEY, type Step } from './purgatory-arbitraries.ts';
import { ComingsAndGoings, ScriptedError } from './purgatory-comings.ts';
import { type Frame, nextOf } from './purgatory-frames.ts';
import { type HistoryOperation, HistoryWaiter } from './purgatory-guests.ts';
import type { Guest } from './purgatory-reference.ts';

/** Scripts that park many, and are followed by each of them, must come to an end. */
const MOST_OPERATIONS = 1_500;

export class PurgatoryHistory extends ComingsAndGoings {
  async play(): Promise<void> {
    try {
      await this.#play();
    } finally {
      this.unlisten();
    }
  }

  async #play(): Promise<void> {
    for (const step of this.history.steps) {
      this.#step(step);
      if (this.notified.some((keys) => keys.size > 0)) await this.#drain();
      this.#check();
      if (this.failure !== undefined) throw this.failure;
    }
    for (const [i] of this.purgatories.entries()) this.#close(i);
    this.#check();
    await turn();
    for (const guest of this.guests) {
      if (guest instanceof HistoryWaiter)
        this.verify(`the outcome of waiter ${guest.id}`, guest.actual, guest.expected);
    }
    if (this.failure !== undefined) throw this.failure;
  }

  override runScript(index: number): void {
    for (const action of this.history.scripts[(index - 1) % this.history.scripts.length]) this.#act(action);
  }

  #step(step: Step): void {
    if (step.kind === 'advance') this.clock.advance(step.ms);
    else this.#act(step);
  }

  #act(action: Action): void {
    const i = 'purgatory' in action ? action.purgatory % this.purgatories.length : 0;
    switch (action.kind) {
      case 'park':
        if (action.spec.kind === 'waiter') this.wait(action.spec);
        else this.parkNew(action.spec);
        break;
      case 'parkAgain':
        this.#onOperation(action.target, (operation) => this.park(operation, action.keys));
        break;
      case 'parkMany':
        // Each watches a key of its own as well. Every third watches only that key: it is the key's
        // lone watcher until the next burst.
        for (let n = 0; n < action.count && this.operations.length < MOST_OPERATIONS; n++) {
          const { spec } = action;
          const others = n % 3 === 1 ? [] : spec.keys;
          this.parkNew(n % 10 === 0 ? spec : { ...spec, keys: [...others, BURST_KEY + n], onTry: 0 });
        }
        break;
      case 'leaveMany':
        for (let n = 0; n < action.count; n++)
          this.#onOperation(action.target + n, (operation) => this.cancel(operation));
        break;
      case 'cancel':
        this.#onOperation(action.target, (operation) => this.cancel(operation));
        break;
      case 'force':
        this.#onOperation(action.target, (operation) => this.force(operation));
        break;
      case 'makeReady':
        if (this.guests.length > 0) this.guests[action.target % this.guests.length].ready = true;
        break;
      case 'check':
        this.#checkAndComplete(i, action.key);
        break;
      case 'cancelForKey':
        this.#cancelForKey(i, action.key);
        break;
      case 'notify':
        if (this.#isHeard(i, action.key)) this.notified[i].add(action.key);
        this.purgatories[i].notify(action.key);
        break;
      case 'abort':
        this.#abort(action.signal);
        break;
      case 'close':
        this.#close(i);
        break;
      case 'advanceClock':
        this.#advanceClock();
        break;
      case 'throw':
        if (this.stack.length > 0) throw new ScriptedError();
    }
  }

  /** Somebody waits for an event on `key`, or it may be under way. */
  #isHeard(i: number, key: number): boolean {
    return this.references[i].watchersOf(key).length > 0 || this.stack.some(({ kind }) => kind === 'drain');
  }

  #advanceClock(): void {
    let count = 0;
    const go = (): void => {
      count = this.timer.advanceClock();
    };
    if (this.timerReference.isInPass) {
      go();
      this.verify('an advanceClock from inside', count, 0);
    } else {
      const runs = this.timerPass(go);
      this.verify('the count of advanceClock', count, runs);
    }
  }

  #onOperation(target: number, go: (operation: HistoryOperation) => void): void {
    const { operations } = this;
    if (operations.length > 0) go(operations[target % operations.length]);
  }

  #checkAndComplete(i: number, key: number): void {
    const queue = this.references[i].watchersOf(key).map((guest) => ({ guest, parking: guest.parking }));
    let count = 0;
    if (this.isUnderWay(i, key)) {
      if (this.#isHeard(i, key)) this.notified[i].add(key);
      this.verify('an event inside of one on its key', this.purgatories[i].checkAndComplete(key), 0);
      return;
    }
    const cause = { purgatory: i, key };
    const frame = this.within({ kind: 'pass' as const, cause, queue, completed: 0, slack: 0 }, () => {
      count = this.purgatories[i].checkAndComplete(key);
    });
    this.verify('one that the pass did not try', nextOf(queue)?.id, undefined);
    const isCounted = count >= frame.completed && count <= frame.completed + frame.slack;
    if (!isCounted) this.wrong('the count of checkAndComplete', count, frame.completed);
  }

  #cancelForKey(i: number, key: number): void {
    const left = this.#leave(i, this.references[i].watchersOf(key), 'ERR_PURGATORY_CANCELLED');
    this.verify('cancelForKey', this.#ids(this.purgatories[i].cancelForKey(key)), left);
  }

  #close(i: number): void {
    const left = this.#leave(i, [...this.references[i].parked], 'ERR_PURGATORY_CLOSED');
    this.references[i].isClosed = true;
    this.verify('close', this.#ids(this.purgatories[i].close()), left);
  }

  /** Takes guests out of the reference; returns the ids of the operations among them. */
  #leave(i: number, guests: readonly Guest[], code: string): number[] {
    for (const guest of guests) {
      this.references[i].leave(guest);
      if (guest instanceof HistoryWaiter) guest.expect({ kind: 'rejected', value: code });
    }
    return guests.filter((guest) => !guest.isWaiter).map((guest) => guest.id);
  }

  #ids(operations: readonly HistoryOperation[]): number[] {
    return operations.map((operation) => operation.id);
  }

  #abort(index: number): void {
    // A waiter that is aborted inside its own attempt may still answer. Either of the two may win.
    const isTried = (frame: Frame): boolean =>
      (frame.kind === 'park' || frame.kind === 'script') &&
      frame.guest instanceof HistoryWaiter &&
      frame.guest.spec.signal === index;
    if (this.controllers[index].signal.aborted || this.stack.some(isTried)) return;
    for (const [i, reference] of this.references.entries()) {
      const aborted = reference.parked.filter(
        (guest) => guest instanceof HistoryWaiter && guest.spec.signal === index,
      );
      this.#leave(i, aborted, `aborted ${index}`);
    }
    this.controllers[index].abort(`aborted ${index}`);
  }

  async #drain(): Promise<void> {
    const due = this.notified.flatMap((keys, i) =>
      [...keys].flatMap((key) => this.references[i].watchersOf(key)),
    );
    const before = due.map((guest) => ({
      guest,
      parking: guest.parking,
      tries: this.guests[guest.id].tries,
    }));
    this.stack.push({ kind: 'drain', cause: undefined });
    await turn();
    this.stack.pop();
    for (const { guest, parking, tries } of before) {
      const wasTried = guest.parking !== parking || this.guests[guest.id].tries > tries;
      this.verify(`${guest.id} was not tried after a notify`, wasTried, true);
    }
    for (const keys of this.notified) keys.clear();
  }

  #check(): void {
    this.checkCounts();
    this.checkReports();
    checkTimerInvariants(this.timer);
    for (const [i, purgatory] of this.purgatories.entries()) {
      checkAndCompact(purgatory);
      const watchers = (key: number): number => this.references[i].watchersOf(key).length;
      for (const key of [0, 1, 2, 3, 4, BURST_KEY]) {
        this.verify(`the watchers of ${key}`, purgatory.watchersOf(key), watchers(key));
      }
    }
    for (const operation of this.operations) {
      this.verify('isPending', operation.isPending, this.referenceOf(operation).holds(operation));
      this.verify('isCompleted', operation.isCompleted, operation.hasCompleted);
    }
  }
}
