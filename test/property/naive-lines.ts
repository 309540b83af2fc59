// Waits by key as a plain list that is scanned from end to end, and what each of them ends with.
//
// Ground rules. What a call hands over it does in the call, up to a batch. What is left, and what
// somebody who left has held up, is served at the end of the turn (`endTurn`). Meanwhile a deadline
// on that key is held back.

/** As many as one call hands over to. */
const BATCH = 64;

export interface NaiveWait {
  readonly id: number;
  readonly keys: readonly string[];
  /** How many units, or items at most. */
  readonly count: number;
  readonly deadlineMs: number;
  readonly order: number;
}

/** What a timer runs: in the order of the deadlines, then of `order`. */
export interface NaiveTask {
  readonly deadlineMs: number;
  readonly order: number;
  readonly run: () => void;
}

export abstract class NaiveLines {
  waits: NaiveWait[] = [];
  /** How each request ended. */
  readonly ends = new Map<number, string>();
  /** Is called when a wait has left the list, before anything follows from it. */
  onEnd: () => void = () => {};
  nowMs = 0;
  isClosed = false;
  readonly #maxParked: number;
  readonly #expiry: string;
  #order = 0;
  readonly #owed = new Set<string>();
  readonly #serving = new Set<string>();
  #late: (readonly [key: string, wait: NaiveWait])[] = [];

  /** @param expiry what a wait ends with at its deadline. */
  constructor(maxParked: number, expiry: string) {
    this.#maxParked = maxParked;
    this.#expiry = expiry;
  }

  /** Whether there is enough on `key` for `first`. */
  protected abstract suffices(key: string, first: NaiveWait): boolean;

  /** Takes it, and says what that wait ends with. */
  protected abstract taken(key: string, first: NaiveWait): string;

  waitsOn(key: string): NaiveWait[] {
    return this.waits.filter(({ keys }) => keys.includes(key));
  }

  protected park(wait: Omit<NaiveWait, 'order'>): void {
    if (this.waits.length >= this.#maxParked) this.ends.set(wait.id, 'ERR_PURGATORY_FULL');
    else this.waits.push({ ...wait, order: this.nextOrder() });
  }

  protected nextOrder(): number {
    return ++this.#order;
  }

  /** What else a timer runs. */
  tasks(): NaiveTask[] {
    return [];
  }

  /** The signal of a request has aborted. */
  abort(id: number): void {
    this.end([id], 'AbortError');
  }

  /** Something has come free on `keys`: a batch for all of them is handed over in the call. */
  protected freed(...keys: readonly string[]): void {
    let left = BATCH;
    for (const key of keys) {
      left -= this.#serve(key, left);
      if (!this.#serving.has(key) && this.#canServe(key)) this.#owed.add(key);
    }
  }

  /** Ends those that are asked for, in the order given, with nothing. */
  end(ids: readonly number[], how: string): void {
    for (const id of ids) {
      const wait = this.waits.find((each) => each.id === id);
      if (wait !== undefined) this.#leave(wait, how);
    }
  }

  close(): void {
    this.isClosed = true;
    this.end(
      this.waits.map(({ id }) => id),
      'ERR_PURGATORY_CLOSED',
    );
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    const isHeldBack = (wait: NaiveWait): boolean => this.#late.some(([, late]) => late === wait);
    const expiries = (): NaiveTask[] =>
      this.waits
        .filter((wait) => !isHeldBack(wait))
        .map((wait) => ({ ...wait, run: () => this.#expire(wait) }));
    const due = (): NaiveTask | undefined =>
      [...expiries(), ...this.tasks()]
        .filter(({ deadlineMs }) => deadlineMs <= endMs)
        .sort((p, q) => p.deadlineMs - q.deadlineMs || p.order - q.order)[0];
    for (let task = due(); task !== undefined; task = due()) {
      this.nowMs = Math.max(this.nowMs, task.deadlineMs);
      task.run();
    }
    this.nowMs = endMs;
  }

  endTurn(): void {
    while (this.#owed.size > 0) {
      for (const key of [...this.#owed]) {
        this.#serve(key, Number.POSITIVE_INFINITY);
        this.#owed.delete(key);
        const late = this.#late.filter(([heldOn]) => heldOn === key);
        this.#late = this.#late.filter(([heldOn]) => heldOn !== key);
        for (const [, wait] of late) if (this.waits.includes(wait)) this.#expire(wait);
      }
    }
  }

  #expire(wait: NaiveWait): void {
    const isHeldBack = (key: string): boolean => this.#late.some(([heldOn]) => heldOn === key);
    const key = wait.keys.find((each) => this.#owed.has(each) && (isHeldBack(each) || this.#canServe(each)));
    if (key === undefined) this.#leave(wait, this.#expiry);
    else this.#late.push([key, wait]);
  }

  #canServe(key: string): boolean {
    const [first] = this.waitsOn(key);
    return first !== undefined && this.suffices(key, first);
  }

  /** Returns to how many. */
  #serve(key: string, most: number): number {
    if (this.#serving.has(key)) return 0;
    this.#serving.add(key);
    let given = 0;
    for (; given < most && this.#canServe(key); given++) {
      const [first] = this.waitsOn(key);
      this.#leave(first, this.taken(key, first));
    }
    this.#serving.delete(key);
    return given;
  }

  #leave(wait: NaiveWait, how: string): void {
    const heldUp = wait.keys.filter((key) => this.waitsOn(key)[0] === wait);
    this.waits = this.waits.filter((each) => each !== wait);
    this.ends.set(wait.id, how);
    for (const key of heldUp) {
      if (!this.#serving.has(key) && this.#canServe(key)) this.#owed.add(key);
    }
    this.onEnd();
  }
}
