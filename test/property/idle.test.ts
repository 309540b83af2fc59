// IdleTimeouts against a map of deadlines, whatever is touched and removed when, also by listeners.
import { expect } from 'chai';
import fc from 'fast-check';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { deeplySame, same } from '../support/same.ts';
import { runs } from './runs.ts';

const COMMON_MS = 100;

interface Act {
  readonly do: 'touch' | 'own' | 'refresh' | 'renew' | 'remove' | 'hold' | 'release';
  readonly element: number;
  readonly timeoutMs: number;
}

function makeElements(count: number): readonly unknown[] {
  const kinds = [(i: number) => ({ i }), (i: number) => Object.freeze({ i }), (i: number) => `text ${i}`];
  return Array.from({ length: count }, (_, i) => kinds[i % 4 === 3 ? 0 : i % kinds.length](i));
}

/** The library and the model side by side. */
class Pair {
  readonly clock = new ManualClock();
  readonly timer: SystemTimer;
  readonly idle: IdleTimeouts<unknown>;
  readonly #hasReaper: boolean;
  readonly #hasCommon: boolean;
  readonly #elements: readonly unknown[];
  readonly #deadlines = new Map<unknown, { atMs: number; timeoutMs: number; holds: number }>();
  readonly #releases: { readonly element: unknown; readonly of: object; readonly release: () => boolean }[] =
    [];
  /** The element whose listener is called, and its timeout. */
  #told: { element: unknown; timeoutMs: number } | undefined;
  readonly #released = new Set<unknown>();
  readonly #onTold: Act[];
  #failure: unknown;

  constructor(
    count: number,
    { hasReaper, hasCommon }: { hasReaper: boolean; hasCommon: boolean },
    maxPending: number,
    onTold: readonly Act[],
  ) {
    this.#elements = makeElements(count);
    this.#hasReaper = hasReaper;
    this.#hasCommon = hasCommon;
    this.#onTold = [...onTold];
    this.timer = new SystemTimer({ clock: this.clock, reaper: hasReaper, maxPending });
    this.idle = new IdleTimeouts('idle', {
      ...(hasCommon ? { timeoutMs: COMMON_MS } : {}),
      timer: this.timer,
      onIdle: (element) => this.#hear(element),
      onError: (error) => {
        this.#failure ??= error;
      },
    });
  }

  #hear(element: unknown): void {
    const deadline = this.#deadlines.get(element);
    expect(deadline?.holds, `${String(element)} was told of`).to.equal(0);
    if (this.#hasReaper) same(deadline?.atMs, this.clock.now());
    else expect(deadline?.atMs).to.be.at.most(this.clock.now());
    this.#deadlines.delete(element);
    same(this.idle.has(element), false);
    this.#told = { element, timeoutMs: deadline?.timeoutMs as number };
    const act = this.#onTold.pop();
    if (act !== undefined) this.act(act);
    this.#told = undefined;
  }

  act({ do: what, element: index, timeoutMs }: Act): void {
    const element = this.#elements[index % this.#elements.length];
    if (what === 'release') {
      this.#release(index);
      return;
    }
    if (what === 'remove') {
      same(this.idle.remove(element), this.#deadlines.delete(element));
      return;
    }
    const known = this.#deadlines.get(element);
    const before = known?.timeoutMs;
    const given = what === 'own' || what === 'renew' ? timeoutMs : undefined;
    const told = this.#told?.element === element ? this.#told?.timeoutMs : undefined;
    const own = given ?? before ?? told ?? COMMON_MS;
    let release: (() => boolean) | undefined;
    const isRefresh = what === 'refresh' || what === 'renew';
    try {
      if (isRefresh) same(this.idle.refresh(element, given), before !== undefined);
      else if (what !== 'hold') this.idle.touch(element, given);
      else release = this.idle.hold(element);
    } catch (error) {
      const isNew = !isRefresh && (before ?? told ?? given) === undefined;
      const code = isNew && !this.#hasCommon ? 'ERR_INVALID_ARG_TYPE' : 'ERR_PURGATORY_FULL';
      expect(error).to.have.property('code', code);
      return;
    }
    if (isRefresh && before === undefined) return;
    // At its place: `close` returns them in the order in which they came.
    const deadline = known ?? { atMs: 0, timeoutMs: 0, holds: 0 };
    this.#deadlines.set(element, deadline);
    deadline.timeoutMs = own;
    deadline.atMs = this.clock.now() + own;
    if (release === undefined) return;
    deadline.holds++;
    this.#releases.push({ element, of: deadline, release });
  }

  /** Of one that was let go of, too, or has ended. */
  #release(which: number): void {
    const given = this.#releases[which % this.#releases.length];
    if (given === undefined) return;
    const deadline = this.#deadlines.get(given.element);
    const isHeld = deadline === given.of && !this.#released.has(given.release);
    this.#released.add(given.release);
    same(given.release(), isHeld);
    if (deadline !== undefined && isHeld && --deadline.holds === 0) {
      deadline.atMs = this.clock.now() + deadline.timeoutMs;
    }
  }

