// A check of all short histories: every sequence of so many acts (short-acts.ts), played on a
// purgatory and on its naive twin (short-reference.ts). Nothing is drawn at random, so nothing
// short is left out.
//
// What is compared: each try, completion, expiry, refusal and throw, in order, what each call
// returned, and then what is parked and watched, before and after the end of the last turn. Each
// prefix of a history is a shorter history, so that is enough.
//
// A history ends the turn of the event loop once or more. So LANES of them are played side by side:
// an event that is served at the end of a turn costs a part of a turn. A lane plays one history
// after the other on one purgatory, a new one when the last history has closed it. (A new one for
// each would take four times as long.) So a history must leave nothing behind, either: what is
// still parked at its end is cancelled, and then nothing may be left.
import { DelayedOperation, ManualClock, Purgatory } from '../../src/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { turn } from '../support/turns.ts';
import {
  ACTS,
  DELAY_MS,
  type Key,
  nameOf,
  Script,
  type Side,
  type State,
  TURN_ENDS,
  type Who,
} from './short-acts.ts';
import { ShortReference } from './short-reference.ts';

const LANES = 64;
const WHO = ['a', 'b'] as const;
const TURN = ACTS.findIndex(([words]) => words === TURN_ENDS);

/** How many histories of so many acts there are. */
export function historiesOf(acts: number): number {
  return ACTS.length ** acts;
}

/** The history of `acts` acts with that number: the acts by their numbers. */
export function historyOf(acts: number, number: number): number[] {
  let left = number;
  return Array.from({ length: acts }, () => {
    const act = left % ACTS.length;
    left = (left - act) / ACTS.length;
    return act;
  });
}

class ShortOp extends DelayedOperation {
  readonly who: Who;
  readonly #script: Script;

  constructor(who: Who, script: Script) {
    super(DELAY_MS[who]);
    this.who = who;
    this.#script = script;
  }

  override tryComplete(): boolean {
    return this.#script.tryOf(this.who);
  }

  override onComplete(): void {
    this.#script.completed(this.who);
  }

  override onExpiration(): void {
    this.#script.tell(`${this.who} expires`);
  }
}

/** The purgatory of a lane. */
class Stage {
  readonly clock = new ManualClock();
  readonly purgatory: Purgatory<Key, ShortOp>;
  script = new Script();

  constructor() {
    this.purgatory = new Purgatory<Key, ShortOp>('short', {
      clock: this.clock,
      onError: (error, { who }) => this.script.tell(`${who} has thrown ${nameOf(error)}`),
    });
  }
}

/** A history on a real purgatory. */
class Engine implements Side {
  readonly #stage: Stage;
  readonly #ops: Readonly<Record<Who, ShortOp>>;

  constructor(stage: Stage, script: Script) {
    this.#stage = stage;
    stage.script = script;
    script.side = this;
    this.#ops = { a: new ShortOp('a', script), b: new ShortOp('b', script) };
  }

  get #purgatory(): Purgatory<Key, ShortOp> {
    return this.#stage.purgatory;
  }

  park(who: Who, keys: readonly Key[]): boolean {
    return this.#purgatory.tryCompleteElseWatch(this.#ops[who], keys);
  }

  notify(key: Key, atMost: number): void {
    this.#purgatory.notify(key, atMost === Number.POSITIVE_INFINITY ? undefined : { atMost });
  }

  check(key: Key, atMost: number): number {
    return this.#purgatory.checkAndComplete(
      key,
      atMost === Number.POSITIVE_INFINITY ? undefined : { atMost },
    );
  }

  cancel(who: Who): boolean {
    return this.#ops[who].cancel();
  }

  force(who: Who): boolean {
    return this.#ops[who].forceComplete();
  }

  cancelForKey(key: Key): readonly Who[] {
    return this.#purgatory.cancelForKey(key).map(({ who }) => who);
  }

  close(): readonly Who[] {
    return this.#purgatory.close().map(({ who }) => who);
  }

  advance(ms: number): void {
    this.#stage.clock.advance(ms);
  }

  state(): State {
    const { numDelayed, watched, watchedKeys } = this.#purgatory;
    const { a, b } = this.#ops;
    return {
      parked: numDelayed,
      watches: watched,
      keys: watchedKeys,
      watching1: this.#purgatory.watchersOf(1),
      watching2: this.#purgatory.watchersOf(2),
      isPendingA: a.isPending,
      isPendingB: b.isPending,
      isCompletedA: a.isCompleted,
      isCompletedB: b.isCompleted,
    };
  }

  /** Throws if something is wrong inside. */
  checkInvariants(): void {
    checkPurgatoryInvariants(this.#purgatory);
  }

  /** The history is over: cancels what is parked. Throws if something is left then. */
  end(): void {
    for (const who of WHO) this.#ops[who].cancel();
    const { numDelayed, watched, watchedKeys, timer } = this.#purgatory;
    const { pendingKeys, passesUnderWay } = this.#purgatory.snapshot({ top: 0 }).events;
    const left = [numDelayed, watched, watchedKeys, timer.size, pendingKeys, passesUnderWay];
    if (left.some((count) => count > 0)) throw new Error(`it leaves something behind: ${left}`);
  }
}

/** Plays a history on the stage. Throws where the purgatory and its twin differ. */
async function play(stage: Stage, history: readonly number[]): Promise<void> {
  const real = new Script();
  const naive = new Script();
  const engine = new Engine(stage, real);
  const reference = new ShortReference(naive);
  try {
    for (const act of history) {
      if (act === TURN) {
        await turn();
        reference.turnEnds();
      } else {
        ACTS[act][1](real);
        ACTS[act][1](naive);
      }
    }
    compare(engine, real, reference, naive);
    let isServed = false;
    void stage.purgatory.served().then(() => {
      isServed = true;
    });
    await turn();
    reference.turnEnds();
    if (!isServed) throw new Error('served() has not resolved at the end of the turn');
    compare(engine, real, reference, naive);
    engine.end();
  } catch (error) {
    const words = history.map((act) => ACTS[act][0]).join(' > ') || 'nothing';
    throw new Error(`${words}: ${(error as Error).message}`, { cause: error });
  }
}

function compare(engine: Engine, real: Script, reference: ShortReference, naive: Script): void {
  engine.checkInvariants();
  const is = engine.state();
  const mustBe = reference.state();
  if (real.told === naive.told && isAlike(is, mustBe)) return;
  const tell = ({ told }: Script, state: State): string => `${told}${JSON.stringify(state)}`;
  throw new Error(`\n  the purgatory: ${tell(real, is)}\n  must be:       ${tell(naive, mustBe)}`);
}

function isAlike(one: State, other: State): boolean {
  for (const name in one) if (one[name as keyof State] !== other[name as keyof State]) return false;
  return true;
}

/**
 * Plays the histories of `acts` acts with the numbers that `numbers` gives.
 *
 * @throws Error that tells the first history that is wrong, and what is.
 */
export async function playShortHistories(acts: number, numbers: Iterable<number>): Promise<void> {
  const left = numbers[Symbol.iterator]();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // most histories throw, and nobody reads where
  const lane = async (): Promise<void> => {
    let stage = new Stage();
    for (let next = left.next(); !next.done; next = left.next()) {
      if (stage.purgatory.isClosed) stage = new Stage();
      await play(stage, historyOf(acts, next.value));
    }
    stage.purgatory.close();
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
