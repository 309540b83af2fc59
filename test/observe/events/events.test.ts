import { channel } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { SystemTimer } from '../../../src/index.ts';
import { listen, type PurgatoryEvents } from '../../../src/observe/events/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { hall, type Op } from '../../support/op.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { bench } from '../../support/task.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';

const NAMES = [
  'purgatory:operation:parked',
  'purgatory:operation:tried',
  'purgatory:operation:completed',
  'purgatory:operation:expired',
  'purgatory:operation:cancelled',
  'purgatory:operation:rejected',
  'purgatory:operation:error',
  'purgatory:task:run',
  'purgatory:task:error',
  'purgatory:wheel:cascaded',
  'purgatory:reaper:sliced',
  'purgatory:pass:sliced',
] as const satisfies (keyof PurgatoryEvents)[];

describe('The events', () => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** The events from now on, on the channels of `names`, in order. */
  function told<N extends keyof PurgatoryEvents>(...names: N[]): [name: N, event: PurgatoryEvents[N]][] {
    const events: [N, PurgatoryEvents[N]][] = [];
    for (const name of names) stops.push(listen(name, (event) => events.push([name, event])));
    return events;
  }

  /** The last part of each name, with the label of the operation. */
  function lines(events: [string, object][]): string[] {
    return events.map(
      ([name, event]) => `${name.split(':')[2]} ${(event as { operation: Op }).operation.label}`,
    );
  }

  const operations = NAMES.filter((name) => name.startsWith('purgatory:operation:'));

  it('tell the life of an operation that an event completes, and nothing of one that its first try completes', () => {
    const { purgatory, park } = hall();
    const events = told(...operations);
    park('first', ['k'], { ready: true });
    const a = park('a', ['k', 'l']);
    purgatory.checkAndComplete('k');
    a.ready = true;
    purgatory.checkAndComplete('l');
    expect(lines(events)).to.deep.equal(['parked a', 'tried a', 'tried a', 'completed a']);
    const [parked, byEvent] = events.map(([, event]) => event);
    expect(parked).to.deep.equal({ purgatory, operation: a, watches: ['k', 'l'] });
    expect(byEvent).to.deep.equal({ purgatory, operation: a, key: 'k' });
  });

  for (const names of [['alone'], ['a', 'b']]) {
    it(`tell of each try by an event on a key with ${names.length} of its watchers`, () => {
      const { purgatory, park } = hall();
      const ops = names.map((name) => park(name, ['k']));
      const events = told('purgatory:operation:tried');
      purgatory.checkAndComplete('k');
      const tries = ops.map((operation) => ({ purgatory, operation, key: 'k' }));
      expect(events.map(([, event]) => event)).to.deep.equal(tries);
    });
  }

  it('tell how long an operation was parked, before any of its user code runs', () => {
    const { clock, park, log } = hall();
    const a = park('a', ['k'], { delayMs: 1_000 });
    const events = told('purgatory:operation:completed');
    stops.push(listen('purgatory:operation:completed', () => log.push('told')));
    clock.advance(250);
    a.forceComplete();
    expect(events[0][1]).to.include({ operation: a, parkedMs: 250 });
    expect(log).to.deep.equal(['told', 'complete a']);
  });

  it('tell an expiry as such and not as a completion', () => {
    const { clock, park } = hall();
    park('a', ['k'], { delayMs: 30 });
    const events = told(...operations);
    clock.advance(50);
    expect(lines(events)).to.deep.equal(['expired a']);
    expect(events[0][1]).to.include({ parkedMs: 30 });
  });

  it('tell each way of being taken out unanswered as cancelled, with the time parked of one without a deadline too', async () => {
    const h = hall();
    const cancelled = told('purgatory:operation:cancelled');
    const others = told('purgatory:operation:completed', 'purgatory:operation:expired');
    const abort = new AbortController();
    const waits = ['aborted', 'closed'].map((key) =>
      h.purgatory.waitFor([key], () => undefined, {
        timeoutMs: Number.POSITIVE_INFINITY,
        signal: key === 'aborted' ? abort.signal : undefined,
      }),
    );
    const ends = Promise.allSettled(waits);
    h.park('cancel', ['k']).cancel();
    h.park('cancelForKey', ['k']);
    h.purgatory.cancelForKey('k');
    h.clock.advance(7);
    abort.abort();
    h.purgatory.close();
    expect((await ends).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(cancelled.map(([, { parkedMs }]) => parkedMs)).to.deep.equal([0, 0, 7, 7]);
    expect(others).to.deep.equal([]);
  });

  it('tell what user code of an operation threw', () => {
    const { purgatory, park } = hall();
    const error = new Error('no');
    const a = park('a', ['k']);
    const events = told('purgatory:operation:error', 'purgatory:task:error');
    a.tryComplete = () => {
      throw error;
    };
    purgatory.checkAndComplete('k');
    expect(events).to.deep.equal([
      ['purgatory:operation:error', { purgatory, operation: a, error, key: 'k' }],
    ]);
  });

  it('tell the one more try of an operation whose try at parking caused an event, without a key', () => {
    const { purgatory, park } = hall();
    const events = told(...operations);
    const a = park('a', ['k'], { onTry: (op) => void (op.tries === 1 && purgatory.notify('k')) });
    expect(lines(events)).to.deep.equal(['parked a', 'tried a']);
    expect(events[1][1]).to.deep.equal({ purgatory, operation: a, key: undefined });
  });

  it('tell a wait as rejected whose attempt threw, with its error and a key', async () => {
    const { clock, purgatory, errors } = hall();
    const error = new Error('down');
    const rejected = told('purgatory:operation:rejected');
    let isDown = false;
    const attempt = (): undefined => {
      if (isDown) throw error;
    };
    const atEvent = purgatory.waitFor(['k', 'l'], attempt, { timeoutMs: 50 });
    const later = purgatory.waitFor(['m'], () => Promise.reject(error), { timeoutMs: 50 });
    isDown = true;
    clock.advance(7);
    purgatory.checkAndComplete('l');
    await Promise.allSettled([atEvent, later]);
    const what = rejected.map(([, { key, parkedMs, error }]) => ({ key, parkedMs, error }));
    expect(what).to.deep.equal([
      { key: 'l', parkedMs: 7, error },
      { key: 'm', parkedMs: 7, error },
    ]);
    expect(errors).to.deep.equal([]);
    expect(purgatory.snapshot().totals).to.include({ parked: 2, rejected: 2, cancelled: 0, failed: 0 });
  });

  it('come from a threshold purgatory too', () => {
    const events = told(...operations);
    const offsets = new ThresholdPurgatory<string>('offsets');
    const wait = offsets.awaitAtLeast('log', 3, { timeoutMs: Number.POSITIVE_INFINITY });
    offsets.advance('log', 5);
    expect(events.map(([name]) => name.split(':')[2])).to.deep.equal(['parked', 'tried', 'completed']);
    expect(events[0][1]).to.deep.include({ purgatory: offsets, watches: [['log', 3]] });
    return wait;
  });

  it('tell each task that runs, with its lateness, before it runs', () => {
    const { clock, timer, log, add } = bench({ reaper: false });
    stops.push(listen('purgatory:task:run', ({ latenessMs }) => log.push(`late by ${latenessMs}`)));
    const events = told('purgatory:task:run');
    const task = add('a', 10);
    clock.advance(25);
    timer.advanceClock();
    expect(log).to.deep.equal(['late by 15', 'a@25']);
    expect(events[0][1]).to.deep.equal({ timer, task, latenessMs: 15 });
  });

  it('let a subscriber add the task again that it is told of: it is pending then, once', () => {
    const { clock, timer, add, log } = bench();
    const task = add('a', 5);
    stops.push(listen('purgatory:task:run', () => timer.add(task)));
    clock.advance(5);
    expect([log, timer.size, task.isPending]).to.deep.equal([['a@5'], 1, true]);
    timer.add(task);
    expect(timer.size).to.equal(1);
    expect(task.cancel()).to.equal(true);
    expect(timer.size).to.equal(0);
  });

  it('measure the lateness of a task without delay from its start, however late the others are', () => {
    const { clock, timer, add } = bench({ reaper: false });
    const events = told('purgatory:task:run');
    add('late', 10);
    clock.advance(500);
    add('prompt', 0);
    timer.advanceClock();
    expect(events.map(([, { latenessMs }]) => latenessMs)).to.deep.equal([490, 0]);
  });

  it('tell what a task threw', () => {
    const errors: unknown[] = [];
    const { timer, add, runTo } = bench({ onError: (error) => errors.push(error) });
    const events = told('purgatory:task:error');
    const task = add('a', 1, () => {
      throw new Error('no');
    });
    runTo(1);
    expect(events).to.deep.equal([['purgatory:task:error', { timer, task, error: errors[0] }]]);
  });

  it('tell each cascade by wheel and bucket, with the tasks that it moved', () => {
    const { timer, add, runTo } = bench({ wheelSize: 4 });
    const events = told('purgatory:wheel:cascaded');
    add('a', 0o30); // in base 4: 120
    add('b', 0o31);
    runTo(0o31);
    // From bucket 1 of the second overflow wheel, for 100 to 133, to bucket 2 of the first, for 120
    // to 123.
    expect(events.map(([, event]) => event)).to.deep.equal([
      { timer, level: 2, bucket: 1, tasks: 2 },
      { timer, level: 1, bucket: 2, tasks: 2 },
    ]);
  });

  it('survive a subscriber of cascades that adds to the bucket that cascades', () => {
    const { clock, timer, add, log, runTo } = bench({ wheelSize: 4 });
    const stop = listen('purgatory:wheel:cascaded', () => {
      stop();
      add('told', 1);
    });
    stops.push(stop);
    add('a', 24);
    add('b', 25);
    runTo(30);
    expect(log).to.deep.equal(['told@17', 'a@24', 'b@25']);
    expect([timer.size, clock.now()]).to.deep.equal([0, 30]);
  });

  it('tell each slice of the reaper', () => {
    const clock = new SlowClock();
    const timer = new SystemTimer({ sliceMs: 5, clock });
    const events = told('purgatory:reaper:sliced');
    for (let i = 0; i < 3; i++) timer.schedule(() => clock.advance(4), 10);
    clock.advance(10);
    expect(events.map(([, event]) => event)).to.deep.equal([{ timer, ran: 2, pending: 1 }]);
  });

  it('tell each slice of events that has left something to serve', async () => {
    const { clock, purgatory, park } = hall({ sliceMs: 5 }, new SlowClock());
    const events = told('purgatory:pass:sliced');
    for (let i = 0; i < 100; i++) park(`${i}`, ['k'], { onTry: () => clock.advance(1) });
    purgatory.notify('k');
    await purgatory.served();
    expect(events).to.not.be.empty;
    for (const [, event] of events) {
      expect(event).to.deep.equal({ purgatory, pendingKeys: 0 });
    }
  });

  it('leave the engine in order when a subscriber throws: that is an uncaught exception later', async () => {
    const { purgatory, park } = hall();
    const stop = listen('purgatory:operation:parked', () => {
      stop();
      throw new Error('subscriber');
    });
    const uncaught = await uncaughtDuring(1, () => park('a', ['k']));
    expect(uncaught.map((error) => (error as Error).message)).to.deep.equal(['subscriber']);
    expect(purgatory.numDelayed).to.equal(1);
  });

  it('let a subscriber complete the operation that it is told of, exactly once', () => {
    const { purgatory, park } = hall();
    stops.push(listen('purgatory:operation:parked', ({ operation }) => void operation.forceComplete()));
    stops.push(listen('purgatory:operation:completed', ({ operation }) => void operation.forceComplete()));
    const a = park('a', ['k']);
    expect([a.completions, purgatory.numDelayed]).to.deep.equal([1, 0]);
  });

  it('end for a listener that has stopped', () => {
    const events = told('purgatory:task:run');
    stops.splice(0).forEach((stop) => {
      stop();
    });
    const timer = new SystemTimer({ reaper: false });
    timer.schedule(() => {}, 0);
    timer.advanceClock();
    expect(events).to.deep.equal([]);
  });

  it('refuse a channel that there is not, and a listener that is no function', () => {
    const ignore = (): void => {};
    expect(() => listen('purgatory:operation:expire' as (typeof NAMES)[0], ignore))
      .to.throw(TypeError, 'must be one of the channels of purgatory/events')
      .with.property('code', 'ERR_INVALID_ARG_VALUE');
    expect(() => listen(NAMES[0], undefined as never))
      .to.throw(TypeError)
      .with.property('code', 'ERR_INVALID_ARG_TYPE');
    expect(channel(NAMES[0]).hasSubscribers).to.equal(false);
  });
});
