// SharedWaits against a reference that keeps plain lists, scans all of them after every step, and
// knows the rules alone: what must be loaded, what must not, and how each wait ends.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { ManualClock } from '../../src/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { deeplySame, same } from '../support/same.ts';
import { turn } from '../support/turns.ts';
import { runs } from './runs.ts';

const CONCURRENCY = 2;
const MOST_APART = 1;
const GIVE_UP_MS = 5_000;
/** A load that failed with this error is not divided. */
const TIMED_OUT = 'ERR_PURGATORY_TIMEOUT';

interface Options {
  readonly loadBatch: number;
  readonly loadTimeoutMs: number;
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
  readonly isApart: boolean;
  readonly beganAtMs: number;
  readonly timeoutMs: number;
  readonly division: Division | undefined;
  readonly signal: AbortSignal;
  readonly hadEvent: readonly string[];
  readonly store: ReadonlyMap<string, number>;
  readonly resolve: (states: ReadonlyMap<string, number | Error>) => void;
  readonly reject: (error: unknown) => void;
  abortedAtMs: number;
}

/** The parts of a failed load. */
interface Division {
  readonly wasUp: boolean;
  open: number;
  isUp: boolean;
  /** They have failed, and it is not known whether the store is up. */
  failed: { readonly call: Call; readonly error: string }[];
}

/** Keys that must be loaded together. */
interface Part {
  readonly keys: Set<string>;
  readonly division: Division;
}

