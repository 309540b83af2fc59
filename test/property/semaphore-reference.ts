// A semaphore as a plain list that is scanned from end to end: what each wait ends with.
//
// Ground rules. A hand-over that a call makes is made in the call, up to a batch; what is left, and
// what somebody who left has held up, is served at the end of the turn (`endTurn`).

/** As many as one call hands over to. */
const BATCH = 64;

interface NaiveWait {
  readonly id: number;
  readonly key: string;
  readonly units: number;
  readonly deadlineMs: number;
}

export class NaiveSemaphore {
  readonly units: number;
  readonly maxParked: number;
  waits: NaiveWait[] = [];
  readonly free = new Map<string, number>();
  /** How each request ended; a permit is `permit`. */
  readonly ends = new Map<number, string>();
  /** Is called when a wait has left the list, before anything follows from it. */
  onEnd: () => void = () => {};
  nowMs = 0;
  isClosed = false;
  readonly #owed = new Set<string>();
  readonly #serving = new Set<string>();
  #late: NaiveWait[] = [];

  constructor(units: number, maxParked: number) {
    this.units = units;
    this.maxParked = maxParked;
  }

  available(key: string): number {
    return this.free.get(key) ?? this.units;
  }

  waitsOn(key: string): NaiveWait[] {
    return this.waits.filter((wait) => wait.key === key);
  }

  acquire(id: number, key: string, units: number, timeoutMs: number): void {
    if (this.isClosed) this.ends.set(id, 'ERR_PURGATORY_CLOSED');
    else if (this.waitsOn(key).length === 0 && units <= this.available(key)) this.#hold(id, key, units);
    else if (this.waits.length >= this.maxParked) this.ends.set(id, 'ERR_PURGATORY_FULL');
    else this.waits.push({ id, key, units, deadlineMs: this.nowMs + timeoutMs });
  }

  tryAcquire(id: number, key: string, units: number): boolean {
    const isFree = this.waitsOn(key).length === 0 && units <= this.available(key);
    if (isFree) this.#hold(id, key, units);
    return isFree;
  }

  release(key: string, units: number): void {
    this.free.set(key, this.available(key) + units);
    this.#serve(key, BATCH);
    if (!this.#serving.has(key) && this.#canServe(key)) this.#owed.add(key);
  }

  /** Ends those that are asked for, in the order of the list, without a permit. */
  end(ids: readonly number[], how: string): void {
    for (const id of ids) {
      const wait = this.waits.find((each) => each.id === id);
      if (wait !== undefined) this.#leave(wait, how);
    }
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    const inOrder = (): NaiveWait[] =>
      this.waits
        .filter((wait) => wait.deadlineMs <= endMs && !this.#late.includes(wait))
        .sort((p, q) => p.deadlineMs - q.deadlineMs || p.id - q.id);
    for (let [due] = inOrder(); due !== undefined; [due] = inOrder()) {
      this.nowMs = Math.max(this.nowMs, due.deadlineMs);
      this.#expire(due);
    }
    this.nowMs = endMs;
  }

  endTurn(): void {
    while (this.#owed.size > 0) {
      for (const key of [...this.#owed]) {
        this.#serve(key, Number.POSITIVE_INFINITY);
        this.#owed.delete(key);
        const late = this.#late.filter((wait) => wait.key === key);
        this.#late = this.#late.filter((wait) => wait.key !== key);
        for (const wait of late) if (this.waits.includes(wait)) this.#expire(wait);
      }
    }
  }

  #expire(wait: NaiveWait): void {
    if (this.#owed.has(wait.key) && this.#canServe(wait.key)) this.#late.push(wait);
    else this.#leave(wait, 'ERR_PURGATORY_TIMEOUT');
  }

  #hold(id: number, key: string, units: number): void {
    this.free.set(key, this.available(key) - units);
    this.ends.set(id, 'permit');
  }

  #canServe(key: string): boolean {
    const [first] = this.waitsOn(key);
    return first !== undefined && first.units <= this.available(key);
  }

  #serve(key: string, most: number): void {
    if (this.#serving.has(key)) return;
    this.#serving.add(key);
    for (let given = 0; given < most && this.#canServe(key); given++) {
      const [first] = this.waitsOn(key);
      this.free.set(key, this.available(key) - first.units);
      this.#leave(first, 'permit');
    }
    this.#serving.delete(key);
  }

  #leave(wait: NaiveWait, how: string): void {
    const isFirst = this.waitsOn(wait.key)[0] === wait;
    this.waits = this.waits.filter((each) => each !== wait);
    this.ends.set(wait.id, how);
    if (isFirst && !this.#serving.has(wait.key) && this.#canServe(wait.key)) this.#owed.add(wait.key);
    this.onEnd();
  }
}
