import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { ManualClock, PurgatoryError, SystemTimer } from '../../../src/index.ts';
import { Replies, type RepliesOptions } from '../../../src/waits/replies/index.ts';
import { refuses, rejects } from '../../support/refusals.ts';
import { rejection } from '../../support/rejection.ts';
import { unhandledDuring } from '../../support/unhandled.ts';

interface Desk {
  readonly clock: ManualClock;
  readonly timer: SystemTimer;
  readonly replies: Replies<unknown, string>;
}

function desk(options: RepliesOptions = {}, name = 'replies'): Desk {
  const clock = new ManualClock();
  const timer = new SystemTimer({ clock });
  return { clock, timer, replies: new Replies(name, { timer, ...options }) };
}

const SOON = { timeoutMs: 100 };
const NEVER = { timeoutMs: Number.POSITIVE_INFINITY };

describe('Replies', () => {
  it('reject at the deadline, and never before, with ERR_PURGATORY_TIMEOUT and the id', async () => {
    const { clock, replies } = desk();
    const rejected = rejection(replies.expect('order-7', SOON));
    clock.advance(99.9);
    expect(replies.size).to.equal(1);
    clock.advance(0.1);
    expect(replies.size).to.equal(0);
    const error = (await rejected) as PurgatoryError;
    expect(error).to.be.instanceOf(PurgatoryError);
    expect([error.code, error.message]).to.deep.equal([
      'ERR_PURGATORY_TIMEOUT',
      'No reply of "replies" to order-7 within 100 ms',
    ]);
  });

  it('refuse an id that is expected, which goes on being expected, and take it again afterwards', async () => {
    const { timer, replies } = desk();
    const first = replies.expect(7, SOON);
    const error = (await rejection(replies.expect(7, SOON))) as PurgatoryError;
    expect([error.code, error.message]).to.deep.equal([
      'ERR_PURGATORY_ALREADY_EXPECTED',
      'A reply to 7 is expected already: give each request an id of its own',
    ]);
    expect([replies.size, timer.size]).to.deep.equal([1, 1]);
    replies.resolve(7, 'first');
    const second = replies.expect(7, SOON);
    replies.resolve(7, 'second');
    expect([await first, await second]).to.deep.equal(['first', 'second']);
  });

  it('refuse options of a wrong type', () => {
    for (const [options, name] of [
      [7, '"options"'],
      [{ maxParked: '3' }, '"options.maxParked"'],
    ]) {
      refuses(() => new Replies('replies', options as never), 'ERR_INVALID_ARG_TYPE', name as string);
    }
  });
});

describe('rejectAll', () => {
  it('rejects all that is expected with one error, and says how many that were', async () => {
    const { timer, replies } = desk();
    const rejected = [1, 2, 3].map((id) => rejection(replies.expect(id, id === 3 ? NEVER : SOON)));
    expect([replies.rejectAll('lost'), replies.rejectAll('lost')]).to.deep.equal([3, 0]);
    expect([replies.size, timer.size, ...(await Promise.all(rejected))]).to.eql([
      0,
      0,
      'lost',
      'lost',
      'lost',
    ]);
  });
});

