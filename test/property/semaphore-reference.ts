// A semaphore as a plain list: how many units of each key are free.
import { NaiveLines, type NaiveWait } from './naive-lines.ts';

export class NaiveSemaphore extends NaiveLines {
  #units: number | ((key: string) => number);
  /** Of keys that are in use, where each has its own. */
  readonly #own = new Map<string, number>();
  readonly #held = new Map<string, number>();
  readonly #awaitIdle: (() => void)[] = [];
  given = 0;

  constructor(units: number | ((key: string) => number), maxParked: number) {
    super(maxParked, 'ERR_PURGATORY_TIMEOUT');
    this.#units = units;
  }

  available(key: string): number {
    return this.#unitsOf(key) - (this.#held.get(key) ?? 0);
  }

  #unitsOf(key: string): number {
    if (typeof this.#units === 'number') return this.#units;
    const isInUse = (this.#held.get(key) ?? 0) > 0 || this.waitsOn(key).length > 0;
    const units = (isInUse ? this.#own.get(key) : undefined) ?? this.#units(key);
    this.#own.set(key, units);
    return units;
  }

  /** Asks a key anew. */
  resizeKey(key: string): void {
    if (typeof this.#units === 'number') return;
    this.#own.set(key, this.#units(key));
    this.freed(key);
  }

  /** @param resolve is called when no unit is held. */
  idle(resolve: () => void): void {
    if (this.#isIdle) resolve();
    else this.#awaitIdle.push(resolve);
  }

  get #isIdle(): boolean {
    return [...this.#held.values()].every((held) => held === 0);
  }

  /** @param keys in the order in which they are served. */
  resize(units: number, keys: readonly string[]): void {
    this.#units = units;
    this.freed(...keys);
  }

  acquire(id: number, key: string, units: number, timeoutMs: number): void {
    if (this.isClosed) this.ends.set(id, 'ERR_PURGATORY_CLOSED');
    else if (units > this.#unitsOf(key)) this.ends.set(id, 'ERR_OUT_OF_RANGE');
    else if (!this.tryAcquire(id, key, units)) {
      this.park({ id, keys: [key], count: units, deadlineMs: this.nowMs + timeoutMs });
    }
  }

  tryAcquire(id: number, key: string, units: number): boolean {
    const isFree = this.waitsOn(key).length === 0 && units <= this.available(key);
    if (isFree) this.ends.set(id, this.#hold(key, units));
    return isFree;
  }

  release(key: string, units: number): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) - units);
    this.freed(key);
    if (this.#isIdle) for (const resolve of this.#awaitIdle.splice(0)) resolve();
  }

  protected override suffices(key: string, { count }: NaiveWait): boolean {
    return count <= this.available(key);
  }

  protected override taken(key: string, { count }: NaiveWait): string {
    return this.#hold(key, count);
  }

  #hold(key: string, units: number): string {
    this.given++;
    this.#held.set(key, (this.#held.get(key) ?? 0) + units);
    return 'permit';
  }
}
