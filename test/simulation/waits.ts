// The waits of a world, and what must be true of them.
//
// Ground rules. The shared state is a version for each key. A wait has seen one, and its condition is
// that there is a later one: so the model knows at any time which waits must end, and when. A wait is
// `sound` when nothing but the library decides whether it is answered.
import {
  type Actor,
  codeOf,
  type Ended,
  type Ending,
  isLongOver,
  isMine,
  type NewWait,
  type Owner,
  ROUNDING_MS,
  type Stage,
  type Wait,
} from './model.ts';

/** A replica may be behind, by less than this: what is loaded is loaded once more. */
export const RECHECK_MS = 50;
const RECENT = 300;
/** So many checks: a snapshot is dear. */
const SNAPSHOT_EVERY = 32;

/** Where each kind is parked. */
const OWNERS = {
  wait: 'purgatory',
  operation: 'purgatory',
  claim: 'purgatory',
  threshold: 'thresholds',
  shared: 'shared',
} as const;

export class Waits {
  readonly #world: Stage;
  readonly #versions = new Map<string, number>();
  /** When each key was last written, and what it was before. */
  readonly #last = new Map<string, { readonly atMs: number; readonly before: number }>();
  readonly #byKey = new Map<string, Set<Wait>>();
  readonly #parked = new Map<Owner, number>();
  readonly pending = new Set<Wait>();
  /** By the number of their act, so that an act that is left out leaves the others where they are. */
  readonly #recent: Wait[] = [];
  /** The act under way. */
  act = 0;
  readonly endings: Record<string, number> = {};
  made = 0;
  #turns = 0;

  constructor(world: Stage) {
    this.#world = world;
  }

  version(key: string): number {
    return this.#versions.get(key) ?? 0;
  }

  /** What a replica has that is `lagMs` behind. */
  versionBehind(key: string, lagMs: number): number {
    const last = this.#last.get(key);
    return last !== undefined && last.atMs > this.#world.time.nowMs - lagMs ? last.before : this.version(key);
  }

  /** How many the model has parked in `owner`. */
  numDelayed(owner: Owner): number {
    return this.#parked.get(owner) ?? 0;
  }

  /** One of the last waits that is not true yet. */
  recent(at: number): Wait | undefined {
    for (let i = 0; i < RECENT; i++) {
      const wait = this.#recent[(at + i) % RECENT];
      if (wait !== undefined && wait.ending === undefined && wait.trueMs === undefined) return wait;
    }
    return undefined;
  }

  on(key: string): Iterable<Wait> {
    return this.#byKey.get(key) ?? [];
  }

  begin(given: NewWait): Wait {
    const { time } = this.#world;
    const { process, key, kind, condition } = given;
    const { timeoutMs } = given.options;
    const owner = process[OWNERS[kind]];
    const wait: Wait = {
      ...given,
      owner,
      isSound: given.isSound ?? true,
      isPrompt: given.isPrompt ?? owner === process.purgatory,
      lagMs: given.lagMs ?? 0,
      id: ++this.made,
      seen: this.version(key),
      parkedMs: time.nowMs,
      deadlineMs: process.host.nowMs + timeoutMs,
      trueMs: undefined,
      writer: undefined,
      ending: undefined,
    };
    this.#recent[this.act % RECENT] = wait;
    this.pending.add(wait);
    process.waits.add(wait);
    this.#parked.set(owner, this.numDelayed(owner) + 1);
    const others = this.#byKey.get(key);
    if (others === undefined) this.#byKey.set(key, new Set([wait]));
    else others.add(wait);
    const seen = `${key}, seen ${wait.seen}`;
    this.#world.log?.(process, `${kind} ${wait.id} on ${seen}, ${condition}, ${timeoutMs} ms`);
    return wait;
  }

  /** The state of `key` has changed, and `process` is about to publish it. */
  write(process: Actor, key: string): number {
    const before = this.version(key);
    const version = before + 1;
    this.#versions.set(key, version);
    this.#last.set(key, { atMs: this.#world.time.nowMs, before });
    this.#world.log?.(process, `writes ${key}, ${version}`);
    for (const wait of this.on(key)) {
      if (wait.trueMs !== undefined || wait.kind === 'claim') continue;
      wait.trueMs = this.#world.time.nowMs;
      wait.writer = process;
      const isOwn = wait.process === process && wait.owner === process.purgatory;
      if (isOwn && wait.isPrompt && wait.deadlineMs > process.host.nowMs) process.answers.add(wait);
    }
    return version;
  }

  end(wait: Wait, ending: Ending, value?: number): void {
    const world = this.#world;
    const { process } = wait;
    if (process.isDead) return;
    if (wait.ending !== undefined) {
      world.violate('a wait has ended twice', { ...wait, ending });
      return;
    }
    wait.ending = ending;
    this.#forget(wait);
    this.endings[ending] = (this.endings[ending] ?? 0) + 1;
    world.log?.(process, `${wait.kind} ${wait.id} ${ending}`);
    world.time.mix(wait.id * 3 + ending.length);
    if (ending === 'answered') this.#checkAnswer(wait, value);
    if (ending === 'expired') this.#checkExpiry(wait);
    process.answers.delete(wait);
  }

