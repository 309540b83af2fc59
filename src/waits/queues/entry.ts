// An item of which more is known than its value: one that was taken before, has a deadline or a
// caller, comes later, or is out on lease.
//
//   later ─► kept ─► taken, or out on lease ─► kept again ...      any of them ─► gone
//
// Invariants. It is the task of what its state waits for: that it comes, its deadline, the end of its
// lease. It follows one signal at most: that of its lease while it is out, else that of its caller.
// Items writes its fields. A line drops one that is gone when it comes across it.
import { type Abortable, addAbortable, removeAbortable, throwIfAborted } from '../../base/abort-listeners.ts';
import { NONE } from '../../slab/slab.ts';
import type { Timer } from '../../timer/timer.ts';
import { TimerTask } from '../../timer/timer-task.ts';

/**
 * Taken: by `take`, so that it may come back. It has no task and no signal then. Over: it came back
 * after its deadline or caller, and is about to go.
 */
export type EntryState = 'later' | 'kept' | 'taken' | 'out' | 'over' | 'gone';

/** Until when an item is wanted, and by whom. */
export interface Terms<V, K> {
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onExpired: ((item: V, key: K) => unknown) | undefined;
}

/** What entries need of their Items. */
export interface EntryOwner<V, K> {
  readonly timer: Timer;
  /** The time of its state has come. */
  due(entry: Entry<V, K>): void;
  /** The signal that it follows has aborted. */
  aborted(entry: Entry<V, K>): void;
  /** It is gone. */
  end(entry: Entry<V, K>): void;
  /** It is out, and comes back, after `afterMs`. */
  giveBack(entry: Entry<V, K>, afterMs: number): void;
}

export class Entry<V, K> extends TimerTask implements Abortable {
  declare delayMs: number;
  readonly owner: EntryOwner<V, K>;
  readonly key: K;
  item: V;
  /** By the turns the items of a key are in the order in which they were put. Infinity: never taken. */
  turn: number;
  /** How often it was taken. */
  deliveries: number;
  state: EntryState = 'kept';
  readonly terms: Terms<V, K> | undefined;
  /** The signal that it follows. */
  #signal: AbortSignal | undefined = undefined;
  /** While it is out: its lease, whose that is, and since when, in ms of the timer's clock. */
  lease: object | undefined = undefined;
  label: string | undefined = undefined;
  sinceMs = 0;

  constructor(
    owner: EntryOwner<V, K>,
    key: K,
    item: V,
    turn: number,
    deliveries: number,
    terms?: Terms<V, K>,
  ) {
    super(0);
    this.owner = owner;
    this.key = key;
    this.item = item;
    this.turn = turn;
    this.deliveries = deliveries;
    this.terms = terms;
  }

  /** Its task is due in `delayMs`; never for Infinity. @throws what the timer's `add` throws. */
  file(delayMs: number): void {
    if (delayMs === Number.POSITIVE_INFINITY) {
      if (this.$slot !== NONE) this.cancel();
      return;
    }
    this.delayMs = delayMs;
    this.owner.timer.add(this);
  }

  /** @throws the reason of a signal that has aborted, and what one throws that is no real one. */
  follow(signal: AbortSignal): void {
    throwIfAborted(signal);
    this.#signal = signal;
    addAbortable(signal, this);
  }

  unfollow(): void {
    if (this.#signal === undefined) return;
    removeAbortable(this.#signal, this);
    this.#signal = undefined;
  }

  /** It is no task, and follows no signal. */
  rest(): void {
    if (this.$slot !== NONE) this.cancel();
    this.unfollow();
  }

  override run(): void {
    this.owner.due(this);
  }

  abort(): void {
    this.#signal = undefined;
    this.owner.aborted(this);
  }
}