describe('A call', () => {
  it('sends when the reply is expected, and resolves with it, also before `send` has ended', async () => {
    const { replies } = desk();
    let end = (): void => {};
    const sent = new Promise<void>((resolve) => {
      end = resolve;
    });
    expect(await replies.call(1, SOON, () => replies.resolve(1, 'in the call'))).to.equal('in the call');
    const early = replies.call(2, SOON, () => sent);
    replies.resolve(2, 'while it sends');
    expect(await early).to.equal('while it sends');
    end();
    expect(replies.size).to.equal(0);
  });

  for (const [how, send] of [
    ['throws', () => fail()],
    ['rejects with', async () => fail()],
    ['rejects later with', () => new Promise((_, reject) => setImmediate(reject, new Error('not sent')))],
  ] as const) {
    it(`fails with what send ${how}: nothing is expected, and nothing is unhandled at the deadline`, async () => {
      const unhandled = await unhandledDuring(async () => {
        const { clock, timer, replies } = desk();
        const { signal } = new AbortController();
        const error = (await rejection(replies.call(1, { ...SOON, signal }, send))) as Error;
        expect(error.message).to.equal('not sent');
        expect([replies.size, timer.size, getEventListeners(signal, 'abort').length]).to.eql([0, 0, 0]);
        clock.advance(100);
        expect(replies.snapshot().totals).to.include({ rejected: 1, expired: 0 });
      });
      expect(unhandled).to.deep.equal([]);
    });
  }

  it('keeps its own end when send fails after it, also when the id is expected again', async () => {
    const unhandled = await unhandledDuring(async () => {
      const { clock, replies } = desk();
      let failSend = (_: Error): void => {};
      const first = replies.call(1, SOON, () => new Promise((_, reject) => (failSend = reject)));
      const expired = rejection(first);
      clock.advance(100);
      const second = replies.expect(1, SOON);
      failSend(new Error('not sent'));
      expect(await expired).to.have.property('code', 'ERR_PURGATORY_TIMEOUT');
      await new Promise(setImmediate);
      replies.resolve(1, 'the second');
      expect(await second).to.equal('the second');
    });
    expect(unhandled).to.deep.equal([]);
  });

  it('does not send what is not expected', async () => {
    const { replies } = desk({ maxParked: 1 });
    const first = replies.expect(1, SOON);
    let sent = 0;
    const send = (): number => sent++;
    const aborted = { ...SOON, signal: AbortSignal.abort('gone') };
    await rejects(replies.call(1, SOON, send), 'ERR_PURGATORY_ALREADY_EXPECTED');
    await rejects(replies.call(2, SOON, send), 'ERR_PURGATORY_FULL');
    expect(await rejection(replies.call(1, aborted, send))).to.equal('gone');
    await rejects(replies.call(2, SOON, 7 as never), 'ERR_INVALID_ARG_TYPE');
    replies.resolve(1, 'one');
    await first;
    replies.close();
    await rejects(replies.call(2, SOON, send), 'ERR_PURGATORY_CLOSED');
    expect(sent).to.equal(0);
  });
});

function fail(): never {
  throw new Error('not sent');
}

describe('A reply that is refreshed', () => {
  it('gets the deadline anew, from then on: longer, shorter, none, and one again', async () => {
    const { clock, timer, replies } = desk();
    const rejected = rejection(replies.expect(1, SOON));
    for (const [timeoutMs, ms, tasks] of [
      [100, 99, 1],
      [500, 499, 1],
      [50, 49, 1],
      [Infinity, 1e9, 0],
      [50, 49, 1],
    ]) {
      expect(replies.refresh(1, timeoutMs)).to.equal(true);
      expect([timer.size, replies.snapshot().endless.parked]).to.deep.equal([tasks, 1 - tasks]);
      clock.advance(ms);
      expect(replies.size).to.equal(1);
    }
    clock.advance(1);
    expect(await rejected).to.include({
      code: 'ERR_PURGATORY_TIMEOUT',
      message: 'No reply of "replies" to 1 within 50 ms',
    });
    expect(replies.refresh(1, 100)).to.equal(false);
    expect([replies.size, timer.size]).to.deep.equal([0, 0]);
  });

  it('is as it was when that is refused', async () => {
    const clock = new ManualClock();
    const timer = new SystemTimer({ clock, maxPending: 1 });
    const replies = new Replies<number, string>('replies', { timer });
    const bounded = rejection(replies.expect(1, SOON));
    const endless = replies.expect(2, NEVER);
    refuses(() => replies.refresh(1, Number.NaN), 'ERR_OUT_OF_RANGE');
    refuses(() => replies.refresh(3, '5' as never), 'ERR_INVALID_ARG_TYPE');
    refuses(() => replies.refresh(2, 50), 'ERR_PURGATORY_FULL');
    expect(replies.snapshot().oldest.map(({ deadlineMs }) => deadlineMs)).to.deep.equal([100, null]);
    clock.advance(100);
    expect(await bounded).to.have.property('code', 'ERR_PURGATORY_TIMEOUT');
    replies.resolve(2, 'two');
    expect([await endless, replies.snapshot().endless.parked]).to.deep.equal(['two', 0]);
  });
});

