// Plays a history of sliced events on a purgatory and on its naive twin, and compares the two at
// each try, each end and each step.
//
// A clock moves during tries, so slices are really spent. Acts happen between slices, and inside
// tries. What is wrong inside a try is kept until the step is over: the purgatory would report it.

import { Purgatory } from '../../src/index.ts';
import { listen } from '../../src/observe/events/index.ts';
import { checkAndCompact } from '../support/compaction.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';
import { type Act, type History, SlicedOp, type SlicedStage } from './sliced-acts.ts';
import { SlicedReference, type Twin } from './sliced-reference.ts';

/** What is under way, innermost last. */
type Frame =
  | { readonly kind: 'park' }
  | { readonly kind: 'try'; readonly key: string }
  | { readonly kind: 'check'; readonly key: string; members: Twin[] }
  | { readonly kind: 'clock'; lastTried: Twin | undefined };

const MAX_PARKED = 700;

export class SlicedHistory implements SlicedStage {
  readonly #clock = new SlowClock();
  readonly #purgatory: Purgatory<string, SlicedOp>;
  readonly #reference = new SlicedReference();
  readonly #history: History;
  readonly #inside: { tries: number; act: Act }[];
  readonly #frames: Frame[] = [];
  /** Calls of `served` that have not resolved. */
  #unserved = 0;
  #toldKey: string | undefined;
  #made = 0;
  #tries = 0;