  advance(ms: number): void {
    this.clock.advance(ms);
    if (!this.#hasReaper) this.timer.advanceClock();
    const nowMs = this.clock.now();
    for (const { atMs, holds } of this.#deadlines.values()) {
      same(holds > 0 || atMs > nowMs, true, 'a deadline to come');
    }
  }

  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    checkTimerInvariants(this.timer);
    same(this.idle.size, this.#deadlines.size);
    const { tracked, totals } = this.idle.snapshot({ top: 0 });
    deeplySame([tracked, totals.tracked - totals.idle - totals.removed], [this.idle.size, this.idle.size]);
    let held = 0;
    for (const [element, { atMs, holds }] of this.#deadlines) {
      const restMs = holds > 0 ? Number.POSITIVE_INFINITY : Math.max(atMs - this.clock.now(), 0);
      same(this.idle.remainingMs(element), restMs);
      if (holds > 0) held++;
    }
    same(this.idle.snapshot({ top: 0 }).held, held);
  }

  end(): void {
    this.#onTold.length = 0;
    this.advance(1_000);
    this.check();
    const endless = [...this.#deadlines.keys()];
    deeplySame([this.idle.close(), this.timer.size], [endless, 0]);
  }
}

const act = fc.record({
  do: fc.constantFrom(
    'touch' as const,
    'touch' as const,
    'touch' as const,
    'own' as const,
    'refresh' as const,
    'renew' as const,
    'remove' as const,
    'hold' as const,
    'release' as const,
  ),
  element: fc.nat(299),
  timeoutMs: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 300 }) },
    { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
  ),
});
const step = fc.record({ ms: fc.integer({ min: 0, max: 60 }), acts: fc.array(act, { maxLength: 8 }) });

function holds(count: number, maxPending: number) {
  const kind = fc.record({ hasReaper: fc.boolean(), hasCommon: fc.boolean() });
  const arguments_ = [kind, fc.array(step, { maxLength: 60 }), fc.array(act)] as const;
  return fc.property(...arguments_, (kind, steps, onTold) => {
    const pair = new Pair(count, kind, maxPending, onTold);
    for (const { ms, acts } of steps) {
      pair.advance(ms);
      pair.check();
      for (const each of acts) pair.act(each);
      pair.check();
    }
    pair.end();
  });
}

describe('IdleTimeouts, as a model that knows every deadline', () => {
  it('are exact for a few elements that are touched often', () => {
    fc.assert(holds(6, Number.MAX_SAFE_INTEGER), runs(200));
  });

  it('are exact for many elements', () => {
    fc.assert(holds(300, Number.MAX_SAFE_INTEGER), runs(100));
  });

  it('are exact on a timer that is full mostly', () => {
    fc.assert(holds(12, 3), runs(200));
  });

  it('are exact while hundreds come at once and go, and their memory is given back', () => {
    const burst = fc.array(fc.tuple(fc.nat(299), fc.integer({ min: 0, max: 30 })), { maxLength: 20 });
    fc.assert(
      fc.property(burst, (bursts) => {
        const pair = new Pair(300, { hasReaper: true, hasCommon: true }, Number.MAX_SAFE_INTEGER, []);
        for (const [from, ms] of bursts) {
          for (let element = 0; element < 300; element++) pair.act({ do: 'touch', element, timeoutMs: 0 });
          pair.advance(ms);
          for (let element = from; element < 300; element++) {
            pair.act({ do: 'remove', element: (element * 7) % 300, timeoutMs: 0 });
          }
          pair.check();
        }
        pair.end();
      }),
      runs(50),
    );
  });
});
