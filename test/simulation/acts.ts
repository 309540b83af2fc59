// Work on what processes share: writes, and waits of all classes on them.
import { DelayedOperation } from '../../src/index.ts';
import type { Random } from '../support/random.ts';
import { CROWD } from './local.ts';
import { codeOf, isMine, mine, type Wait } from './model.ts';
import type { Process } from './process.ts';
import { RECHECK_MS } from './waits.ts';

const NEVER = Number.POSITIVE_INFINITY;
const TIMEOUTS_MS = [0, 1, 3, 10, 50, 200, 1_000, 5_000, 30_000, 60_000];

/** Half of the waits stay until they are answered: a lost hint shows. */
function drawTimeout(random: Random): number {
  return random.chance(0.5) ? NEVER : random.pick(TIMEOUTS_MS);
}

function drawTerms({ calls }: Process, random: Random): Pick<Wait, 'options' | 'reason'> {
  const timeoutMs = drawTimeout(random);
  const { signal, reason } = calls.abort(random);
  return { options: { timeoutMs, signal }, reason };
}

/** A remote condition is asked twice, and each takes as long. */
const REMOTE_MS = 20;

type Act = (process: Process, random: Random, key: string) => void;

/** With how much of the work each of them has. */
const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [24, write],
  [24, wait],
  [9, operation],
  [7, threshold],
  [8, shared],
  [4, offer],
  [5, claim],
  [6, (process, random) => process.permits.act(random)],
  [10, (process, random) => process.items.act(random)],
  [6, (process, random) => process.calls.call(random)],
  [5, (process, random) => process.calls.touch(random)],
];
const WEIGHT = ACTS.reduce((sum, [weight]) => sum + weight, 0);

/** What the seed of an act draws first. */
export function drawAct(random: Random, keys: number): { readonly key: string; readonly kind: number } {
  const key = `${random.below(keys)}`;
  let left = random.below(WEIGHT);
  let kind = 0;
  for (; left >= ACTS[kind][0]; kind++) left -= ACTS[kind][0];
  return { key, kind };
}

/** Plays an act, of that number. It draws from `random` alone, whatever else is played. */
export function act(process: Process, random: Random, number: number): void {
  const { waits, plan } = process.world;
  const { key, kind } = drawAct(random, plan.config.keys);
  waits.act = number;
  ACTS[kind][1](process, random, key);
}

/** Most writes are of a key that somebody waits for. */
function write(process: Process, random: Random, key: string): void {
  const { waits, plan } = process.world;
  const goal = plan.config.keys > 2 ? waits.recent(random.below(300)) : undefined;
  const name =
    goal === undefined || goal.kind === 'claim' ? `${random.pick(['k', 'k', 't', 's'])}${key}` : goal.key;
  // Beside others, and by every class: what has the name of none of its keys must disturb nothing.
  const isForAll = plan.config.routing === 'broadcast' && random.chance(0.3);
  publish(process, name, isForAll, random.chance(0.2));
}

/** Writes `name`, and tells others of it. @param isNow whether it is tried at once, too. */
function publish(process: Process, name: string, isForAll = false, isNow = false): void {
  const { world, purgatory, thresholds, shared } = process;
  const version = world.waits.write(process, name);
  if (name[0] === 'k' || isForAll) {
    if (isNow) purgatory.checkAndComplete(name);
    purgatory.notify(name);
  }
  if (name[0] === 't' || isForAll) thresholds.advance(name, version);
  if (name[0] === 's' || isForAll) shared.changed(name);
}

/** The condition of a wait, by what its code does. */
function conditionOf(process: Process, random: Random, key: string, read: () => number | undefined) {
  const { tryMs } = process.world.plan.config;
  const spend = (): void => process.host.spend(tryMs);
  const kind = random.next();
  let sound = random.below(4);
  const now = (): number | undefined => {
    spend();
    return read();
  };
  if (kind < 0.03) {
    let isFirst = true;
    const causes = (): number | undefined => {
      if (!isFirst) return now();
      isFirst = false;
      spend();
      publish(process, key);
      return undefined;
    };
    return { condition: 'causes its event', tried: causes };
  }
  if (kind < 0.55) return { condition: 'at once', tried: now };
  if (kind < 0.75) {
    const hops = random.below(4);
    const microtasks = async (): Promise<number | undefined> => {
      const early = now();
      for (let i = 0; i < hops; i++) await undefined;
      return hops % 2 === 1 ? read() : early;
    };
    return { condition: `after ${hops} microtasks`, tried: microtasks };
  }
  if (kind < 0.88) {
    const remote = (): Promise<number | undefined> => {
      const early = read();
      const isLate = random.chance(0.5);
      return process.after(random.range(0, REMOTE_MS), () => (isLate ? read() : early));
    };
    return { condition: 'from elsewhere', tried: remote, isPrompt: false, lagMs: 2 * REMOTE_MS + 5 };
  }
  const unsound = { isPrompt: false, isSound: false };
  if (kind < 0.92) {
    const hangs = (): number | undefined | Promise<number> => (sound-- > 0 ? read() : new Promise(() => {}));
    return { condition: 'hangs', tried: hangs, ...unsound };
  }
  const throws = (): number | undefined => {
    if (sound-- > 0) return read();
    throw mine('condition');
  };
  if (kind < 0.96) return { condition: 'throws', tried: throws, ...unsound };
  return { condition: 'rejects', tried: async () => throws(), ...unsound };
}

function wait(process: Process, random: Random, id: string): void {
  const key = `k${id}`;
  if (random.chance(0.004)) crowd(process, random, key);
  else void waitOn(process, random, key);
}

