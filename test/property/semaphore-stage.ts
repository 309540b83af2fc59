// A Semaphore and its naive twin.
import { type Permit, Semaphore } from '../../src/waits/semaphore/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { codeOf } from '../support/code-of.ts';
import { same } from '../support/same.ts';
import { type Halves, LinesStage } from './lines-stage.ts';
import { NaiveSemaphore } from './semaphore-reference.ts';

export type SemaphoreAct =
  | { do: 'acquire'; key: string; units: number; timeoutMs: number; many: number; isLabelled?: boolean }
  | { do: 'tryAcquire'; key: string; units: number }
  | { do: 'release'; which: number; many: number }
  /** `isTold`: where each key has its own, the semaphore is told of it. */
  | { do: 'resize'; units: number; key?: string; isTold?: boolean }
  | { do: 'idle' };

interface Held {
  readonly permit: Permit;
  readonly key: string;
}

export class SemaphoreStage extends LinesStage<SemaphoreAct, Semaphore, NaiveSemaphore> {
  override readonly ours: Semaphore;
  override readonly naive: NaiveSemaphore;
  #held: Held[] = [];
  readonly #most: number;
  /** How many promises of `idle` have resolved. */
  #idle = { ours: 0, naive: 0 };

  readonly #own = new Map<string, number>();

  constructor(units: number, maxParked: number, isByKey = false) {
    super();
    const option = isByKey ? (key: string): number => this.#own.get(key) ?? units : units;
    this.ours = new Semaphore('model', { units: option, timer: this.timer, maxParked });
    this.naive = new NaiveSemaphore(option, maxParked);
    this.#most = units;
  }

  protected override own(act: SemaphoreAct): Halves {
    const { ours, naive } = this;
    switch (act.do) {
      case 'acquire': {
        const { key, units, timeoutMs } = act;
        const ids = Array.from({ length: act.many }, () => this.nextId());
        return [
          () => ids.forEach((id) => void this.#acquire(id, act)),
          () => ids.forEach((id) => void naive.acquire(id, key, units, timeoutMs)),
        ];
      }
      case 'tryAcquire': {
        const { key, units } = act;
        const id = this.nextId();
        let isGiven = false;
        const tryOurs = (): void => {
          if (ours.isClosed) return;
          let permit: Permit | undefined;
          const code = codeOf(() => {
            permit = ours.tryAcquire({ key, units });
          });
          same(code === undefined || code === 'ERR_OUT_OF_RANGE', true);
          isGiven = permit !== undefined;
          if (permit !== undefined) this.ends.set(id, this.#hold(permit, key));
        };
        const tryNaive = (): void => {
          if (!naive.isClosed) same(naive.tryAcquire(id, key, units), isGiven);
        };
        return [tryOurs, tryNaive];
      }
      case 'resize': {
        const units = 1 + (act.units % this.#most);
        const { key = 'a', isTold } = act;
        if (Number.isNaN(ours.units)) {
          this.#own.set(key, units);
          return isTold ? [() => ours.resize(key), () => naive.resizeKey(key)] : [() => {}, () => {}];
        }
        let keys: string[] = [];
        const resize = (): void => {
          keys = [...ours.$parked.lists.allKeys()] as string[];
          ours.resize(units);
        };
        return [resize, () => naive.resize(units, keys)];
      }
      case 'idle': {
        const count = this.#idle;
        return [() => void ours.idle().then(() => count.ours++), () => naive.idle(() => count.naive++)];
      }
      case 'release': {
        const released = this.#held.splice(act.which % Math.max(this.#held.length, 1), act.many);
        return [
          () => released.forEach(({ permit }) => void same(permit.release(), true)),
          () => released.forEach(({ permit, key }) => void naive.release(key, permit.units)),
        ];
      }
    }
  }

  #acquire(id: number, { key, units, timeoutMs, isLabelled }: SemaphoreAct & { do: 'acquire' }): void {
    const label = isLabelled === true ? `${id}` : undefined;
    const permit = this.ours.acquire({ key, units, timeoutMs, signal: this.signalOf(id), label });
    this.follow(id, permit, (given) => this.#hold(given, key));
  }

  #hold(permit: Permit, key: string): string {
    this.#held.push({ permit, key });
    return 'permit';
  }

  protected override compareKey(key: string): void {
    same(this.ours.available(key), Math.max(this.naive.available(key), 0), `free on ${key}`);
  }

  override compare(): void {
    checkPurgatoryInvariants(this.ours);
    super.compare();
    checkPurgatoryInvariants(this.ours);
    same(this.ours.snapshot({ top: 0 }).units.given, this.naive.given, 'permits given');
  }

  override async endTurn(ends?: () => Promise<void>): Promise<void> {
    await super.endTurn(ends);
    same(this.#idle.ours, this.#idle.naive, 'promises of idle');
  }
}
