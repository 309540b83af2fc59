// SharedWaits against a reference that keeps plain lists, scans all of them after every step, and
// knows the rules alone: what must be loaded, what must not, and how each wait ends.
import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import { ManualClock } from '../../src/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { turn } from '../support/turns.ts';
import { countStep, runs } from './runs.ts';

const LOAD_BATCH = 2;
const CONCURRENCY = 2;
const GIVE_UP_MS = 5_000;

interface Options {
  readonly recheckMs: readonly number[];
  readonly pollMs: number | undefined;
  readonly hasOnError: boolean;
}

interface Wait {
  readonly label: string;
  readonly key: string;
  readonly least: number;
  readonly deadlineMs: number;
  readonly group: number;
  /** It was given a timeout of 0: the first load that began after it ends it. */
  readonly isLook: boolean;
}

/** A call of `load`, with those it can answer: who waited when it began. */
interface Call {
  readonly keys: readonly string[];
  readonly couldAnswer: readonly Wait[];
  readonly signal: AbortSignal;
  readonly hadEvent: readonly string[];
  readonly store: ReadonlyMap<string, number>;
  readonly resolve: (states: ReadonlyMap<string, number>) => void;
  readonly reject: (error: unknown) => void;
  abortedAtMs: number;
}

interface KeyState {
  /** An event came after the last load began. */
  hasEvent: boolean;
  failures: number;
  /** Failed, and not to be loaded before. */
  retryAtMs: number | undefined;
  rechecksAtMs: number[];
  pollAtMs: number;
}

class Model {
  readonly clock = new ManualClock();
  readonly store = new Map<string, number>();
  readonly options: Options;
  readonly waits: SharedWaits<number>;
  readonly controllers = [0, 1, 2].map(() => new AbortController());
  readonly settled = new Map<string, string>();
  readonly expected = new Map<string, string>();
  readonly problems: string[] = [];
  waiting: Wait[] = [];
  calls: Call[] = [];
  readonly keys = new Map<string, KeyState>();
  labels = 0;
  parked = 0;
  /** Those that were not parked. */
  readonly refused = new Set<string>();
  errors = 0;
  expectedErrors = 0;
  isClosed = false;

  constructor(options: Options) {
    this.options = options;
    this.waits = new SharedWaits<number>('model', {
      load: (keys, { signal }) => this.#load(keys, signal),
      loadBatch: LOAD_BATCH,
      concurrency: CONCURRENCY,
      recheckMs: options.recheckMs,
      ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
      ...(options.hasOnError ? { onError: () => this.errors++ } : {}),
      clock: this.clock,
    });
  }

  get nowMs(): number {
    return this.clock.now();
  }

  isWaitedFor(key: string): boolean {
    return this.waiting.some((wait) => wait.key === key);
  }

  isLoading(key: string): boolean {
    return this.calls.some((call) => call.keys.includes(key));
  }

  /** Whether the rules require a load of `key`: a waiter may not know the present state. */
  isNeeded(key: string): boolean {
    const state = this.keys.get(key);
    if (state === undefined || !this.isWaitedFor(key) || this.isLoading(key)) return false;
    if (state.retryAtMs !== undefined) return state.retryAtMs <= this.nowMs;
    return state.hasEvent || Math.min(state.pollAtMs, ...state.rechecksAtMs) <= this.nowMs;
  }

