// The naive twin of the events of a purgatory: it is told what happens, and says what may not.
//
// It does not know how events are sliced, nor in which order keys take turns. For each key it knows
// who is still to be tried in the pass under way, and how many completions are left to the next
// one. The event of a key that nobody watches any more may have been served at any moment since, and
// nobody can see it: such an event is "maybe".

/** What the reference keeps of an operation. */
export interface Twin {
  readonly label: string;
  keys: readonly string[];
}

interface Pass {
  /** Who is still to be tried, in park order. */
  members: Twin[];
  readonly limit: number;
  completed: number;
  isTrying: boolean;
}

class KeyTwin {
  watchers: Twin[] = [];
  /** How many the next pass may complete; 0: there is none. */
  pending = 0;
  isMaybe = false;
  pass: Pass | undefined;
  /** A pass that is over may still be held by the purgatory. */
  mayBeHeld = false;
  /** Nobody knows how many the next pass, or the one under way, may complete. Until all is served. */
  isVague = false;
  ended = 0;
}

/** Whether an event on a key is to come, as far as can be known. */
export type ToCome = 'yes' | 'maybe' | 'no';

export class SlicedReference {
  readonly #keys = new Map<string, KeyTwin>();
  parked: Twin[] = [];
  /** The first thing that was wrong. */
  failure: string | undefined;

  fail(message: string): void {
    this.failure ??= message;
  }

  key(key: string): KeyTwin {
    let twin = this.#keys.get(key);
    if (twin === undefined) {
      twin = new KeyTwin();
      this.#keys.set(key, twin);
    }
    return twin;
  }

  park(op: Twin): void {
    this.parked.push(op);
    for (const key of op.keys) this.key(key).watchers.push(op);
  }

  leave(op: Twin): void {
    this.parked = this.parked.filter((other) => other !== op);
    for (const twin of this.#keys.values()) {
      twin.watchers = twin.watchers.filter((other) => other !== op);
      if (twin.pass === undefined) continue;
      twin.pass.members = twin.pass.members.filter((other) => other !== op);
      this.#endIfOver(twin);
    }
  }

  notify(key: string, limit: number): void {
    const twin = this.key(key);
    const { watchers, pass, pending, isMaybe, mayBeHeld } = twin;
    const isForNobody = watchers.length === 0 && pass === undefined && (pending === 0 || isMaybe);
    if (isForNobody && pending === 0 && !mayBeHeld) return;
    if (isMaybe && limit !== Number.POSITIVE_INFINITY) twin.isVague = true;
    twin.pending += limit;
    twin.isMaybe = isForNobody;
  }

  /** User code has ended, so events may have been served that nobody saw. */
  engineRan(): void {
    for (const twin of this.#keys.values()) {
      if (twin.pending === 0 || twin.watchers.length > 0 || twin.pass?.isTrying) continue;
      if (!twin.isMaybe) twin.ended++;
      twin.isMaybe = true;
    }
  }

  /** An event tries `op`. Returns the pass: `tried` takes it. */
  serve(op: Twin, key: string): Pass | undefined {
    this.engineRan();
    const twin = this.key(key);
    if (twin.isVague) return undefined;
    if (twin.pass === undefined) {
      if (twin.pending === 0) {
        this.fail(`${op.label} is tried for ${key}, on which there is no event`);
        return undefined;
      }
      twin.pass = { members: [...twin.watchers], limit: twin.pending, completed: 0, isTrying: false };
      twin.pending = 0;
      twin.isMaybe = false;
    }
    const { pass } = twin;
    if (pass.isTrying) this.fail(`${key}: two tries of a pass at once`);
    const next = pass.members.shift();
    if (next !== op) this.fail(`${key}: ${op.label} is tried, not ${next?.label ?? 'nobody'}`);
    pass.isTrying = true;
    return pass;
  }

  /** A try of a pass has ended. */
  tried(key: string, pass: Pass, isCompleted: boolean): void {
    pass.isTrying = false;
    if (isCompleted) pass.completed++;
    const twin = this.key(key);
    if (twin.pass === pass) this.#endIfOver(twin);
  }

  #endIfOver(twin: KeyTwin): void {
    const { pass } = twin;
    if (pass === undefined || pass.isTrying) return;
    if (pass.members.length > 0 && (twin.isVague || pass.completed < pass.limit)) return;
    twin.pass = undefined;
    twin.mayBeHeld = true;
    twin.ended++;
  }

  /** Whether an event on one of the keys of `op`, or on `key`, is to come or under way. */
  toCome(keys: readonly string[]): ToCome {
    let isMaybe = false;
    for (const key of keys) {
      const { pass, pending, isMaybe: isGone, mayBeHeld, isVague } = this.key(key);
      const isToCome = pass !== undefined || (pending > 0 && !isGone);
      if (isToCome && !isVague) return 'yes';
      if (isToCome || pending > 0 || mayBeHeld) isMaybe = true;
    }
    return isMaybe ? 'maybe' : 'no';
  }

  /** A deadline has tried an operation for the event on `key`, which has completed it. */
  didComplete(key: string): void {
    const twin = this.key(key);
    const { pass } = twin;
    if (pass !== undefined) {
      pass.completed++;
      // The first part of a pass does not look at whom deadlines complete in its tries.
      if (pass.isTrying && pass.limit !== Number.POSITIVE_INFINITY) twin.isVague = true;
      this.#endIfOver(twin);
    } else if (twin.mayBeHeld && twin.pending !== Number.POSITIVE_INFINITY) {
      twin.isVague = true;
    } else if (twin.pending > 0 && --twin.pending === 0) {
      twin.ended++;
    }
  }

  /** For each key, how many passes must have ended when all of today has been served. */
  due(): Map<string, number> {
    const due = new Map<string, number>();
    for (const [key, { ended, pass, pending, isMaybe, watchers, isVague }] of this.#keys) {
      if (isVague) continue;
      const isToCome = pending > 0 && !isMaybe && watchers.length > 0;
      due.set(key, ended + (pass === undefined ? 0 : 1) + (isToCome ? 1 : 0));
    }
    return due;
  }

  /** `served()` has resolved, for what was due then. */
  checkServed(due: Map<string, number>): void {
    this.engineRan();
    for (const [key, passes] of due) {
      const { ended, isVague } = this.key(key);
      if (!isVague && ended < passes) this.fail(`${key}: served too early, ${ended} of ${passes} passes`);
    }
  }

  /** Nothing is to come any more. */
  checkIdle(): void {
    this.engineRan();
    for (const [key, twin] of this.#keys) {
      if (twin.pass !== undefined && !twin.isVague) {
        this.fail(`${key}: ${twin.pass.members.length} of a pass were never tried`);
      }
      if (twin.pending > 0 && !twin.isMaybe && !twin.isVague) this.fail(`${key}: an event was lost`);
      twin.pass = undefined;
      twin.pending = 0;
      twin.isMaybe = false;
      twin.mayBeHeld = false;
      twin.isVague = false;
    }
  }

  close(): void {
    for (const twin of this.#keys.values()) {
      if (twin.pass !== undefined) twin.pass.members = [];
      twin.pass = undefined;
      twin.pending = 0;
      twin.watchers = [];
      twin.ended = Number.POSITIVE_INFINITY;
    }
    this.parked = [];
  }
}