function waitOn(process: Process, random: Random, key: string): Promise<unknown> {
  const { waits } = process.world;
  const seen = waits.version(key);
  const terms = drawTerms(process, random);
  const { tried, ...condition } = conditionOf(process, random, key, () => {
    const version = waits.version(key);
    return version > seen ? version : undefined;
  });
  const begun = waits.begin({ kind: 'wait', process, key, ...terms, ...condition });
  const keys = random.chance(0.2) ? [key, `other${random.below(3)}`] : [key];
  const promise = process.purgatory.waitFor(keys, tried, begun.options);
  waits.settle(begun, promise);
  return promise;
}

/** More than a batch wait for one key, and some that come while these are tried. */
function crowd(process: Process, random: Random, key: string): void {
  const again = (): void => {
    if (process.isClosing || process.bus.isClosed) return;
    void waitOn(process, random, key);
    publish(process, key);
  };
  waitOn(process, random, key).then(again, () => {});
  for (let left = CROWD; left > 0; left--) void waitOn(process, random, key);
  publish(process, key);
  process.host.later(random.range(0, 60), again);
}

class VersionWait extends DelayedOperation {
  isForced = false;
  readonly #process: Process;
  readonly #wait: Wait;
  readonly #throws: () => boolean;

  constructor(process: Process, wait: Wait, throws: () => boolean) {
    super(wait.options.timeoutMs);
    this.#process = process;
    this.#wait = wait;
    this.#throws = throws;
  }

  get #isTrue(): boolean {
    return this.#process.world.waits.version(this.#wait.key) > this.#wait.seen;
  }

  override tryComplete(): boolean {
    const { world, host } = this.#process;
    host.spend(world.plan.config.tryMs);
    if (this.#throws()) throw mine('operation');
    return this.#isTrue && this.forceComplete();
  }

  /** `onExpiration` follows in the same call, where it is the deadline that completes it. */
  override onComplete(): void {
    const { world } = this.#process;
    const isFalse = !this.isForced && !this.#isTrue;
    queueMicrotask(() => {
      if (this.#process.isDead || this.#wait.ending === 'expired') return;
      world.waits.end(this.#wait, this.isForced ? 'forced' : 'answered');
      if (isFalse) world.violate('an operation is complete, but is not true', this.#wait);
    });
  }

  override onExpiration(): void {
    this.#process.world.waits.end(this.#wait, 'expired');
  }
}

function operation(process: Process, random: Random, id: string): void {
  const { world, purgatory, host } = process;
  const { waits } = world;
  const key = `k${id}`;
  const options = { timeoutMs: drawTimeout(random) };
  const throws = random.chance(0.05);
  const of = {
    condition: throws ? 'operation that throws' : 'operation',
    isPrompt: !throws,
    isSound: !throws,
  };
  const begun = waits.begin({ kind: 'operation', process, key, options, ...of });
  const op = new VersionWait(process, begun, () => throws && random.chance(0.3));
  process.operations.set(op, begun);
  try {
    purgatory.tryCompleteElseWatch(op, [key]);
  } catch (error) {
    if (codeOf(error) !== 'ERR_PURGATORY_FULL' && !isMine(error))
      world.violate('an operation could not be parked', { ...begun, error });
    waits.end(begun, 'refused');
    return;
  }
  if (!random.chance(0.1)) return;
  const isCancelled = random.chance(0.5);
  host.later(random.range(0, 300), () => {
    if (!op.isPending) return;
    if (!isCancelled) {
      op.isForced = true;
      if (!op.forceComplete()) world.violate('an operation that is parked could not be completed', begun);
    } else if (op.cancel()) waits.end(begun, 'cancelled');
  });
}

function threshold(process: Process, random: Random, id: string): void {
  const { waits } = process.world;
  const terms = drawTerms(process, random);
  const key = `t${id}`;
  const of = { condition: 'a value', lagMs: 60 };
  const begun = waits.begin({ kind: 'threshold', process, key, ...terms, ...of });
  waits.settle(begun, process.thresholds.awaitAtLeast(key, begun.seen + 1, begun.options));
}

function shared(process: Process, random: Random, id: string): void {
  const { waits, plan } = process.world;
  const terms = drawTerms(process, random);
  const key = `s${id}`;
  // With no time its first load ends it, however long that takes.
  const isSound = terms.options.timeoutMs > 0;
  const lagMs = 230 + 2 * RECHECK_MS + 4 * plan.config.latencyMs;
  const of = { condition: 'a load', lagMs, isSound };
  const begun = waits.begin({ kind: 'shared', process, key, ...terms, ...of });
  if (!isSound) begun.deadlineMs = Number.POSITIVE_INFINITY;
  const isTrue = (version: number | undefined): number | undefined => {
    process.host.spend(plan.config.tryMs);
    return version !== undefined && version > begun.seen ? version : undefined;
  };
  const promise = process.shared.waitUntil(key, isTrue, begun.options);
  waits.settle(
    begun,
    promise.then((result) => {
      if (!isSound) begun.deadlineMs = Number.NEGATIVE_INFINITY;
      return result;
    }),
  );
}

/** Offers a token or two, which one wait each may claim. */
function offer(process: Process, random: Random): void {
  const key = `c${random.below(3)}`;
  const many = random.pick([1, 1, 2]);
  process.world.claims.offer(process, key, many);
  process.purgatory.notify(key, { atMost: many });
}

function claim(process: Process, random: Random): void {
  const { waits, claims } = process.world;
  const key = `c${random.below(3)}`;
  const terms = drawTerms(process, random);
  const begun = waits.begin({ kind: 'claim', process, key, ...terms, condition: 'a claim' });
  const promise = process.purgatory.waitFor([key], () => claims.take(begun), begun.options);
  waits.settle(
    begun,
    promise.then((result) => claims.ended(begun, result)),
  );
}