  constructor(history: History) {
    this.#history = history;
    this.#inside = history.inside.map((each) => ({ ...each }));
    this.#purgatory = new Purgatory('model', {
      clock: this.#clock,
      onError: (error) => {
        if ((error as Error).message !== 'planned') this.#reference.fail(`${(error as Error).stack}`);
      },
    });
  }

  /** What the engine throws in a turn of its own would end the process: here it fails the history. */
  async play(): Promise<void> {
    let failure: unknown;
    const thrown = await uncaughtDuring(0, async () => {
      try {
        await this.#playSteps();
      } catch (error) {
        failure = error;
      }
    });
    if (thrown.length > 0) throw new Error('an event ends with a throw of the engine', { cause: thrown[0] });
    if (failure !== undefined) throw failure;
  }

  async #playSteps(): Promise<void> {
    const unlisten = listen('purgatory:operation:tried', ({ purgatory, key }) => {
      if (purgatory === this.#purgatory) this.#toldKey = key as string | undefined;
    });
    try {
      for (const { turns, act } of this.#history.steps) {
        for (let i = 0; i < turns; i++) {
          await turn();
          this.#reference.engineRan();
          this.#check();
        }
        this.#do(act);
        this.#check();
      }
      await this.#finish();
    } finally {
      unlisten();
      this.#purgatory.close();
    }
  }

  async #finish(): Promise<void> {
    this.#inside.length = 0;
    for (let since = 0; !this.#isIdle; since++) {
      if (since > 20) this.#reference.fail('events are served no more');
      const tries = this.#tries;
      await turn();
      if (tries !== this.#tries) since = 0;
      this.#check();
    }
    // A barrier that was asked for in the last try is reached in a later batch, so in a later turn.
    for (let i = 0; i < 5; i++) await turn();
    if (this.#unserved > 0) this.#reference.fail('served() never resolves');
    this.#reference.checkIdle();
    this.#check();
  }

  get #isIdle(): boolean {
    const { pendingKeys, oldestPass } = this.#purgatory.snapshot({ top: 0 }).events;
    return pendingKeys === 0 && oldestPass === null;
  }

  #check(): void {
    const purgatory = this.#purgatory;
    const reference = this.#reference;
    checkAndCompact(purgatory);
    if (purgatory.numDelayed !== reference.parked.length) {
      reference.fail(`${purgatory.numDelayed} are parked, not ${reference.parked.length}`);
    }
    const late = reference.parked.find((op) => (op as SlicedOp).dueMs + 2 <= this.#clock.now());
    if (late !== undefined) reference.fail(`${late.label} is late`);
    if (reference.failure !== undefined) throw new Error(reference.failure);
  }

  /** Inside a try of `op`: the operation asks what to return. */
  tryOf(op: SlicedOp): boolean {
    const frame = this.#frames.at(-1);
    if (frame?.kind === 'park') return op.isReady && op.forceComplete();
    const reference = this.#reference;
    const key = this.#toldKey as string;
    if (frame === undefined) {
      const pass = reference.serve(op, key);
      try {
        return this.#runTry(op, key);
      } finally {
        if (pass !== undefined) reference.tried(key, pass, op.isCompleted);
      }
    }
    if (frame.kind === 'clock') {
      frame.lastTried = op;
      if (op.dueMs > this.#clock.now()) reference.fail(`${op.label} is tried before its deadline`);
      if (!op.keys.includes(key) || reference.toCome([key]) === 'no') {
        reference.fail(`${op.label} is tried at its deadline for ${key}, on which there is no event`);
      }
      try {
        return this.#runTry(op, key);
      } finally {
        if (op.isCompleted) reference.didComplete(key);
      }
    }
    if (frame.kind !== 'check') reference.fail(`${op.label} is tried out of the blue`);
    else {
      const next = frame.members.shift();
      if (next !== op) reference.fail(`check of ${frame.key}: ${op.label} is tried, not ${next?.label}`);
    }
    return this.#runTry(op, key);
  }

  #runTry(op: SlicedOp, key: string): boolean {
    const reference = this.#reference;
    return this.#framed({ kind: 'try', key }, () => {
      this.#tries++;
      this.#advance(reference.failure === undefined ? this.#history.tryMs : 10); // a loop without end yields
      const next = this.#inside[0];
      if (next !== undefined && next.tries-- <= 0) {
        this.#inside.shift();
        this.#do(next.act);
        if (next.act.do === 'throw') throw new Error('planned');
      }
      return op.isReady && op.forceComplete();
    });
  }

  didComplete(op: SlicedOp): void {
    const frame = this.#frames.at(-1);
    const reference = this.#reference;
    if (frame?.kind === 'clock') {
      if (op.dueMs > this.#clock.now()) reference.fail(`${op.label} expires before its deadline`);
      if (frame.lastTried !== op && reference.toCome(op.keys) === 'yes') {
        reference.fail(`${op.label} expires untried, though its event came in time`);
      }
      frame.lastTried = undefined;
    }
    this.#leave(op);
  }

  #leave(op: SlicedOp): void {
    this.#reference.leave(op);
    for (const frame of this.#frames) {
      if (frame.kind === 'check') frame.members = frame.members.filter((other) => other !== op);
    }
  }

  #framed<T>(frame: Frame, run: () => T): T {
    const depth = this.#frames.push(frame);
    try {
      return run();
    } finally {
      this.#frames.length = depth - 1;
    }
  }

  /** Time does not move while deadlines run: a timer runs none inside another. */
  #advance(ms: number): void {
    if (this.#frames.some(({ kind }) => kind === 'clock')) return;
    this.#framed({ kind: 'clock', lastTried: undefined }, () => this.#clock.advance(ms));
  }

  #park(op: SlicedOp): void {
    op.dueMs = this.#clock.now() + op.delayMs;
    const isCompleted = this.#framed({ kind: 'park' }, () =>
      this.#purgatory.tryCompleteElseWatch(op, op.keys),
    );
    if (!isCompleted) this.#reference.park(op);
  }

  #who(index: number): SlicedOp | undefined {
    const { parked } = this.#reference;
    return parked.length === 0 ? undefined : (parked[index % parked.length] as SlicedOp);
  }

  #cancel(op: SlicedOp): void {
    if (!op.cancel()) this.#reference.fail(`${op.label} cannot be cancelled`);
    this.#leave(op);
  }

  #do(act: Act): void {
    const purgatory = this.#purgatory;
    const reference = this.#reference;
    if (purgatory.isClosed) return;
    switch (act.do) {
      case 'park':
        for (let i = 0; i < act.many && reference.parked.length < MAX_PARKED; i++) {
          const op = new SlicedOp(this, `${act.keys.join('')}${this.#made++}`, act.keys, act.delayMs);
          this.#park(op);
          op.isReady = i % act.ready === 0;
        }
        return;
      case 'notify':
        reference.notify(act.key, act.atMost ?? Number.POSITIVE_INFINITY);
        purgatory.notify(act.key, { atMost: act.atMost });
        return;
      case 'check':
        this.#doCheck(act.key, act.atMost);
        return;
      case 'cancelForKey':
        this.#compare(act.key, reference.key(act.key).watchers, purgatory.cancelForKey(act.key));
        return;
      case 'leaveMany':
        for (const [i, op] of reference.parked.entries()) {
          if (i % act.keepEach > 0) this.#cancel(op as SlicedOp);
        }
        return;
      case 'advance':
        this.#advance(act.ms);
        return;
      case 'served': {
        const due = reference.due();
        this.#unserved++;
        void purgatory.served().then(() => {
          this.#unserved--;
          reference.checkServed(due);
        });
        return;
      }
      case 'close': {
        const { parked } = reference;
        const closed = purgatory.close();
        this.#compare('close', parked, closed);
        reference.close();
        return;
      }
      case 'throw':
        return;
    }
    const op = this.#who(act.who);
    if (op === undefined) return;
    if (act.do === 'ready') op.isReady = true;
    else if (act.do === 'force') {
      if (!op.forceComplete()) reference.fail(`${op.label} cannot be forced`);
    } else {
      this.#cancel(op);
      if (act.do === 'parkAgain') this.#park(op);
    }
  }

  #doCheck(key: string, atMost: number | undefined): void {
    const reference = this.#reference;
    if (this.#frames.some((each) => 'key' in each && each.key === key)) {
      reference.notify(key, atMost ?? Number.POSITIVE_INFINITY);
      if (this.#purgatory.checkAndComplete(key, { atMost }) !== 0) reference.fail(`check of ${key} in a try`);
      return;
    }
    const frame: Frame = { kind: 'check', key, members: [...reference.key(key).watchers] };
    const completed = this.#framed(frame, () => this.#purgatory.checkAndComplete(key, { atMost }));
    if (completed < (atMost ?? Number.POSITIVE_INFINITY) && frame.members.length > 0) {
      reference.fail(`check of ${key}: ${frame.members.length} were not tried`);
    }
    if (completed > (atMost ?? completed)) reference.fail(`check of ${key}: ${completed} of ${atMost}`);
  }

  /** What was taken out must be what the reference has. */
  #compare(what: string, expected: readonly Twin[], actual: readonly SlicedOp[]): void {
    const names = (ops: readonly Twin[]): string => ops.map(({ label }) => label).join(' ');
    if (names(expected) !== names(actual)) {
      this.#reference.fail(`${what}: ${names(actual)} left, not ${names(expected)}`);
    }
    for (const op of actual) this.#leave(op);
  }
}
