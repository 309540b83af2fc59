import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { ManualClock, Purgatory, type WaitOptions } from '../../src/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { refuses } from '../support/refusals.ts';
import { rejection } from '../support/rejection.ts';
import { manual } from '../support/task.ts';
import { microtasks, turn } from '../support/turns.ts';
import { unhandledDuring } from '../support/unhandled.ts';

const NEVER = { timeoutMs: Number.POSITIVE_INFINITY };

/** A log, whose followers each have a position of their own. */
function setUp() {
  const { clock, timer } = manual();
  const polls = new Purgatory('polls', { timer });
  const log: string[] = [];
  const follow = (options: WaitOptions) => {
    let next = 0;
    return polls.follow(['log'], () => (next < log.length ? log[next++] : undefined), options);
  };
  const append = (...entries: string[]): void => {
    log.push(...entries);
    polls.notify('log');
  };
  return { clock, timer, polls, follow, append };
}

const answer = (value: string) => ({ done: false, value: { expired: false, value } });
const END = { done: true, value: undefined };

describe('follow of a Purgatory', () => {
  it('gives each answer, and misses none that comes between two (behaviour 38)', async () => {
    const { polls, follow, append } = setUp();
    const follower = follow(NEVER);
    append('before');
    expect(await follower.next()).to.deep.equal(answer('before'));
    append('a', 'b');
    await turn();
    append('c');
    expect(polls.numDelayed).to.equal(0); // nobody asks
    for (const each of ['a', 'b', 'c']) expect(await follower.next()).to.deep.equal(answer(each));
    const next = follower.next();
    await turn();
    expect(polls.numDelayed).to.equal(1);
    append('d');
    expect(await next).to.deep.equal(answer('d'));
    await follower.return();
  });

  it('gives expired after each timeoutMs without an answer, and goes on', async () => {
    const { clock, follow, append } = setUp();
    const seen: unknown[] = [];
    append('first');
    for await (const { expired, value } of follow({ timeoutMs: 100 })) {
      seen.push(expired ? `silent at ${clock.now()}` : value);
      if (seen.length === 5) break;
      void turn().then(() => (seen.length === 3 ? append('news') : clock.advance(100)));
    }
    expect(seen).to.deep.equal(['first', 'silent at 100', 'silent at 200', 'news', 'silent at 300']);
  });

  it('ends its wait at once by return, without an error, though the deadline is far (behaviour 38)', async () => {
    const { timer, polls, follow } = setUp();
    const follower = follow({ timeoutMs: 60_000 });
    const next = follower.next();
    await turn();
    expect([polls.numDelayed, timer.size]).to.deep.equal([1, 1]);
    const ended = follower.return();
    expect([polls.numDelayed, timer.size]).to.deep.equal([0, 0]);
    expect(await Promise.all([next, ended, follower.next()])).to.deep.equal([END, END, END]);
  });

  it('rejects its `throw` at once, where a wait is pending, and unparks that', async () => {
    const { polls, follow } = setUp();
    const follower = follow(NEVER);
    const next = follower.next();
    await turn();
    const failure = new Error('of its caller');
    expect(await rejection(follower.throw(failure))).to.equal(failure);
    expect(await next).to.deep.equal(END);
    expect(polls.numDelayed).to.equal(0);
  });

  it('ends it at once by an abort, with the reason, and leaves no listener behind (behaviour 38)', async () => {
    const { polls, follow } = setUp();
    const controller = new AbortController();
    const { signal } = controller;
    const ends = await unhandledDuring(async () => {
      const follower = follow({ ...NEVER, signal });
      const next = rejection(follower.next());
      await turn();
      expect([polls.numDelayed, getEventListeners(signal, 'abort').length]).to.deep.equal([1, 1]);
      controller.abort('gone');
      expect([polls.numDelayed, getEventListeners(signal, 'abort').length]).to.deep.equal([0, 0]);
      expect([await next, await follower.next()]).to.deep.equal(['gone', END]);
      expect(await rejection(follow({ ...NEVER, signal }).next())).to.equal('gone');
    });
    expect(ends).to.deep.equal([]);
  });

  for (const [how, end] of [
    ['break', (): 'break' => 'break'],
    ['a throw of the loop', () => expect.fail('of the loop')],
  ] as const) {
    it(`leaves nothing behind after ${how}`, async () => {
      const { timer, polls, follow, append } = setUp();
      const { signal } = new AbortController();
      append('a', 'b');
      const loop = async (): Promise<void> => {
        for await (const _ of follow({ timeoutMs: 100, signal })) if (end() === 'break') break;
      };
      await loop().catch(({ message }) => expect(message).to.equal('of the loop'));
      const left = [polls.numDelayed, timer.size, getEventListeners(signal, 'abort').length];
      expect(left).to.deep.equal([0, 0, 0]);
    });
  }

  it('rejects when the purgatory is closed, and when the condition throws', async () => {
    const { polls, follow } = setUp();
    const closed = rejection(follow(NEVER).next());
    await turn();
    polls.close();
    expect(await closed).to.have.property('code', 'ERR_PURGATORY_CLOSED');
    const other = new Purgatory('other');
    const condition = (): never => {
      throw new Error('no store');
    };
    const follower = other.follow(['k'], condition, NEVER);
    expect(await rejection(follower.next())).to.have.property('message', 'no store');
    expect(await follower.next()).to.deep.equal(END);
    other.close();
  });

  it('lets others have their turn while a follower catches up', async () => {
    const { follow, append } = setUp();
    append(...Array.from({ length: 10_000 }, (_, i) => `${i}`));
    let turns = 0;
    let isOver = false;
    const others = (): void => {
      turns++;
      if (!isOver) setImmediate(others);
    };
    setImmediate(others);
    let seen = 0;
    for await (const _ of follow(NEVER)) if (++seen === 10_000) break;
    isOver = true;
    expect(turns).to.be.at.least(100);
  });

  it('copies its keys', () => {
    const polls = new Purgatory('polls');
    const keys = ['k'];
    const follower = polls.follow(keys, () => undefined, NEVER);
    keys[0] = 'other';
    void follower.next();
    expect([polls.watchersOf('k'), polls.watchersOf('other')]).to.deep.equal([1, 0]);
    void follower.return();
    polls.close();
  });
});

