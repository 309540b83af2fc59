// Replies against a reference that keeps a plain list and scans all of it.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { ManualClock, SystemTimer } from '../../src/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { deeplySame, same } from '../support/same.ts';
import { runs } from './runs.ts';

const MAX_PARKED = 4;

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

interface Both {
  readonly naive: NaiveReplies;
  readonly replies: Replies<number, string>;
  readonly clock: ManualClock;
  readonly settled: Map<string, string>;
  readonly controllers: AbortController[];
  labels: number;
  /** Calls whose `send` has rejected, which is not known yet. */
  unsent: string[];
}

type Step = (both: Both) => void;

const id = fc.nat({ max: 5 });
const group = fc.nat({ max: 2 });

const expectStep = fc
  .record({ id, group, timeoutMs: fc.oneof(fc.integer({ min: -1, max: 30 }), fc.constant(Infinity)) })
  .map(
    ({ id, group, timeoutMs }): Step =>
      (both) => {
        const { naive, replies, settled, controllers } = both;
        const label = `${both.labels++}`;
        const deadlineMs = naive.nowMs + Math.max(timeoutMs, 0);
        naive.expect({ id, label, deadlineMs, group });
        replies.expect(id, { timeoutMs, signal: controllers[group].signal }).then(
          (value) => settled.set(label, value),
          (error) => settled.set(label, error.code ?? String(error)),
        );
      },
  );
/** What `send` does: nothing, throws, rejects, or answers in the call. */
const callStep = fc
  .record({ id, group, send: fc.constantFrom('sends', 'throws', 'rejects', 'is answered') })
  .map(
    ({ id, group, send }): Step =>
      (both) => {
        const { naive, replies, settled, controllers } = both;
        const label = `${both.labels++}`;
        naive.expect({ id, label, deadlineMs: naive.nowMs + 10, group });
        const isSent = !naive.settled.has(label);
        let wasSent = false;
        const act = (): unknown => {
          wasSent = true;
          if (send === 'throws') throw 'not sent';
          if (send === 'rejects') return Promise.reject('not sent');
          return send === 'is answered' ? replies.resolve(id, 'value') : undefined;
        };
        replies.call(id, { timeoutMs: 10, signal: controllers[group].signal }, act).then(
          (value) => settled.set(label, value),
          (error) => settled.set(label, error.code ?? String(error)),
        );
        same(wasSent, isSent);
        if (send === 'throws') naive.end((each) => each.label === label, 'not sent');
        if (send === 'is answered') naive.end((each) => each.label === label, 'value');
        // Its promise rejects in a microtask: only if nothing has ended it by then.
        if (send === 'rejects') both.unsent.push(label);
      },
  );
const refreshStep = fc
  .record({ id, timeoutMs: fc.oneof(fc.integer({ min: -1, max: 30 }), fc.constant(Infinity)) })
  .map(
    ({ id, timeoutMs }): Step =>
      ({ naive, replies }) => {
        const awaited = naive.expected.find((each) => each.id === id);
        same(replies.refresh(id, timeoutMs), awaited !== undefined);
        if (awaited !== undefined) awaited.deadlineMs = naive.nowMs + Math.max(timeoutMs, 0);
      },
  );
const resolveStep = id.map(
  (id): Step =>
    ({ naive, replies }) => {
      same(replies.resolve(id, 'value'), naive.end((each) => each.id === id, 'value') === 1);
    },
);
const rejectStep = id.map(
  (id): Step =>
    ({ naive, replies }) => {
      same(replies.reject(id, 'error'), naive.end((each) => each.id === id, 'error') === 1);
    },
);
const rejectAllStep = fc.constant<Step>(({ naive, replies }) => {
  same(
    replies.rejectAll('lost'),
    naive.end(() => true, 'lost'),
  );
});
const abortStep = group.map(
  (group): Step =>
    ({ naive, controllers }) => {
      naive.aborted.add(group);
      controllers[group].abort(`abort ${group}`);
      naive.end((each) => each.group === group, `abort ${group}`);
    },
);
const renewStep = group.map(
  (group): Step =>
    ({ naive, controllers }) => {
      if (naive.aborted.delete(group)) controllers[group] = new AbortController();
    },
);
const tickStep = fc.nat({ max: 12 }).map(
  (ms): Step =>
    ({ naive, clock }) => {
      clock.advance(ms);
      naive.nowMs += ms;
      naive.end(({ deadlineMs }) => deadlineMs <= naive.nowMs, 'ERR_PURGATORY_TIMEOUT');
    },
);
const closeStep = fc.constant<Step>(({ naive, replies }) => {
  replies.close();
  naive.isClosed = true;
  naive.end(() => true, 'ERR_PURGATORY_CLOSED');
});

const step = fc.oneof(
  { arbitrary: expectStep, weight: 8 },
  { arbitrary: callStep, weight: 3 },
  { arbitrary: refreshStep, weight: 3 },
  { arbitrary: resolveStep, weight: 4 },
  { arbitrary: tickStep, weight: 4 },
  { arbitrary: rejectStep, weight: 2 },
  { arbitrary: abortStep, weight: 1 },
  { arbitrary: renewStep, weight: 2 },
  { arbitrary: rejectAllStep, weight: 1 },
  { arbitrary: closeStep, weight: 1 },
);

describe('Property: Replies behave as a plain list', function () {
  this.timeout(0);

  it('whatever replies, deadlines, aborts and closes meet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new ManualClock();
        const timer = new SystemTimer({ clock });
        const replies = new Replies<number, string>('replies', { timer, maxParked: MAX_PARKED });
        const controllers = [0, 1, 2].map(() => new AbortController());
        const both: Both = {
          naive: new NaiveReplies(),
          replies,
          clock,
          settled: new Map(),
          controllers,
          labels: 0,
          unsent: [],
        };
        for (const each of steps) {
          each(both);
          if (both.unsent.length > 0) {
            await Promise.resolve();
            await Promise.resolve();
            const unsent = both.unsent.splice(0);
            both.naive.end(({ label }) => unsent.includes(label), 'not sent');
          }
          const { expected, settled } = both.naive;
          same(replies.size, expected.length);
          same(timer.size, expected.filter(({ deadlineMs }) => deadlineMs < Infinity).length);
          checkTimerInvariants(timer);
          const { totals, oldest, endless } = replies.snapshot({ top: 100 });
          same(endless.parked, expected.length - timer.size);
          deeplySame(
            oldest.map(({ id, deadlineMs }) => [id, deadlineMs ?? Infinity]),
            expected.map(({ id, deadlineMs }) => [String(id), deadlineMs]),
          );
          same(
            totals.expected - totals.resolved - totals.rejected - totals.expired - totals.cancelled,
            expected.length,
          );
          const timeouts = [...settled.values()].filter((how) => how === 'ERR_PURGATORY_TIMEOUT');
          same(totals.expired, timeouts.length);
          for (const [group, { signal }] of controllers.entries()) {
            const isWatched = expected.some((awaited) => awaited.group === group);
            same(getEventListeners(signal, 'abort').length, isWatched ? 1 : 0);
          }
        }
        await new Promise(setImmediate);
        const byLabel = (map: Map<string, string>): object => Object.fromEntries([...map].sort());
        deeplySame(byLabel(both.settled), byLabel(both.naive.settled));
      }),
      runs(300),
    );
  });
});
