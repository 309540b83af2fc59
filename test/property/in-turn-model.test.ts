// A hall of semaphores: keys with units, and those who want some, in turn and plain beside them.
// There is no twin: two rules must hold, whatever is done, at each attempt and whenever all rests.
//
// - Nobody in turn is tried while another in turn stands before it on the key of the event.
// - At rest nobody is parked whose units are free: in turn, with nobody before it on any key, or not
//   in turn, on one key. (Not of the latter if somebody in turn takes a unit of any of two keys: an
//   event with `atMost` on the one counts it, though it took a unit of the other.)

import fc, { type Arbitrary } from 'fast-check';
import { DelayedOperation, ManualClock, Purgatory } from '../../src/index.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';
import { countStep, runs } from './runs.ts';

type Key = 'a' | 'b';

interface Wish {
  readonly keys: readonly Key[];
  readonly units: number;
  /** Of each of the keys, or of the first that has as many. */
  readonly isOfAll: boolean;
  readonly isInTurn: boolean;
  readonly how: 'operation' | 'attempt' | 'promise' | 'late promise';
  readonly delayMs: number;
}

type Act =
  | ({ readonly do: 'want'; readonly many: number } & Wish)
  | {
      readonly do: 'release';
      readonly key: Key;
      readonly units: number;
      readonly by: 'notify' | 'check';
      readonly isExact: boolean;
    }
  | { readonly do: 'steal'; readonly key: Key; readonly units: number }
  | { readonly do: 'giveBack' | 'abort' | 'force' | 'throw'; readonly who: number }
  | { readonly do: 'cancelForKey'; readonly key: Key }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'microtask' | 'rest' };

interface History {
  /** How long an attempt takes. With more than 0, events span turns. */
  readonly tryMs: number;
  readonly acts: readonly Act[];
  /** Done inside attempts and completions: each after so many of them. */
  readonly inside: readonly { readonly after: number; readonly act: Act }[];
}

class Wanted extends DelayedOperation {
  readonly wish: Wish;
  readonly #hall: Hall;
  readonly label: string;

  constructor(hall: Hall, label: string, wish: Wish) {
    super(wish.delayMs);
    this.wish = wish;
    this.#hall = hall;
    this.label = label;
  }

  override tryComplete(): boolean {
    const keys = this.#hall.attempt(this.label, undefined);
    if (keys === undefined) return false;
    this.#hall.takes(this.label, keys);
    return this.forceComplete();
  }

  override onComplete(): void {
    this.#hall.inside();
  }
}

class Hall {
  readonly free = { a: 1, b: 2 };
  readonly #clock: ManualClock | SlowClock;
  readonly #purgatory: Purgatory<Key>;
  readonly #tryMs: number;
  readonly #wishes = new Map<string, Wish>();
  readonly #operations = new Map<string, Wanted>();
  readonly #aborts = new Map<string, AbortController>();
  /** Units that were taken: by whom, on which keys. */
  readonly #taken = new Map<string, readonly Key[]>();
  readonly #inside: { after: number; act: Act }[];
  readonly #throwing = new Set<string>();
  /** Whose last try has thrown: an operation stays parked then. */
  readonly #thrown = new Set<string>();
  /** Those whose call is under way, and whether they are to be parked without an attempt. */
  readonly #coming = new Map<string, boolean>();
  #depth = 0;
  failure: string | undefined;