  #load(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    if (keys.length > LOAD_BATCH) this.problems.push(`a load of ${keys.length} keys`);
    if (new Set(keys).size < keys.length) this.problems.push(`a load of one key twice: ${keys}`);
    const hadEvent: string[] = [];
    for (const key of keys) {
      if (!this.isNeeded(key)) this.problems.push(`a load of ${key}, which nobody needs`);
      const state = this.keys.get(key);
      if (state === undefined) continue;
      if (state.hasEvent) hadEvent.push(key);
      state.hasEvent = false;
      state.retryAtMs = undefined;
      state.pollAtMs = Number.POSITIVE_INFINITY;
      state.rechecksAtMs = state.rechecksAtMs.filter((atMs) => atMs > this.nowMs);
    }
    const couldAnswer = this.waiting.filter(({ key }) => keys.includes(key));
    return new Promise((resolve, reject) => {
      this.calls.push({
        keys,
        couldAnswer,
        signal,
        hadEvent,
        store: new Map(this.store),
        resolve,
        reject,
        abortedAtMs: Number.POSITIVE_INFINITY,
      });
      if (this.calls.length > CONCURRENCY) this.problems.push(`${this.calls.length} loads at once`);
    });
  }

  event(key: string): void {
    if (!this.isWaitedFor(key)) return;
    let state = this.keys.get(key);
    if (state === undefined) {
      state = {
        hasEvent: false,
        failures: 0,
        retryAtMs: undefined,
        rechecksAtMs: [],
        pollAtMs: Number.POSITIVE_INFINITY,
      };
      this.keys.set(key, state);
    }
    state.hasEvent = true;
  }

  end(which: (wait: Wait) => boolean, how: (wait: Wait) => string): void {
    for (const wait of this.waiting.filter(which)) this.expected.set(wait.label, how(wait));
    this.waiting = this.waiting.filter((wait) => !which(wait));
    this.forgetTheLeft();
  }

  /** Keys that nobody waits for are forgotten, and loads that nobody waits for are aborted. */
  forgetTheLeft(): void {
    for (const call of this.calls) {
      if (call.abortedAtMs !== Number.POSITIVE_INFINITY) continue;
      if (!call.couldAnswer.some((wait) => this.waiting.includes(wait))) call.abortedAtMs = this.nowMs;
    }
    for (const key of this.keys.keys()) {
      if (!this.isWaitedFor(key) && !this.isLoading(key)) this.keys.delete(key);
    }
  }

  settle(call: Call, states: ReadonlyMap<string, number> | undefined): void {
    this.calls = this.calls.filter((each) => each !== call);
    if (states !== undefined) call.resolve(states);
    else call.reject('down');
    if (this.isClosed) return;
    if (call.abortedAtMs !== Number.POSITIVE_INFINITY) {
      for (const key of call.keys) this.#release(key);
    } else if (states !== undefined) {
      this.#answer(call, states);
    } else if (this.options.hasOnError) {
      this.#fail(call);
    } else {
      this.end(
        (wait) => call.couldAnswer.includes(wait),
        () => 'down',
      );
      for (const key of call.keys) this.#restart(key);
    }
    this.forgetTheLeft();
  }

  /** Waiters that came since an aborted load began must be answered: each was an event. */
  #release(key: string): void {
    const state = this.keys.get(key);
    if (state !== undefined) state.retryAtMs = undefined;
  }

  #restart(key: string): void {
    const state = this.keys.get(key);
    if (state === undefined) return;
    state.failures = 0;
    if (this.options.pollMs !== undefined) state.pollAtMs = this.nowMs + this.options.pollMs;
  }

  #answer(call: Call, states: ReadonlyMap<string, number>): void {
    const isAnswered = ({ key, least }: Wait): boolean => (states.get(key) ?? 0) >= least;
    this.end(
      (wait) => call.couldAnswer.includes(wait) && (wait.isLook || isAnswered(wait)),
      (wait) => `${isAnswered(wait) ? 'answer' : 'expired'} ${states.get(wait.key)}`,
    );
    for (const key of call.keys) {
      this.#restart(key);
      const state = this.keys.get(key);
      if (state !== undefined && call.hadEvent.includes(key)) {
        state.rechecksAtMs = this.options.recheckMs.map((ms) => this.nowMs + ms);
      }
    }
  }

  #fail(call: Call): void {
    this.expectedErrors++;
    this.end(
      (wait) => call.couldAnswer.includes(wait) && wait.isLook,
      () => 'expired undefined',
    );
    for (const key of call.keys) {
      const state = this.keys.get(key);
      if (state === undefined) continue;
      if (call.hadEvent.includes(key)) state.hasEvent = true;
      state.retryAtMs = this.nowMs + Math.min(50 * 2 ** state.failures, 4_000);
      state.failures++;
    }
  }

  #totals(): Record<string, number> {
    const totals = { parked: this.parked, completed: 0, expired: 0, cancelled: 0, rejected: 0, failed: 0 };
    for (const [label, how] of this.expected) {
      if (this.refused.has(label)) continue;
      if (how.startsWith('expired')) totals.expired++;
      else if (how.startsWith('answer')) totals.completed++;
      else if (how === 'down') totals.rejected++;
      else totals.cancelled++;
    }
    return totals;
  }

  check(): void {
    expect(this.problems).to.deep.equal([]);
    const free = CONCURRENCY - this.calls.length;
    const needed = [...this.keys.keys()].filter((key) => this.isNeeded(key));
    if (free > 0 && !this.isClosed) expect(needed, 'needed, and not being loaded').to.deep.equal([]);
    expect(Object.fromEntries(this.settled)).to.deep.equal(Object.fromEntries(this.expected));
    expect(this.errors).to.equal(this.expectedErrors);
    expect(this.waits.snapshot({ top: 0 }).totals).to.deep.equal(this.#totals());
    expect(this.waits.numDelayed).to.equal(this.waiting.length);
    for (const call of this.calls) {
      expect(call.signal.aborted).to.equal(this.isClosed || call.abortedAtMs !== Number.POSITIVE_INFINITY);
    }
    for (const [group, { signal }] of this.controllers.entries()) {
      const isWatched = this.waiting.some((wait) => wait.group === group);
      expect(getEventListeners(signal, 'abort')).to.have.length(isWatched ? 1 : 0);
    }
    checkAndCompact(this.waits);
    const { watchedKeys, loads } = this.waits.snapshot({ top: 0 });
    expect(watchedKeys).to.equal(new Set(this.waiting.map(({ key }) => key)).size);
    if (this.isClosed) return;
    expect(loads.underWay).to.equal(this.calls.length);
    expect(loads.keysDue).to.equal(needed.length);
  }
}

