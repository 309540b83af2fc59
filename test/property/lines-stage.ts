// A purgatory that counts, and its naive twin, to which the same is done.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import type { Queues } from '../../src/waits/queues/index.ts';
import type { Semaphore } from '../../src/waits/semaphore/index.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { deeplySame, same } from '../support/same.ts';
import { turn } from '../support/turns.ts';
import type { NaiveLines } from './naive-lines.ts';

/** What is done to any of them; `Own` is what only one kind has. */
export type Act<Own> =
  | Own
  | { do: 'abort'; which: number }
  | { do: 'force'; which: number }
  | { do: 'advance'; ms: number }
  | { do: 'cancelForKey'; key: string }
  | { do: 'close' }
  | { do: 'endTurn' }
  /** At the next end of a wait, inside of its event. */
  | { do: 'listen'; act: Act<Own> };

type Shared = Exclude<Act<never>, { do: 'listen' }>;

/** What an act does to the one and to the other. */
export type Halves = [ours: () => void, naive: () => void];

export const KEYS = ['a', 'b', 'model'] as const;
const ENDS = ['completed', 'expired', 'cancelled'].map((how) => `purgatory:operation:${how}`);

export abstract class LinesStage<
  Own extends { do: string },
  Subject extends Semaphore | Queues<number>,
  Naive extends NaiveLines,
> {
  readonly clock: ManualClock = new ManualClock();
  readonly timer: SystemTimer = new SystemTimer({ clock: this.clock, wheelSize: 4 });
  abstract readonly ours: Subject;
  abstract readonly naive: Naive;
  /** How each promise settled. */
  readonly ends = new Map<number, string>();
  readonly #aborts = new Map<number, AbortController>();
  readonly #onEnd = { ours: [] as (() => void)[], naive: [] as (() => void)[] };
  #ids = 0;
  #isHearing = false;

  readonly #heard = (event: unknown): void => {
    if ((event as { purgatory: unknown }).purgatory === this.ours) this.#onEnd.ours.shift()?.();
  };

  /** To subscribe takes longer than a short history. */
  #hear(): void {
    if (this.#isHearing) return;
    this.#isHearing = true;
    this.naive.onEnd = () => this.#onEnd.naive.shift()?.();
    for (const channel of ENDS) subscribe(channel, this.#heard);
  }

  leave(): void {
    for (const channel of ENDS) unsubscribe(channel, this.#heard);
    this.ours.close();
  }

  protected nextId(): number {
    return this.#ids++;
  }

  /** A signal that the act `abort` may abort. */
  protected signalOf(id: number): AbortSignal {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    return abort.signal;
  }

  /** Notes how the promise of a wait settles. */
  protected follow<T>(id: number, promise: Promise<T>, textOf: (result: T) => string): void {
    promise.then(
      (result) => this.ends.set(id, textOf(result)),
      (error: { code?: string; name: string }) => {
        this.ends.set(id, error.name === 'AbortError' ? error.name : `${error.code}`);
      },
    );
  }

  /** Does `act` to both. */
  act(act: Act<Own>): void {
    const [ours, naive] = this.#halves(act);
    ours();
    naive();
  }

  protected abstract own(act: Own): Halves;

  #halves(act: Act<Own>): Halves {
    if (act.do === 'listen') return this.#listen((act as { act: Act<Own> }).act);
    return this.#shared(act as Shared) ?? this.own(act as Own);
  }

  #shared(act: Shared): Halves | undefined {
    const { ours, naive } = this;
    switch (act.do) {
      case 'abort': {
        const id = act.which % Math.max(this.#ids, 1);
        return [() => this.#aborts.get(id)?.abort(), () => naive.abort(id)];
      }
      case 'force': {
        // A listener sees operations, and may do to them what it likes: that gives nothing away.
        const force = (): void => {
          const [first] = ours.$parked.lists.oldestFirst(act.which + 1).slice(-1);
          if (first !== undefined) same(first.forceComplete(), false);
        };
        return [force, () => {}];
      }
      case 'advance':
        return [() => this.clock.advance(act.ms), () => naive.advance(act.ms)];
      case 'cancelForKey': {
        const ids = (): number[] => naive.waitsOn(act.key).map(({ id }) => id);
        return [() => ours.cancelForKey(act.key), () => naive.end(ids(), 'ERR_PURGATORY_CANCELLED')];
      }
      case 'close':
        return [() => ours.close(), () => naive.close()];
      case 'endTurn':
        return [() => {}, () => {}];
      default:
        return undefined;
    }
  }

  #listen(act: Act<Own>): Halves {
    let halves: Halves | undefined;
    this.#hear();
    this.#onEnd.ours.push(() => {
      halves = this.#halves(act);
      halves[0]();
    });
    this.#onEnd.naive.push(() => halves?.[1]());
    return [() => {}, () => {}];
  }

  /** Compares what only one kind has, on one key. */
  protected abstract compareKey(key: string): void;

  /** In the turn of an act. */
  compare(): void {
    const { ours, naive } = this;
    checkAndCompact(ours);
    for (const key of KEYS) {
      same(ours.watchersOf(key), naive.waitsOn(key).length, `waits on ${key}`);
      this.compareKey(key);
    }
    same(ours.numDelayed, naive.waits.length);
    same(
      ours.watched,
      naive.waits.reduce((sum, { keys }) => sum + keys.length, 0),
    );
  }

  /**
   * The promises settle, and what is owed is served.
   * @param ends waits until that is so.
   */
  async endTurn(ends: () => Promise<void> = turn): Promise<void> {
    await ends();
    this.naive.endTurn();
    this.compare();
    const sorted = (all: Map<number, string>): unknown[] => [...all].sort(([p], [q]) => p - q);
    deeplySame(sorted(this.ends), sorted(this.naive.ends));
    const all = [...this.naive.waits, ...this.naive.tasks()];
    same(this.timer.size, all.filter(({ deadlineMs }) => deadlineMs < Number.POSITIVE_INFINITY).length);
  }
}

/** Plays a history, and compares after each act; at its end it closes. */
export async function plays<Own extends { do: string }>(
  stage: LinesStage<Own, Semaphore | Queues<number>, NaiveLines>,
  history: readonly Act<Own>[],
): Promise<void> {
  try {
    for (const act of [...history, { do: 'close' } as const, { do: 'endTurn' } as const]) {
      if (act.do === 'endTurn') await stage.endTurn();
      stage.act(act);
      stage.compare();
    }
    await stage.endTurn();
  } finally {
    stage.leave();
  }
}
