import { getEventListeners, once } from 'node:events';
import { expect } from 'chai';
import sinon from 'sinon';
import { timeoutSignal } from '../../../src/waits/timers/index.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { PolyfilledSignal } from '../../support/polyfilled-signal.ts';
import { refuses } from '../../support/refusals.ts';
import { manual } from '../../support/task.ts';
import { turn, until } from '../../support/turns.ts';

describe('timeoutSignal', () => {
  it('aborts after its delay, and not before, with a DOMException TimeoutError', () => {
    const { clock, timer } = manual();
    const signal = timeoutSignal(50, { timer });
    expect(signal).to.be.instanceOf(AbortSignal);
    clock.advance(49.9);
    expect(signal.aborted).to.equal(false);
    clock.advance(0.1);
    expect(signal.aborted).to.equal(true);
    expect(signal.reason).to.be.instanceOf(DOMException).with.property('name', 'TimeoutError');
    expect(timer.size).to.equal(0);
  });

  it('stands in no timer when its parent aborts inside its own addEventListener', () => {
    const { timer } = manual();
    const parent = new AbortController();
    parent.signal.addEventListener = () => parent.abort('from inside');
    const signal = timeoutSignal(50, { timer, signal: parent.signal });
    expect([signal.reason, timer.size]).to.deep.equal(['from inside', 0]);
  });

  it('aborts with the reason of its parent, and stands in no timer then', () => {
    const { clock, timer } = manual();
    const parent = new AbortController();
    const signal = timeoutSignal(50, { timer, signal: parent.signal });
    const reason = new Error('the client left');
    parent.abort(reason);
    expect(signal.reason).to.equal(reason);
    expect(timer.size).to.equal(0);
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(0);
    clock.advance(50);
    expect(signal.reason).to.equal(reason);
  });

  it('has aborted from the start where its parent has', () => {
    const { timer } = manual();
    const signal = timeoutSignal(50, { timer, signal: AbortSignal.abort('too late') });
    expect([signal.aborted, signal.reason, timer.size]).to.deep.equal([true, 'too late', 0]);
    signal[Symbol.dispose]();
  });

  it('listens to its parent no longer once its delay is over', () => {
    const { clock, timer } = manual();
    const parent = new AbortController();
    const signal = timeoutSignal(50, { timer, signal: parent.signal });
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(1);
    clock.advance(50);
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(0);
    parent.abort('later');
    expect(signal.reason).to.have.property('name', 'TimeoutError');
  });

  it('never aborts once it is disposed of, as at the end of `using`, and leaves nothing behind', () => {
    const { clock, timer } = manual();
    const parent = new AbortController();
    let signal: AbortSignal;
    {
      using disposed = timeoutSignal(50, { timer, signal: parent.signal });
      signal = disposed;
      disposed[Symbol.dispose]();
    }
    expect(timer.size).to.equal(0);
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(0);
    clock.advance(100);
    parent.abort();
    expect(signal.aborted).to.equal(false);
  });

  it('waits for its parent alone with a delay of Infinity', () => {
    const { clock, timer } = manual();
    const parent = new AbortController();
    const signal = timeoutSignal(Number.POSITIVE_INFINITY, { timer, signal: parent.signal });
    clock.advance(Number.MAX_SAFE_INTEGER);
    expect([signal.aborted, timer.size]).to.deep.equal([false, 0]);
    parent.abort('at last');
    expect(signal.reason).to.equal('at last');
  });

  it('aborts in the next turn, never in the call, for a delay of 0 or less', () => {
    const { clock, timer } = manual();
    const signals = [timeoutSignal(0, { timer }), timeoutSignal(-5, { timer })];
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false, false]);
    clock.advance(0);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true, true]);
  });

  it('takes a polyfill as its parent', () => {
    const { timer } = manual();
    const parent = new PolyfilledSignal();
    const signal = timeoutSignal(50, { timer, signal: parent.asSignal() });
    parent.abort();
    expect(signal.reason).to.have.property('name', 'AbortError');
  });

  it('is moved by fake clocks that are installed after the import', async () => {
    const clock = sinon.useFakeTimers();
    try {
      const signal = timeoutSignal(60_000);
      clock.tick(59_999);
      expect(signal.aborted).to.equal(false);
      clock.tick(1);
      expect(signal.aborted).to.equal(true);
    } finally {
      clock.restore();
    }
    const signal = timeoutSignal(1);
    await once(signal, 'abort');
    expect(signal.reason).to.have.property('name', 'TimeoutError');
  });

  it('stays behind on no parent that the timer refuses it for', async () => {
    const { timer } = manual();
    timer.close();
    const { signal } = new AbortController();
    refuses(() => timeoutSignal(5, { timer, signal }), 'ERR_PURGATORY_CLOSED');
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
    await turn();
  });

  it('aborts after a garbage collection that nothing else holds it through', async () => {
    const aborted: string[] = [];
    const listen = (name: string, signal: AbortSignal): void =>
      signal.addEventListener('abort', () => aborted.push(name));
    listen('alone', timeoutSignal(100));
    listen('with a parent', timeoutSignal(100, { signal: new AbortController().signal }));
    await turn();
    collectGarbage();
    await until(() => expect(aborted).to.deep.equal(['alone', 'with a parent']), 'both have aborted');
  });

  const bad: readonly [unknown[], string, string][] = [
    [['5'], 'ERR_INVALID_ARG_TYPE', '"delayMs"'],
    [[], 'ERR_INVALID_ARG_TYPE', '"delayMs"'],
    [[Number.NaN], 'ERR_OUT_OF_RANGE', '"delayMs"'],
    [[2 ** 60], 'ERR_OUT_OF_RANGE', '"delayMs"'],
    [[5, null], 'ERR_INVALID_ARG_TYPE', '"options"'],
    [
      [5, AbortSignal.abort()],
      'ERR_INVALID_ARG_TYPE',
      'such as { signal }. Received an instance of AbortSignal',
    ],
    [[5, { signal: {} }], 'ERR_INVALID_ARG_TYPE', '"options.signal"'],
    [[5, { timer: {} }], 'ERR_INVALID_ARG_TYPE', '"options.timer"'],
  ];
  for (const [args, code, name] of bad) {
    it(`refuses bad arguments: ${JSON.stringify(args)}`, () => {
      const make = (): unknown => timeoutSignal(...(args as Parameters<typeof timeoutSignal>));
      refuses(make, code);
      expect(make).to.throw(name);
    });
  }
});