describe('follow of Queues', () => {
  it('takes item after item, and says when there was none for timeoutMs', async () => {
    const clock = new ManualClock();
    const jobs = new Queues<number>('jobs', { clock });
    jobs.putAll('a', [1, 2]);
    const worker = jobs.follow(['a', 'b'], { timeoutMs: 100 });
    const next = async () => (await worker.next()).value;
    expect(await next()).to.deep.equal({ expired: false, key: 'a', value: 1 });
    expect(jobs.size).to.equal(1); // it takes when it is asked
    expect(await next()).to.deep.equal({ expired: false, key: 'a', value: 2 });
    const silent = next();
    await microtasks();
    clock.advance(100);
    expect(await silent).to.deep.equal({ expired: true });
    const third = next();
    await microtasks();
    jobs.put('b', 3);
    expect(await third).to.deep.equal({ expired: false, key: 'b', value: 3 });
    const last = next();
    await microtasks();
    const ended = worker.return();
    expect(jobs.numDelayed).to.equal(0);
    expect([await last, (await ended).done]).to.deep.equal([undefined, true]);
    jobs.close();
  });

  it('puts an item back that was handed over when nobody asked any more (behaviour 38)', async () => {
    const jobs = new Queues<number>('jobs');
    const worker = jobs.follow(['a'], NEVER);
    const next = worker.next();
    await microtasks();
    expect(jobs.put('a', 1)).to.equal(true);
    jobs.put('a', 2);
    const ended = worker.return();
    expect([await next, await ended]).to.deep.equal([END, END]);
    expect(jobs.clear('a')).to.deep.equal([1, 2]);
    jobs.close();
  });

  it('refuses bad arguments in the call', () => {
    const jobs = new Queues<number>('jobs');
    refuses(() => jobs.follow([], NEVER), 'ERR_INVALID_ARG_VALUE');
    refuses(() => jobs.follow(['a'], {} as never), 'ERR_INVALID_ARG_TYPE');
    jobs.close();
  });
});