type Step = (model: Model) => void;

const key = fc.constantFrom('x', 'y', 'z', 'u', 'v');
const group = fc.nat({ max: 2 });

const waitStep = fc
  .record({
    key,
    group,
    least: fc.integer({ min: 0, max: 4 }),
    timeoutMs: fc.oneof(fc.integer({ min: 1, max: 120 }), fc.constantFrom(0, Number.POSITIVE_INFINITY)),
  })
  .map(
    ({ key, group, least, timeoutMs }): Step =>
      (model) => {
        const label = `${model.labels++}`;
        const { signal } = model.controllers[group];
        const isLook = timeoutMs === 0;
        const accept = (value: number | undefined): number | undefined =>
          (value ?? 0) >= least ? (value ?? -1) : undefined;
        model.waits.waitUntil(key, accept, { timeoutMs, signal }).then(
          (result) => {
            const how = result.expired
              ? `expired${isLook ? ` ${result.state}` : ''}`
              : `answer ${result.value === -1 ? undefined : result.value}`;
            model.settled.set(label, how);
          },
          (error) => model.settled.set(label, error.code ?? error),
        );
        if (model.isClosed) {
          model.expected.set(label, 'ERR_PURGATORY_CLOSED');
          model.refused.add(label);
        } else if (signal.aborted) {
          model.expected.set(label, `abort ${group}`);
          model.refused.add(label);
        } else {
          model.parked++;
          const deadlineMs = isLook ? Number.POSITIVE_INFINITY : model.nowMs + timeoutMs;
          model.waiting.push({ label, key, least, deadlineMs, group, isLook });
          model.event(key);
        }
      },
  );
const writeStep = fc.record({ key, value: fc.nat({ max: 5 }), isTold: fc.boolean() }).map(
  ({ key, value, isTold }): Step =>
    (model) => {
      model.store.set(key, value);
      if (!isTold) return;
      model.waits.changed(key);
      model.event(key);
    },
);
const settleStep = fc
  .record({ index: fc.nat({ max: 7 }), how: fc.constantFrom('early', 'late', 'late', 'fail') })
  .map(
    ({ index, how }): Step =>
      (model) => {
        const call = model.calls[index % model.calls.length];
        if (call === undefined) return;
        // A load may have read anything between its beginning and its end.
        const states = how === 'fail' ? undefined : how === 'early' ? call.store : new Map(model.store);
        model.settle(call, states);
      },
  );
const abortStep = group.map(
  (group): Step =>
    (model) => {
      const controller = model.controllers[group];
      if (controller.signal.aborted) {
        model.controllers[group] = new AbortController();
        return;
      }
      controller.abort(`abort ${group}`);
      model.end(
        (wait) => wait.group === group,
        () => `abort ${group}`,
      );
    },
);
const tickStep = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 300 }), fc.constant(GIVE_UP_MS)).map(
  (ms): Step =>
    (model) => {
      // In steps of a millisecond, as what is due in one step meets in one order only.
      for (let i = 0; i < ms; i++) {
        model.clock.advance(1);
        model.end(
          ({ deadlineMs }) => deadlineMs <= model.nowMs,
          () => 'expired',
        );
        const givenUp = model.calls.filter(({ abortedAtMs }) => abortedAtMs + GIVE_UP_MS <= model.nowMs);
        if (givenUp.length === 0) continue;
        model.calls = model.calls.filter((call) => !givenUp.includes(call));
        model.forgetTheLeft();
        for (const call of givenUp) call.resolve(new Map([['x', 99]])); // dropped
      }
    },
);
const closeStep = fc.constant<Step>((model) => {
  model.waits.close();
  model.isClosed = true;
  model.end(
    () => true,
    () => 'ERR_PURGATORY_CLOSED',
  );
});

const step = fc.oneof(
  { arbitrary: waitStep, weight: 12 },
  { arbitrary: writeStep, weight: 8 },
  { arbitrary: settleStep, weight: 14 },
  { arbitrary: tickStep, weight: 8 },
  { arbitrary: abortStep, weight: 3 },
  { arbitrary: closeStep, weight: 1 },
);

const options: fc.Arbitrary<Options> = fc.record({
  recheckMs: fc.constantFrom([], [5], [5, 40]),
  pollMs: fc.constantFrom(undefined, 17, 60),
  hasOnError: fc.constantFrom(true, true, false),
});

describe('Property: SharedWaits load what is needed, once, and answer by it', function () {
  this.timeout(0);
  const { random } = Math;

  before(() => {
    Math.random = () => 0; // no jitter: the reference knows when a retry is due
  });

  after(() => {
    Math.random = random;
  });

  it('whatever hints, deadlines, aborts, closes and loads that settle in any order meet', async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { maxLength: 80 }), async (chosen, steps) => {
        const model = new Model(chosen);
        for (const each of steps) {
          countStep();
          each(model);
          await turn();
          model.check();
        }
        for (const { resolve } of model.calls) resolve(new Map());
        model.waits.close();
      }),
      runs(300),
    );
  });
});
