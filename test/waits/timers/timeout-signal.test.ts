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

  it('takes a polyfill as its parent, also one that aborts inside of its own addEventListener', () => {
    const { timer } = manual();
    const parent = new AbortController();
    parent.signal.addEventListener = () => parent.abort('from inside');
    const signal = timeoutSignal(50, { timer, signal: parent.signal });
    expect([signal.reason, timer.size]).to.deep.equal(['from inside', 0]);
    const polyfilled = new PolyfilledSignal();
    const other = timeoutSignal(50, { timer, signal: polyfilled.asSignal() });
    polyfilled.abort();
    expect(other.reason).to.have.property('name', 'AbortError');
  });

  it('aborts with the reason of its parent, also of one that has aborted, or with its own, and leaves nothing behind', () => {
    const { clock, timer } = manual();
    const reason = new Error('the client left');
    for (const [first, then, name] of [
      [(parent: AbortController) => parent.abort(reason), () => clock.advance(50), 'Error'],
      [() => clock.advance(50), (parent: AbortController) => parent.abort(reason), 'TimeoutError'],
    ] as const) {
      const parent = new AbortController();
      const signal = timeoutSignal(50, { timer, signal: parent.signal });
      expect([timer.size, getEventListeners(parent.signal, 'abort').length]).to.deep.equal([1, 1]);
      first(parent);
      expect([timer.size, getEventListeners(parent.signal, 'abort').length]).to.deep.equal([0, 0]);
      then(parent);
      expect(signal.reason).to.have.property('name', name);
    }
    const signal = timeoutSignal(50, { timer, signal: AbortSignal.abort('too late') });
    expect([signal.aborted, signal.reason, timer.size]).to.deep.equal([true, 'too late', 0]);
    signal[Symbol.dispose]();
  });

  it('never aborts once it is disposed of, as at the end of `using`, and leaves nothing behind', () => {
    const { clock, timer } = manual();
    const parent = new AbortController();
    let signal: AbortSignal;
    {
      using disposed = timeoutSignal(50, { timer, signal: parent.signal });
      signal = disposed;
    }
    expect([timer.size, getEventListeners(parent.signal, 'abort').length]).to.deep.equal([0, 0]);
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

  it('stays behind on no parent that a closed timer refuses it for (behaviour 11)', async () => {
    const { timer } = manual();
    timer.close();
    const { signal } = new AbortController();
    for (const delayMs of [5, Number.POSITIVE_INFINITY])
      refuses(() => timeoutSignal(delayMs, { timer, signal }), 'ERR_PURGATORY_CLOSED');
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
  it('refuses bad arguments', () => {
    for (const [args, code, name] of bad) {
      const make = (): unknown => timeoutSignal(...(args as Parameters<typeof timeoutSignal>));
      refuses(make, code, name);
    }
  });
});
