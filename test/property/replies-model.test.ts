// Replies against a reference that keeps a plain list and scans all of it.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { deeplySame, same } from '../support/same.ts';
import { microtasks, turn } from '../support/turns.ts';
import { mixed } from './draw.ts';
import { runs } from './runs.ts';

const MAX_PARKED = 4;
const ALL = (): boolean => true;

interface Awaited {
  readonly id: number;
  readonly label: string;
  deadlineMs: number;
  readonly group: number;
}

/** The reference. What it logs is how each promise settles. */
class NaiveReplies {
  expected: Awaited[] = [];
  readonly settled = new Map<string, string>();
  readonly aborted = new Set<number>();
  nowMs = 0;
  isClosed = false;

  expect(awaited: Awaited): void {
    const refusal = this.isClosed
      ? 'ERR_PURGATORY_CLOSED'
      : this.aborted.has(awaited.group)
        ? `abort ${awaited.group}`
        : this.expected.some(({ id }) => id === awaited.id)
          ? 'ERR_PURGATORY_ALREADY_EXPECTED'
          : this.expected.length >= MAX_PARKED
            ? 'ERR_PURGATORY_FULL'
            : undefined;
    if (refusal === undefined) this.expected.push(awaited);
    else this.settled.set(awaited.label, refusal);
  }

  end(which: (awaited: Awaited) => boolean, how: string): number {
    const ended = this.expected.filter(which);
    this.expected = this.expected.filter((awaited) => !which(awaited));
    for (const { label } of ended) this.settled.set(label, how);
    return ended.length;
  }
}

const WEIGHTS = {
  expect: 8,
  call: 3,
  refresh: 3,
  resolve: 4,
  tick: 4,
  reject: 2,
  abort: 1,
  renew: 2,
  rejectAll: 1,
  close: 1,
};

type What = keyof typeof WEIGHTS;

const what = mixed(
  ...Object.entries(WEIGHTS).map(([name, weight]) => [weight, fc.constant(name as What)] as const),
);

/** Each act reads what it needs. */
const step = fc.record({
  what,
  id: fc.nat({ max: 5 }),
  group: fc.nat({ max: 2 }),
  timeoutMs: fc.oneof(fc.integer({ min: -1, max: 30 }), fc.constant(Number.POSITIVE_INFINITY)),
  ms: fc.nat({ max: 12 }),
  /** What `send` of a call does: nothing, throws, rejects, or answers in the call. */
  send: fc.constantFrom('sends', 'throws', 'rejects', 'is answered'),
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Plays the same on both. */
class Both {
  readonly naive = new NaiveReplies();
  readonly clock = new ManualClock();
  readonly timer = new SystemTimer({ clock: this.clock });
  readonly replies = new Replies<number, string>('replies', { timer: this.timer, maxParked: MAX_PARKED });
  readonly settled = new Map<string, string>();
  readonly controllers = [0, 1, 2].map(() => new AbortController());
  #labels = 0;

  async play(step: Step): Promise<void> {
    const { naive, replies, controllers } = this;
    const { id, group, timeoutMs } = step;
    const ofId = (awaited: Awaited): boolean => awaited.id === id;
    const deadlineMs = naive.nowMs + Math.max(timeoutMs, 0);
    switch (step.what) {
      case 'expect':
        this.#follow(
          this.#expected({ id, deadlineMs, group }),
          replies.expect(id, { timeoutMs, signal: controllers[group].signal }),
        );
        break;
      case 'call':
        await this.#call(step);
        break;
      case 'refresh': {
        const awaited = naive.expected.find(ofId);
        same(replies.refresh(id, timeoutMs), awaited !== undefined);
        if (awaited !== undefined) awaited.deadlineMs = deadlineMs;
        break;
      }
      case 'resolve':
        same(replies.resolve(id, 'value'), naive.end(ofId, 'value') === 1);
        break;
      case 'reject':
        same(replies.reject(id, 'error'), naive.end(ofId, 'error') === 1);
        break;
      case 'rejectAll':
        same(replies.rejectAll('lost'), naive.end(ALL, 'lost'));
        break;
      case 'abort':
        naive.aborted.add(group);
        controllers[group].abort(`abort ${group}`);
        naive.end((each) => each.group === group, `abort ${group}`);
        break;
      case 'renew':
        if (naive.aborted.delete(group)) controllers[group] = new AbortController();
        break;
      case 'tick':
        this.clock.advance(step.ms);
        naive.nowMs += step.ms;
        naive.end((each) => each.deadlineMs <= naive.nowMs, 'ERR_PURGATORY_TIMEOUT');
        break;
      case 'close':
        replies.close();
        naive.isClosed = true;
        naive.end(ALL, 'ERR_PURGATORY_CLOSED');
    }
  }

  /** Returns its label. */
  #expected(awaited: Omit<Awaited, 'label'>): string {
    const label = `${this.#labels++}`;
    this.naive.expect({ ...awaited, label });
    return label;
  }

  #follow(label: string, reply: Promise<string>): void {
    reply.then(
      (value) => this.settled.set(label, value),
      (error) => this.settled.set(label, error.code ?? String(error)),
    );
  }

  async #call({ id, group, send }: Step): Promise<void> {
    const { naive, replies } = this;
    const label = this.#expected({ id, deadlineMs: naive.nowMs + 10, group });
    const isSent = !naive.settled.has(label);
    let wasSent = false;
    const act = (): unknown => {
      wasSent = true;
      if (send === 'throws') throw 'not sent';
      if (send === 'rejects') return Promise.reject('not sent');
      return send === 'is answered' ? replies.resolve(id, 'value') : undefined;
    };
    this.#follow(label, replies.call(id, { timeoutMs: 10, signal: this.controllers[group].signal }, act));
    same(wasSent, isSent);
    if (send === 'sends') return;
    if (send === 'rejects') await microtasks();
    naive.end((each) => each.label === label, send === 'is answered' ? 'value' : 'not sent');
  }

  check(): void {
    const { naive, replies, timer } = this;
    const { expected } = naive;
    same(replies.size, expected.length);
    same(timer.size, expected.filter(({ deadlineMs }) => deadlineMs < Number.POSITIVE_INFINITY).length);
    checkTimerInvariants(timer);
    const { totals, oldest, endless } = replies.snapshot({ top: 100 });
    same(endless.parked, expected.length - timer.size);
    deeplySame(
      oldest.map(({ id, deadlineMs }) => [id, deadlineMs ?? Number.POSITIVE_INFINITY]),
      expected.map(({ id, deadlineMs }) => [String(id), deadlineMs]),
    );
    const ended = totals.resolved + totals.rejected + totals.expired + totals.cancelled;
    same(totals.expected - ended, expected.length);
    const timeouts = [...naive.settled.values()].filter((how) => how === 'ERR_PURGATORY_TIMEOUT');
    same(totals.expired, timeouts.length);
    for (const [group, { signal }] of this.controllers.entries()) {
      const isWatched = expected.some((awaited) => awaited.group === group);
      same(getEventListeners(signal, 'abort').length, isWatched ? 1 : 0);
    }
  }
}

describe('Property: Replies behave as a plain list', function () {
  this.timeout(0);

  it('whatever replies, deadlines, aborts and closes meet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const both = new Both();
        for (const each of steps) {
          await both.play(each);
          both.check();
        }
        await turn();
        const byLabel = (map: Map<string, string>): object => Object.fromEntries([...map].sort());
        deeplySame(byLabel(both.settled), byLabel(both.naive.settled));
      }),
      runs(300),
    );
  });
});