interface KeyState {
  /** It waits for the load of this part. */
  part: Part | undefined;
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
  readonly divisions = new Set<Division>();
  /**
   * Keys whose last load timed out: each is loaded alone, and they have half of the places. One that
   * timed out in company has a short time at first, with retry.
   */
  readonly hanging = new Map<string, 'alone' | 'in company'>();
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
      loadBatch: options.loadBatch,
      loadTimeoutMs: options.loadTimeoutMs,
      concurrency: CONCURRENCY,
      recheckMs: options.recheckMs,
      ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
      ...(options.hasOnError ? { retry: true, onError: () => this.errors++ } : {}),
      clock: this.clock,
    });
  }

  get nowMs(): number {
    return this.clock.now();
  }

  get apart(): number {
    return this.calls.filter(({ isApart }) => isApart).length;
  }

  isWaitedFor(key: string): boolean {
    return this.waiting.some((wait) => wait.key === key);
  }

  isLoading(key: string): boolean {
    const failed = [...this.divisions].flatMap((division) => division.failed.map(({ call }) => call));
    return [...this.calls, ...failed].some((call) => call.keys.includes(key));
  }

  /** Whether the rules require a load of `key`: a waiter may not know the present state. */
  isNeeded(key: string): boolean {
    const state = this.keys.get(key);
    if (state === undefined || !this.isWaitedFor(key) || this.isLoading(key)) return false;
    if (state.part !== undefined) return true;
    if (state.retryAtMs !== undefined) return state.retryAtMs <= this.nowMs;
    return state.hasEvent || Math.min(state.pollAtMs, ...state.rechecksAtMs) <= this.nowMs;
  }

  #load(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number | Error>> {
    if (keys.length > this.options.loadBatch) this.problems.push(`a load of ${keys.length} keys`);
    if (new Set(keys).size < keys.length) this.problems.push(`a load of one key twice: ${keys}`);
    const states = keys.map((key) => this.keys.get(key));
    const part = states[0]?.part;
    if (states.some((state) => state?.part !== part)) this.problems.push(`parts are mixed: ${keys}`);
    if (part !== undefined && `${keys}` !== `${[...part.keys]}`) this.problems.push(`not a part: ${keys}`);
    const isApart = this.hanging.has(keys[0]);
    const isShort = this.options.hasOnError && this.hanging.get(keys[0]) === 'in company';
    if (keys.length > 1 && keys.some((key) => this.hanging.has(key))) {
      this.problems.push(`a key that timed out is not alone: ${keys}`);
    }
    if (isApart && this.apart === MOST_APART) this.problems.push(`too many loads are apart: ${keys}`);
    const haveFailed = new Set(states.map((state) => (state?.failures ?? 0) > 0));
    if (part === undefined && haveFailed.size > 1) this.problems.push(`failed keys are mixed: ${keys}`);
    const hadEvent: string[] = [];
    for (const key of keys) {
      if (!this.isNeeded(key)) this.problems.push(`a load of ${key}, which nobody needs`);
      const state = this.keys.get(key);
      if (state === undefined) continue;
      if (state.hasEvent) hadEvent.push(key);
      state.hasEvent = false;
      state.part = undefined;
      state.retryAtMs = undefined;
      state.pollAtMs = Number.POSITIVE_INFINITY;
      state.rechecksAtMs = state.rechecksAtMs.filter((atMs) => atMs > this.nowMs);
    }
    const couldAnswer = this.waiting.filter(({ key }) => keys.includes(key));
    return new Promise((resolve, reject) => {
      this.calls.push({
        keys,
        couldAnswer,
        isApart,
        beganAtMs: this.nowMs,
        timeoutMs: this.options.loadTimeoutMs * (isShort ? 1 / 50 : 1),
        division: part?.division,
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
        part: undefined,
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
    for (const [key, { part }] of this.keys) {
      if (this.isWaitedFor(key) || this.isLoading(key)) continue;
      this.keys.delete(key);
      part?.keys.delete(key);
      if (part?.keys.size === 0) this.ended(part.division);
    }
  }

  /** @param states of a Map, or the error of a load that failed. */
  settle(call: Call, states: ReadonlyMap<string, number | Error> | string): void {
    this.calls = this.calls.filter((each) => each !== call);
    if (typeof states === 'string') call.reject(states);
    else call.resolve(states);
    if (this.isClosed) return;
    if (call.abortedAtMs === Number.POSITIVE_INFINITY) {
      for (const key of call.keys) {
        if (states === TIMED_OUT) this.hanging.set(key, call.keys.length > 1 ? 'in company' : 'alone');
        else this.hanging.delete(key);
      }
    }
    if (call.abortedAtMs !== Number.POSITIVE_INFINITY) {
      for (const key of call.keys) this.#release(key);
    } else if (typeof states !== 'string') {
      this.#answer(call, states);
      if (call.division !== undefined) call.division.isUp = true;
    } else if (states === TIMED_OUT) {
      this.#failForGood(call, states);
    } else if (call.division !== undefined) {
      call.division.failed.push({ call, error: states });
    } else if (call.keys.length > 1) {
      this.#divide(call, false);
    } else {
      this.#failForGood(call, states);
    }
    if (call.division !== undefined) this.ended(call.division);
    this.forgetTheLeft();
  }

  /** A part of `division` has ended. */
  ended(division: Division): void {
    division.open--;
    if (!division.isUp && division.open > 0) return;
    for (const { call, error } of division.failed.splice(0)) {
      if ((division.isUp || division.wasUp) && call.keys.length > 1) this.#divide(call, division.isUp);
      else this.#failForGood(call, error);
    }
    if (division.open === 0) this.divisions.delete(division);
  }

  #divide(call: Call, wasUp: boolean): void {
    const keys = call.keys.filter((key) => this.isWaitedFor(key));
    const middle = 1 + Math.floor((keys.length - 1) / 2);
    const parts =
      keys.length > 3
        ? [keys.slice(0, 1), keys.slice(1, middle), keys.slice(middle)]
        : keys.map((key) => [key]);
    const division: Division = { wasUp, open: parts.length, isUp: false, failed: [] };
    if (parts.length > 0) this.divisions.add(division);
    for (const names of parts) {
      const part = { keys: new Set(names), division };
      for (const key of names) {
        const state = this.keys.get(key) as KeyState;
        state.part = part;
        if (call.hadEvent.includes(key)) state.hasEvent = true;
      }
    }
  }

  #failForGood(call: Call, error: string): void {
    if (this.options.hasOnError) {
      this.#fail(call);
      return;
    }
    this.end(
      (wait) => call.couldAnswer.includes(wait),
      () => error,
    );
    for (const key of call.keys) this.#restart(key);
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

  #answer(call: Call, states: ReadonlyMap<string, number | Error>): void {
    const isBad = ({ key }: Wait): boolean => states.get(key) instanceof Error;
    const isAnswered = ({ key, least }: Wait): boolean => Number(states.get(key) ?? 0) >= least;
    this.end(
      (wait) => call.couldAnswer.includes(wait) && (wait.isLook || isBad(wait) || isAnswered(wait)),
      (wait) => (isBad(wait) ? 'bad' : `${isAnswered(wait) ? 'answer' : 'expired'} ${states.get(wait.key)}`),
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
      else if (['down', 'bad', TIMED_OUT].includes(how)) totals.rejected++;
      else totals.cancelled++;
    }
    return totals;
  }

  check(): void {
    deeplySame(this.problems, []);
    const free = CONCURRENCY - this.calls.length;
    const isPlaced = (key: string): boolean => !this.hanging.has(key) || this.apart < MOST_APART;
    const needed = [...this.keys.keys()].filter((key) => this.isNeeded(key));
    if (free > 0 && !this.isClosed) deeplySame(needed.filter(isPlaced), [], 'needed, and not being loaded');
    deeplySame(Object.fromEntries(this.settled), Object.fromEntries(this.expected));
    same(this.errors, this.expectedErrors);
    deeplySame(this.waits.snapshot({ top: 0 }).totals, this.#totals());
    same(this.waits.numDelayed, this.waiting.length);
    for (const call of this.calls) {
      same(call.signal.aborted, this.isClosed || call.abortedAtMs !== Number.POSITIVE_INFINITY);
    }
    for (const [group, { signal }] of this.controllers.entries()) {
      const isWatched = this.waiting.some((wait) => wait.group === group);
      same(getEventListeners(signal, 'abort').length, isWatched ? 1 : 0);
    }
    checkAndCompact(this.waits);
    const { watchedKeys, loads } = this.waits.snapshot({ top: 0 });
    same(watchedKeys, new Set(this.waiting.map(({ key }) => key)).size);
    if (this.isClosed) return;
    same(loads.underWay, this.calls.length);
    same(loads.keysDue, needed.length);
  }
}

type Step = (model: Model) => void | Promise<void>;

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
          (error) => model.settled.set(label, error.code ?? error.message ?? error),
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
  .record({ index: fc.nat({ max: 7 }), how: fc.constantFrom('early', 'late', 'late', 'bad', 'fail', 'fail') })
  .map(
    ({ index, how }): Step =>
      (model) => {
        const call = model.calls[index % model.calls.length];
        if (call === undefined) return;
        // A load may have read anything between its beginning and its end.
        const states = new Map<string, number | Error>(how === 'early' ? call.store : model.store);
        if (how === 'bad') states.set(call.keys[0], new Error('bad'));
        model.settle(call, how === 'fail' ? 'down' : states);
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
    async (model) => {
      // In steps of a millisecond, as what is due in one step meets in one order only.
      for (let i = 0; i < ms; i++) {
        model.clock.advance(1);
        model.end(
          ({ deadlineMs }) => deadlineMs <= model.nowMs,
          () => 'expired',
        );
        const late = model.calls.filter(({ abortedAtMs, beganAtMs, timeoutMs }) => {
          const isTimedOut = beganAtMs + timeoutMs <= model.nowMs;
          if (abortedAtMs === Number.POSITIVE_INFINITY) return isTimedOut;
          return abortedAtMs < model.nowMs && (isTimedOut || abortedAtMs + GIVE_UP_MS <= model.nowMs);
        });
        if (late.length === 0 || model.isClosed) continue;
        const dropped = new Map([['x', 99]]);
        for (const call of late) {
          model.settle(call, TIMED_OUT);
          call.resolve(dropped);
        }
        await turn();
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
  loadBatch: fc.constantFrom(2, 5),
  loadTimeoutMs: fc.constantFrom(20, 100, 2_000, Number.POSITIVE_INFINITY),
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
      fc.asyncProperty(options, fc.array(step, { maxLength: 80, size: 'max' }), async (chosen, steps) => {
        const model = new Model(chosen);
        for (const each of steps) {
          await each(model);
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
