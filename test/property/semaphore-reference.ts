// A semaphore as a plain list: how many units of each key are free.
import { NaiveLines, type NaiveWait } from './naive-lines.ts';

export class NaiveSemaphore extends NaiveLines {
  readonly #units: number;
  readonly #free = new Map<string, number>();

  constructor(units: number, maxParked: number) {
    super(maxParked, 'ERR_PURGATORY_TIMEOUT');
    this.#units = units;
  }

  available(key: string): number {
    return this.#free.get(key) ?? this.#units;
  }

  acquire(id: number, key: string, units: number, timeoutMs: number): void {
    if (this.isClosed) this.ends.set(id, 'ERR_PURGATORY_CLOSED');
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
    this.#free.set(key, this.available(key) + units);
    this.freed(key);
  }

  protected override suffices(key: string, { count }: NaiveWait): boolean {
    return count <= this.available(key);
  }

  protected override taken(key: string, { count }: NaiveWait): string {
    return this.#hold(key, count);
  }

  #hold(key: string, units: number): string {
    this.#free.set(key, this.available(key) - units);
    return 'permit';
  }
}