  constructor({ tryMs, inside }: History) {
    this.#inside = inside.map((each) => ({ ...each }));
    this.#tryMs = tryMs;
    this.#clock = tryMs > 0 ? new SlowClock() : new ManualClock();
    this.#purgatory = new Purgatory<Key>('hall', {
      clock: this.#clock,
      onError: (error) => {
        if ((error as Error).message !== 'planned') this.#fail(`${(error as Error).stack}`);
      },
    });
  }

  #fail(what: string): void {
    this.failure ??= what;
  }

  do(act: Act): void {
    if (act.do === 'want') for (let i = 0; i < act.many; i++) this.#want(act);
    else if (act.do === 'release') this.#release(act.key, act.units, act.by, act.isExact);
    else if (act.do === 'steal') this.free[act.key] = Math.max(0, this.free[act.key] - act.units);
    else if (act.do === 'giveBack') this.#giveBack(act.who);
    else if (act.do === 'abort') this.#abort(this.#pick(act.who));
    else if (act.do === 'force') this.#operations.get(this.#pick(act.who))?.forceComplete();
    else if (act.do === 'throw') this.#throwing.add(this.#pick(act.who));
    else if (act.do === 'cancelForKey') this.#purgatory.cancelForKey(act.key);
    else if (act.do === 'advance' && this.#depth === 0) this.#clock.advance(act.ms);
  }

  #pick(who: number): string {
    return `${who % (this.#wishes.size + 1)}`;
  }

  #abort(label: string): void {
    this.#operations.get(label)?.cancel();
    this.#aborts.get(label)?.abort(new Error('planned'));
  }

  #release(key: Key, units: number, by: 'notify' | 'check', isExact: boolean): void {
    this.free[key] += units;
    const options = isExact ? { atMost: units } : {};
    if (by === 'notify' || this.#depth > 0) this.#purgatory.notify(key, options);
    else this.#purgatory.checkAndComplete(key, options);
  }

  #giveBack(who: number): void {
    const label = [...this.#taken.keys()][who % (this.#taken.size + 1)];
    if (label === undefined) return;
    const keys = this.#taken.get(label)!;
    this.#taken.delete(label);
    for (const key of keys) this.#release(key, this.#wishes.get(label)!.units, 'notify', true);
  }

  #want(wish: Wish): void {
    const label = `${this.#wishes.size}`;
    const { keys, isInTurn, how, delayMs } = wish;
    const isBehind = isInTurn && keys.some((key) => this.#purgatory.watchersOf(key) > 0);
    this.#wishes.set(label, wish);
    this.#coming.set(label, isBehind);
    if (how === 'operation') {
      const operation = new Wanted(this, label, wish);
      this.#operations.set(label, operation);
      try {
        this.#purgatory.tryCompleteElseWatch(operation, keys, { inTurn: isInTurn });
      } catch (error) {
        if ((error as Error).message !== 'planned') this.#fail(`${(error as Error).stack}`);
      }
    } else {
      const controller = new AbortController();
      this.#aborts.set(label, controller);
      const options = { timeoutMs: delayMs, signal: controller.signal, label, inTurn: isInTurn };
      const attempt = ({ key }: { key: Key | undefined }): unknown => this.#attemptOf(label, how, key);
      this.#purgatory.waitFor(keys, attempt, options).then(
        () => this.inside(),
        () => {},
      );
    }
    this.#coming.delete(label);
  }

  #attemptOf(label: string, how: Wish['how'], key: Key | undefined): unknown {
    if (how === 'attempt') return this.#tries(label, key);
    return how === 'promise' ? this.#promised(label, key) : this.#late(label, key);
  }

  async #promised(label: string, key: Key | undefined): Promise<unknown> {
    return this.#tries(label, key);
  }

  async #late(label: string, key: Key | undefined): Promise<unknown> {
    this.#mayBeTried(label, key);
    await undefined;
    return this.#isParked(label) ? this.#tries(label) : undefined;
  }

  #isParked(label: string): boolean {
    return this.#wishes.get(label)!.keys.some((key) => this.#standing(key).includes(label));
  }

  #tries(label: string, key?: Key): unknown {
    const keys = this.attempt(label, key);
    if (keys === undefined) return undefined;
    this.takes(label, keys);
    return keys;
  }

  /** Who stands on a key, in park order. */
  #standing(key: Key): string[] {
    const { lists } = this.#purgatory.$parked;
    return lists.operationsOf(key, Number.POSITIVE_INFINITY).map((each) => (each as Wanted).label);
  }

  #isFirstInTurn(label: string, key: Key): boolean {
    const inTurn = this.#standing(key).filter((each) => this.#wishes.get(each)!.isInTurn);
    return inTurn.length === 0 || inTurn[0] === label;
  }

  #mayBeTried(label: string, key: Key | undefined): void {
    const { isInTurn, keys } = this.#wishes.get(label)!;
    if (!isInTurn) return;
    const isBehind = this.#coming.get(label);
    if (isBehind) this.#fail(`${label} is tried, though others watch its keys`);
    if (isBehind !== undefined) return;
    const among = key === undefined ? keys : [key];
    if (!among.some((each) => this.#isFirstInTurn(label, each))) this.#fail(`${label} overtakes on ${among}`);
  }

  /** The keys of which `label` can have its units now. What is done inside is done before. */
  attempt(label: string, key: Key | undefined): readonly Key[] | undefined {
    this.#mayBeTried(label, key);
    // Not past its own deadline: what completes there, inside its own try, counts twice for `atMost`.
    if (this.#wishes.get(label)!.delayMs === Number.POSITIVE_INFINITY) this.#clock.advance(this.#tryMs);
    this.#thrown.delete(label);
    if (this.#throwing.delete(label)) {
      this.#thrown.add(label);
      throw new Error('planned');
    }
    const keys = this.#fitting(label);
    if (keys === undefined) this.inside();
    return keys;
  }

  #fitting(label: string): readonly Key[] | undefined {
    const { keys, units, isOfAll } = this.#wishes.get(label)!;
    const having = keys.filter((key) => this.free[key] >= units);
    if (isOfAll) return having.length === keys.length ? keys : undefined;
    return having.length > 0 ? having.slice(0, 1) : undefined;
  }

  takes(label: string, keys: readonly Key[]): void {
    for (const key of keys) this.free[key] -= this.#wishes.get(label)!.units;
    this.#taken.set(label, keys);
  }

  /** In a try that is in vain, or after an answer. */
  inside(): void {
    const next = this.#inside[0];
    if (next === undefined || next.after-- > 0) return;
    this.#inside.shift();
    this.#depth++;
    try {
      this.do(next.act);
    } finally {
      this.#depth--;
    }
  }

  check(): void {
    checkAndCompact(this.#purgatory);
    if (this.failure !== undefined) throw new Error(this.failure);
  }

  async rest(): Promise<void> {
    for (let i = 0; i < 4 || !this.#isIdle; i++) {
      if (i > 10_000) throw new Error('events are served no more');
      await turn();
      this.check();
    }
    const wishes = [...this.#wishes];
    const isMiscounted = wishes.some(([, each]) => each.isInTurn && !each.isOfAll && each.keys.length > 1);
    for (const [label, { isInTurn, keys }] of wishes) {
      if (!keys.every((key) => this.#standing(key).includes(label))) continue;
      if (isInTurn ? this.#isBehind(label, keys) : isMiscounted || keys.length > 1) continue;
      const fits = this.#fitting(label);
      if (fits !== undefined && !this.#thrown.has(label))
        throw new Error(`${label} waits, and has ${fits}: ${JSON.stringify(this.free)}`);
    }
  }

  get #isIdle(): boolean {
    const { pendingKeys, passesUnderWay } = this.#purgatory.snapshot({ top: 0 }).events;
    return pendingKeys + passesUnderWay === 0;
  }

  #isBehind(label: string, keys: readonly Key[]): boolean {
    return keys.some((key) => this.#standing(key)[0] !== label);
  }

  close(): void {
    this.#inside.length = 0;
    this.#purgatory.close();
  }
}

async function play(history: History): Promise<void> {
  const hall = new Hall(history);
  let failure: unknown;
  const thrown = await uncaughtDuring(0, async () => {
    try {
      for (const act of history.acts) {
        countStep();
        if (act.do === 'microtask') await undefined;
        else if (act.do === 'rest') await hall.rest();
        else hall.do(act);
        hall.check();
      }
      await hall.rest();
    } catch (error) {
      failure = error;
    }
    hall.close();
  });
  if (failure !== undefined) throw failure;
  if (thrown.length > 0) throw new Error('the engine throws in a turn of its own', { cause: thrown[0] });
}

const key = fc.constantFrom<Key>('a', 'b');
const who = fc.nat(30);
const few = fc.integer({ min: 1, max: 3 });

const anyWant = fc.record({
  do: fc.constant('want' as const),
  many: fc.constant(1),
  keys: fc.oneof(
    { weight: 3, arbitrary: fc.constant<readonly Key[]>(['a']) },
    fc.constantFrom<readonly Key[]>(['b'], ['a', 'b'], ['b', 'a']),
  ),
  units: few,
  isOfAll: fc.boolean(),
  isInTurn: fc.constantFrom(true, true, true, false),
  how: fc.constantFrom('operation' as const, 'attempt' as const, 'promise' as const, 'late promise' as const),
  delayMs: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 5, 10),
});

/** Who is not in turn takes units of all its keys: else it uses an event up that it does not need. */
const want: Arbitrary<Act> = anyWant.map((each) => ({ ...each, isOfAll: each.isOfAll || !each.isInTurn }));

const act: Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: want },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      key,
      units: few,
      by: fc.constantFrom('notify' as const, 'notify' as const, 'check' as const),
      isExact: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('giveBack' as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('abort' as const, 'force' as const, 'throw' as const), who }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('steal' as const), key, units: few }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancelForKey' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 5, 6) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('microtask' as const, 'rest' as const) }) },
);

const inside = fc.array(fc.record({ after: fc.nat(4), act }), { maxLength: 4 });

const short: Arbitrary<History> = fc.record({
  tryMs: fc.constant(0),
  acts: fc.array(act, { maxLength: 25 }),
  inside,
});

/** Herds, so that events do not fit in a batch, and are under way while others come and go. */
const sliced: Arbitrary<History> = fc.record({
  tryMs: fc.constantFrom(1, 2, 6),
  acts: fc
    .tuple(
      fc.array(fc.tuple(want, fc.integer({ min: 5, max: 40 })), { minLength: 1, maxLength: 3 }),
      fc.array(act, { maxLength: 25 }),
    )
    .map(([herds, acts]) => [...herds.map(([each, many]) => ({ ...each, many }) as Act), ...acts]),
  inside,
});

describe('Property: of those who wait in turn none overtakes another, and none is forgotten', function () {
  this.timeout(0);

  it('in short histories of two semaphores', async () => {
    await fc.assert(fc.asyncProperty(short, play), runs(3_000));
  });

  it('in histories of herds, whose events span turns', async () => {
    await fc.assert(fc.asyncProperty(sliced, play), runs(600));
  });
});