describe('The snapshot of replies', () => {
  it('says what is expected, the oldest first, how replies ended, and what was refused', async () => {
    const { clock, replies } = desk({ maxParked: 3 }, 'backend');
    const controller = new AbortController();
    const options = { ...SOON, signal: controller.signal };
    const answered = replies.expect(1, options);
    const ends = [2, 3].map((id) => rejection(replies.expect(id, options)));
    ends.push(rejection(replies.expect(4, SOON)));
    replies.resolve(1, 'one');
    await answered;
    replies.reject(2, 'two');
    controller.abort();
    ends.push(rejection(replies.expect('old', { timeoutMs: 5, label: 'GET /orders' })));
    clock.advance(5);
    const since = clock.now();
    ends.push(rejection(replies.expect('first', { timeoutMs: 100, label: 'GET /orders' })));
    clock.advance(10);
    ends.push(rejection(replies.expect({ id: 'second' }, NEVER)));
    replies.refresh('first', 300);
    clock.advance(20);
    expect(replies.snapshot()).to.deep.equal({
      name: 'backend',
      nowMs: since + 30,
      expected: 2,
      maxParked: 3,
      maxPending: 3,
      totals: { expected: 6, resolved: 1, rejected: 1, expired: 1, cancelled: 1 },
      refused: { ERR_PURGATORY_FULL: 1 },
      endless: { parked: 1 },
      oldestMs: 30,
      oldest: [
        { id: 'first', ageMs: 30, deadlineMs: since + 310, label: 'GET /orders' },
        { id: '[Object]', ageMs: 20, deadlineMs: null },
      ],
    });
    expect(replies.snapshot({ top: 1 }).oldest).to.have.length(1);
    expect(replies.snapshot({ top: 0 }).oldest).to.deep.equal([]);
    refuses(() => replies.snapshot({ top: 101 }), 'ERR_OUT_OF_RANGE');
    expect(replies.isClosed).to.equal(false);
    replies.close();
    expect(replies.isClosed).to.equal(true);
    const { expected, maxParked } = new Replies('replies').snapshot();
    expect([expected, maxParked]).to.deep.equal([0, null]);
    const messages = (await Promise.all(ends)).map((error) => String(error));
    expect(messages).to.include(
      'PurgatoryError [ERR_PURGATORY_TIMEOUT]: No reply of "backend" to old ("GET /orders") within 5 ms',
    );
    expect(messages).to.include('PurgatoryError [ERR_PURGATORY_CLOSED]: Replies "backend" is closed');
  });
});

describe('A reply that is expected with a signal', () => {
  it('is not sent for when the signal aborts inside its own addEventListener', async () => {
    const { timer, replies } = desk();
    const controller = new AbortController();
    const { signal } = controller;
    signal.addEventListener = () => controller.abort('from inside');
    let sent = 0;
    const reply = replies.call(1, { ...SOON, signal }, () => sent++);
    expect(await rejection(reply)).to.equal('from inside');
    expect([sent, replies.size, timer.size]).to.deep.equal([0, 0, 0]);
  });
});

describe('The close of replies', () => {
  it('of a timer that is shared rejects what stands in it, and the timer returns none of it', async () => {
    const timer = new SystemTimer({ clock: new ManualClock() });
    const replies = new Replies<number, string>('replies', { timer });
    const { signal } = new AbortController();
    const rejected = rejection(replies.expect(1, { ...SOON, signal }));
    expect(timer.close()).to.deep.equal([]);
    expect([replies.size, getEventListeners(signal, 'abort').length]).to.deep.equal([0, 0]);
    expect(await rejected).to.include({
      code: 'ERR_PURGATORY_CLOSED',
      message: 'The timer of Replies "replies" is closed',
    });
  });
});
