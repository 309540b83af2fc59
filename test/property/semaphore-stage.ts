// A Semaphore and its naive twin, to which the same is done.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { type Permit, Semaphore } from '../../src/waits/semaphore/index.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { turn } from '../support/turns.ts';
import { NaiveSemaphore } from './semaphore-reference.ts';

export type Act =
  | { do: 'acquire'; key: string; units: number; timeoutMs: number; many: number; isLabelled?: boolean }
  | { do: 'tryAcquire'; key: string; units: number }
  | { do: 'release'; which: number; many: number }
  | { do: 'abort'; which: number }
  | { do: 'force'; which: number }
  | { do: 'advance'; ms: number }
  | { do: 'cancelForKey'; key: string }
  | { do: 'close' }
  | { do: 'endTurn' }
  /** At the next end of a wait, inside of its event. */
  | { do: 'listen'; act: Act };

interface Held {
  readonly permit: Permit;
  readonly key: string;
}

const ENDS = ['completed', 'expired', 'cancelled'].map((how) => `purgatory:operation:${how}`);

export class Stage {
  readonly clock = new ManualClock();
  readonly timer: SystemTimer = new SystemTimer({ clock: this.clock, wheelSize: 4 });
  readonly permits: Semaphore;
  readonly naive: NaiveSemaphore;
  /** How each promise settled. */
  readonly ends = new Map<number, string>();
  held: Held[] = [];
  readonly #aborts = new Map<number, AbortController>();
  readonly #onEnd = { ours: [] as (() => void)[], naive: [] as (() => void)[] };
  #ids = 0;
  #isHearing = false;

  constructor(units: number, maxParked: number) {
    const { timer } = this;
    this.permits = new Semaphore('model', { units, timer, maxParked });
    this.naive = new NaiveSemaphore(units, maxParked);
    this.naive.onEnd = () => this.#onEnd.naive.shift()?.();
  }

  readonly #heard = (event: unknown): void => {
    if ((event as { purgatory: unknown }).purgatory === this.permits) this.#onEnd.ours.shift()?.();
  };

  /** To subscribe takes longer than a short history. */
  #hear(): void {
    if (this.#isHearing) return;
    this.#isHearing = true;
    for (const channel of ENDS) subscribe(channel, this.#heard);
  }

  leave(): void {
    for (const channel of ENDS) unsubscribe(channel, this.#heard);
    this.permits.close();
  }

  /** Does `act` to both. */
  act(act: Act): void {
    const [ours, naive] = this.#halves(act);
    ours();
    naive();
  }

  /** What `act` does to the one and to the other, each with the same ids. */
  #halves(act: Act): [() => void, () => void] {
    const { permits, naive } = this;
    switch (act.do) {
      case 'acquire': {
        const { key, units, timeoutMs } = act;
        const ids = Array.from({ length: act.many }, () => this.#ids++);
        const ours = (): void => {
          for (const id of ids) this.#acquire(id, act);
        };
        return [ours, () => ids.forEach((id) => void naive.acquire(id, key, units, timeoutMs))];
      }
      case 'tryAcquire': {
        const { key, units } = act;
        const id = this.#ids++;
        let isGiven: boolean | undefined;
        const ours = (): void => {
          if (permits.isClosed) return;
          const permit = permits.tryAcquire({ key, units });
          isGiven = permit !== undefined;
          if (permit !== undefined) this.#hold(id, permit, key);
        };
        return [
          ours,
          () => {
            if (!naive.isClosed)
              expect(naive.tryAcquire(id, key, units), `tryAcquire ${id}`).to.equal(isGiven);
          },
        ];
      }
      case 'release': {
        const released = this.held.splice(act.which % Math.max(this.held.length, 1), act.many);
        return [
          () => released.forEach(({ permit }) => void permit.release()),
          () => released.forEach(({ permit, key }) => void naive.release(key, permit.units)),
        ];
      }
      case 'abort': {
        const id = act.which % Math.max(this.#ids, 1);
        return [() => this.#aborts.get(id)?.abort(), () => naive.end([id], 'AbortError')];
      }
      case 'force': {
        // A listener sees operations, and may do to them what it likes: that makes no units.
        const ours = (): void => {
          const [first] = permits.$parked.lists.oldestFirst(act.which + 1).slice(-1);
          if (first !== undefined) expect(first.forceComplete()).to.equal(false);
        };
        return [ours, () => {}];
      }
      case 'advance':
        return [() => this.clock.advance(act.ms), () => naive.advance(act.ms)];
      case 'cancelForKey': {
        const ours = (): void => void permits.cancelForKey(act.key);
        const ids = (): number[] => naive.waitsOn(act.key).map(({ id }) => id);
        return [ours, () => naive.end(ids(), 'ERR_PURGATORY_CANCELLED')];
      }
      case 'close':
        return [
          () => void permits.close(),
          () => {
            naive.isClosed = true;
            naive.end(
              naive.waits.map(({ id }) => id),
              'ERR_PURGATORY_CLOSED',
            );
          },
        ];
      case 'endTurn':
        return [() => {}, () => {}];
      case 'listen': {
        const halves = (): [() => void, () => void] => this.#halves(act.act);
        let made: [() => void, () => void] | undefined;
        this.#hear();
        this.#onEnd.ours.push(() => {
          made = halves();
          made[0]();
        });
        this.#onEnd.naive.push(() => made?.[1]());
        return [() => {}, () => {}];
      }
    }
  }

  #acquire(id: number, { key, units, timeoutMs, isLabelled }: Act & { do: 'acquire' }): void {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    const label = isLabelled === true ? `${id}` : undefined;
    this.permits.acquire({ key, units, timeoutMs, signal: abort.signal, label }).then(
      (permit) => this.#hold(id, permit, key),
      (error: { code?: string; name: string }) => {
        this.ends.set(id, error.name === 'AbortError' ? error.name : `${error.code}`);
      },
    );
  }

  #hold(id: number, permit: Permit, key: string): void {
    this.ends.set(id, 'permit');
    this.held.push({ permit, key });
  }

  /** In the turn of an act: what is free, and who waits. */
  compare(): void {
    const { permits, naive } = this;
    Semaphore.check(permits);
    checkAndCompact(permits);
    Semaphore.check(permits);
    for (const key of ['a', 'b', 'model']) {
      expect(permits.available(key), `free on ${key}`).to.equal(naive.available(key));
      expect(permits.watchersOf(key), `waits on ${key}`).to.equal(naive.waitsOn(key).length);
    }
    expect(permits.numDelayed).to.equal(naive.waits.length);
  }

  /**
   * The promises settle, and what is owed is served.
   * @param ends waits until that is so.
   */
  async endTurn(ends: () => Promise<void> = turn): Promise<void> {
    await ends();
    this.naive.endTurn();
    this.compare();
    const sorted = (ends: Map<number, string>): unknown[] => [...ends].sort(([p], [q]) => p - q);
    expect(sorted(this.ends)).to.deep.equal(sorted(this.naive.ends));
    for (const each of this.held) expect(each.permit.isHeld).to.equal(true);
    const inTimer = this.naive.waits.filter(({ deadlineMs }) => deadlineMs < Number.POSITIVE_INFINITY);
    expect(this.timer.size).to.equal(inTimer.length);
  }
}
