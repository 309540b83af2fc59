// The naive twin of a purgatory with two operations: an array of what is parked, and a Map of what
// is notified. Every call looks at all of it.
import { DELAY_MS, type Key, nameOf, type Script, type Side, type State, type Who } from './short-acts.ts';

interface Parked {
  readonly who: Who;
  readonly keys: readonly Key[];
  readonly dueMs: number;
}

export class ShortReference implements Side {
  readonly #script: Script;
  /** In the order of parking. */
  #parked: Parked[] = [];
  readonly #completed = new Set<Who>();
  /** How many each event may complete, by the first notify of its key. */
  readonly #pending = new Map<Key, number>();
  /** The key of the event that is served at the end of the turn. */
  #served: Key | undefined;
  /** The keys of the events under way, from the outermost in. */
  readonly #underWay: Key[] = [];
  #nowMs = 0;
  #isClosed = false;
  /** How many there were. */
  #events = 0;

  constructor(script: Script) {
    this.#script = script;
    script.side = this;
  }

  park(who: Who, keys: readonly Key[]): boolean {
    if (!this.#admits(who)) return false;
    const events = this.#events;
    if (this.#script.tryOf(who)) return true;
    if (!this.#admits(who)) return false;
    const parked = { who, keys, dueMs: this.#nowMs + DELAY_MS[who] };
    this.#parked.push(parked);
    return this.#events !== events && this.#completes(who);
  }

  #admits(who: Who): boolean {
    if (this.#isClosed) throw new Error('ERR_PURGATORY_CLOSED');
    if (this.#completed.has(who)) return false;
    if (this.#parked.some((parked) => parked.who === who)) throw new Error('ERR_PURGATORY_ALREADY_WATCHED');
    return true;
  }

  #leave(who: Who): boolean {
    const isParked = this.#parked.some((parked) => parked.who === who);
    this.#parked = this.#parked.filter((parked) => parked.who !== who);
    return isParked;
  }

  cancel(who: Who): boolean {
    return this.#leave(who);
  }

  force(who: Who): boolean {
    if (this.#completed.has(who)) return false;
    this.#leave(who);
    this.#completed.add(who);
    this.#script.completed(who);
    return true;
  }

  notify(key: Key, atMost: number): void {
    this.#events++;
    const isForNobody = !this.#parked.some(({ keys }) => keys.includes(key));
    if (this.#isClosed || (isForNobody && key !== this.#served && !this.#pending.has(key))) return;
    this.#pending.set(key, (this.#pending.get(key) ?? 0) + atMost);
  }

  check(key: Key, atMost: number): number {
    if (this.#underWay.includes(key)) {
      this.notify(key, atMost);
      return 0;
    }
    this.#events++;
    this.#underWay.push(key);
    const completed = this.#pass(key, atMost);
    this.#underWay.pop();
    return completed;
  }

  #pass(key: Key, atMost: number): number {
    let completed = 0;
    for (const parked of this.#parked.filter(({ keys }) => keys.includes(key))) {
      if (completed < atMost && this.#parked.includes(parked) && this.#completes(parked.who)) completed++;
    }
    return completed;
  }

  /** A try by an event: what it throws is reported. */
  #completes(who: Who): boolean {
    try {
      this.#script.tryOf(who);
    } catch (error) {
      this.#script.tell(`${who} has thrown ${nameOf(error)}`);
    }
    return this.#completed.has(who);
  }

  turnEnds(): void {
    for (const [key, atMost] of this.#pending) {
      this.#pending.delete(key); // a notify from now on is one more event, behind the others
      this.#served = key;
      this.check(key, atMost);
      this.#served = undefined;
    }
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#parked.filter(({ dueMs }) => dueMs <= this.#nowMs);
    for (const parked of due.sort((x, y) => x.dueMs - y.dueMs)) {
      if (this.#parked.includes(parked)) this.#expire(parked);
    }
  }

  #expire(parked: Parked): void {
    const { who, keys } = parked;
    const key = keys.find((each) => this.#pending.has(each)); // its event came in time
    if (key !== undefined) {
      const limit = this.#pending.get(key) as number;
      if (this.#completes(who)) {
        if (limit > 1) this.#pending.set(key, limit - 1);
        else this.#pending.delete(key);
      }
      if (!this.#parked.includes(parked)) return;
    }
    this.force(who);
    this.#script.tell(`${who} expires`);
  }

  cancelForKey(key: Key): readonly Who[] {
    return this.#takeOut(({ keys }) => keys.includes(key));
  }

  close(): readonly Who[] {
    this.#isClosed = true;
    this.#pending.clear();
    return this.#takeOut(() => true);
  }

  #takeOut(leaves: (parked: Parked) => boolean): Who[] {
    const left = this.#parked.filter(leaves);
    this.#parked = this.#parked.filter((parked) => !left.includes(parked));
    return left.map(({ who }) => who);
  }

  state(): State {
    const parked = this.#parked;
    const watching = ([1, 2] as const).map((key) => parked.filter(({ keys }) => keys.includes(key)).length);
    return {
      parked: parked.length,
      watches: watching[0] + watching[1],
      keys: watching.filter((count) => count > 0).length,
      watching1: watching[0],
      watching2: watching[1],
      isPendingA: parked.some(({ who }) => who === 'a'),
      isPendingB: parked.some(({ who }) => who === 'b'),
      isCompletedA: this.#completed.has('a'),
      isCompletedB: this.#completed.has('b'),
    };
  }
}