  /** Ends the wait as its promise does. */
  settle(wait: Wait, promise: Promise<Ended>): void {
    promise.then(
      ({ expired, value }) => this.end(wait, expired ? 'expired' : 'answered', value),
      (error: unknown) => {
        const code = codeOf(error);
        const isExpected =
          error === wait.reason ||
          code === 'ERR_PURGATORY_FULL' ||
          (code === 'ERR_PURGATORY_CLOSED' && wait.owner.isClosed) ||
          isMine(error);
        if (!isExpected && !wait.process.isDead)
          this.#world.violate('a wait was rejected', { ...wait, error });
        this.end(wait, 'rejected');
      },
    );
  }

  /** A process has lost hints, as it says, or with its death: no other process hears of them. */
  lostHintsOf(process: Actor): void {
    for (const wait of this.pending) if (wait.writer === process) wait.isSound = false;
  }

  /** Its process has crashed. */
  drop(process: Actor): void {
    this.lostHintsOf(process);
    for (const wait of process.waits) this.#forget(wait);
  }

  #forget(wait: Wait): void {
    const { owner, process, key } = wait;
    this.#parked.set(owner, this.numDelayed(owner) - 1);
    this.pending.delete(wait);
    process.waits.delete(wait);
    this.#byKey.get(key)?.delete(wait);
  }

  #checkAnswer(wait: Wait, value: number | undefined): void {
    if (wait.kind === 'claim') return;
    if (this.version(wait.key) <= wait.seen)
      this.#world.violate('a wait was answered, but is not true', wait);
    if (value !== undefined && value <= wait.seen)
      this.#world.violate('a wait was answered with an old value', { ...wait, value });
  }

  #checkExpiry(wait: Wait): void {
    const { process } = wait;
    const { host, hinted } = process;
    const nowMs = host.nowMs;
    if (nowMs < wait.deadlineMs - ROUNDING_MS)
      this.#world.violate('a wait has expired early', { ...wait, nowMs });
    if (process.answers.has(wait))
      this.#world.violate('a wait has expired though an event of its own process was pending', wait);
    if (hinted.has(wait)) this.#world.violate('a wait has expired though its hint had arrived', wait);
    const mustMs = this.#mustEndMs(wait);
    const inTime = wait.deadlineMs + host.suspendedMs > mustMs + 1 && host.stoodUntilMs < wait.parkedMs;
    if (inTime)
      this.#world.violate('a wait has expired though it was true, and published in time', {
        ...wait,
        mustMs,
      });
  }

  /** When it must have ended, by the pages: Infinity where the network is not sound. */
  #mustEndMs(wait: Wait): number {
    const { settledMs, plan } = this.#world;
    if (wait.trueMs === undefined || !wait.isSound) return Number.POSITIVE_INFINITY;
    const fromMs = Math.max(wait.trueMs, wait.parkedMs, settledMs + plan.recoveryMs);
    return fromMs + plan.soonMs + wait.lagMs;
  }

  /** Looks for waits that should have ended by now. */
  check(): void {
    for (const wait of this.pending) {
      if (wait.process.host.stands) continue;
      if (isLongOver(this.#world, wait.process, wait.deadlineMs))
        this.#world.violate('a wait is parked behind its deadline', wait);
      const mustMs = this.#mustEndMs(wait);
      if (this.#world.time.nowMs > mustMs) {
        this.#world.violate('a wait is parked though it is true, and was published', { ...wait, mustMs });
        wait.isSound = false;
      }
    }
  }

  /** At the end of a turn in which nothing was left for the next. */
  checkTurn(process: Actor): void {
    for (const wait of process.answers) {
      if (!process.purgatory.isClosed && wait.owner === process.purgatory)
        this.#world.violate('an event of its own process has not answered a wait', wait);
    }
    process.answers.clear();
    for (const wait of process.hinted) {
      if (wait.ending === undefined && !wait.owner.isClosed)
        this.#world.violate('a hint that was read has not answered a wait', wait);
    }
    process.hinted.clear();
    if (++this.#turns % SNAPSHOT_EVERY === 0) this.#checkLoads(process);
    for (const owner of [process.purgatory, process.thresholds, process.shared]) {
      const model = this.numDelayed(owner);
      if (model !== owner.numDelayed)
        this.#world.violate('a count is not that of the model', {
          name: owner.name,
          model,
          is: owner.numDelayed,
        });
    }
  }

  /** Nothing that is to be loaded waits while there are places, also for what timed out. */
  #checkLoads({ shared }: Actor): void {
    const { keysDue, underWay } = shared.snapshot({ top: 0 }).loads;
    if (keysDue > 0 && underWay === 0)
      this.#world.violate('a key is not loaded though there is a place', { keysDue });
  }
}
