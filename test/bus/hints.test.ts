import { expect } from 'chai';
import { LocalHub } from '../../src/bus/transports/local-hub.ts';
import { codeOf } from '../support/code-of.ts';
import { Listener, Rig } from './rig.ts';

describe('a bus carries hints', () => {
  it('and counts those that nobody watched, also for a name that nothing in the process has joined', () => {
    const rig = new Rig();
    const [a, b, c] = [rig.process({}, 'oders'), rig.process({}, 'orders'), rig.process({}, 'oders')];
    c.listener.watched = false;
    a.publish('42');
    rig.clock.advance(1);
    expect(b.listener.heard).to.deep.equal([]);
    for (const { bus } of [b, c]) expect(bus.snapshot().totals).to.include({ received: 1, forNobody: 1 });
  });

  it('with their values, numbers and bigints of any size', () => {
    const rig = new Rig();
    const [a, b] = [rig.process(), rig.process()];
    const values = [0, -1.5, 2 ** 60, Infinity, -Infinity, 10n, -(2n ** 80n)];
    for (const [index, value] of values.entries()) a.publish(`${index}`, value);
    rig.clock.advance(1);
    expect(b.listener.heard).to.deep.equal(values.map((value, index) => [`${index}`, value]));
  });

  it('of any text', () => {
    const rig = new Rig();
    const [a, b] = [rig.process({}, '__proto__'), rig.process({}, '__proto__')];
    const keys = ['', '"\\', '\u0000\n', 'é€\u{1f600}', '\ud800', '__proto__', '\u0001'.repeat(1_024)];
    for (const key of keys) a.publish(key);
    rig.clock.advance(1);
    expect(b.listener.heard).to.deep.equal(keys);
  });

  it('each key once a flush, with its last value, in one frame', () => {
    const rig = new Rig();
    const [a, b] = [rig.process(), rig.process()];
    const before = a.bus.snapshot().totals.framesSent;
    for (let value = 0; value < 1_000; value++) a.publish('hot', value);
    a.publish('cold');
    rig.clock.advance(1);
    expect(b.listener.heard).to.deep.equal([['hot', 999], 'cold']);
    expect(a.bus.snapshot().totals).to.include({ published: 1_001, merged: 999, framesSent: before + 1 });
  });

  it('in frames of at most 16,000 bytes', () => {
    const rig = new Rig();
    const [a, b] = [rig.process(), rig.process()];
    const keys = Array.from({ length: 200 }, (_, index) => `${index}-${'é'.repeat(250)}`); // \u00e9 in a frame
    for (const key of keys) a.publish(key);
    rig.clock.advance(1);
    rig.clock.advance(1);
    expect(b.listener.heard).to.deep.equal(keys);
    expect(a.bus.snapshot().totals.framesSent).to.be.within(20, 23);
  });

  it('of one prefix only', () => {
    const rig = new Rig();
    const [a, b, c] = [
      rig.process({ prefix: 'one' }),
      rig.process({ prefix: 'two' }),
      rig.process({ prefix: 'one' }),
    ];
    a.publish('42');
    rig.clock.advance(1);
    expect([b.listener.heard, c.listener.heard]).to.deep.equal([[], ['42']]);
  });

  it('to and from nobody who has left; what was published before still goes out', () => {
    const rig = new Rig();
    const [a, b, c] = [rig.process(), rig.process(), rig.process()];
    b.leave();
    a.publish('1');
    a.leave();
    a.publish('2');
    a.leave();
    rig.clock.advance(1);
    expect(b.listener.heard).to.deep.equal([]);
    expect(c.listener.heard).to.deep.equal(['1']);
    expect(() => a.bus.join(new Listener('orders')), 'the name is free again').not.to.throw();
  });

  it('refuses the same name twice, and names that are too long or none', () => {
    const { bus } = new Rig().process();
    expect(codeOf(() => bus.join(new Listener('orders')))).to.equal('ERR_PURGATORY_ALREADY_JOINED');
    expect(codeOf(() => bus.join(new Listener('x'.repeat(129))))).to.equal('ERR_INVALID_ARG_VALUE');
    expect(codeOf(() => bus.join(new Listener(1 as never)))).to.equal('ERR_INVALID_ARG_TYPE');
  });

  it('refuses bad options with the codes of Node', () => {
    const hub = new LocalHub();
    for (const [options, code] of [
      [{ prefix: '' }, 'ERR_INVALID_ARG_VALUE'],
      [{ prefix: 'a b' }, 'ERR_INVALID_ARG_VALUE'],
      [{ prefix: 1 }, 'ERR_INVALID_ARG_TYPE'],
      [{ flushMs: -1 }, 'ERR_OUT_OF_RANGE'],
      [{ echoMs: 0 }, 'ERR_OUT_OF_RANGE'],
      [{ echoTimeoutMs: '1' }, 'ERR_INVALID_ARG_TYPE'],
      [{ maxPendingKeys: 1.5 }, 'ERR_OUT_OF_RANGE'],
      [{ onError: true }, 'ERR_INVALID_ARG_TYPE'],
      [{ clock: {} }, 'ERR_INVALID_ARG_TYPE'],
      ['redis://', 'ERR_INVALID_ARG_TYPE'],
    ] as const) {
      expect(
        codeOf(() => hub.bus(options as never)),
        JSON.stringify(options),
      ).to.equal(code);
    }
    expect(codeOf(() => new LocalHub({ clock: 1 } as never))).to.equal('ERR_INVALID_ARG_TYPE');
    const { bus } = new Rig().process();
    expect(codeOf(() => hub.cut(bus))).to.equal('ERR_INVALID_ARG_VALUE');
  });

  it('close() sends what is pending, and then nothing more goes out or comes in', async () => {
    const rig = new Rig();
    const [a, b] = [rig.process(), rig.process()];
    a.publish('1');
    const closing = a.bus.close();
    expect(a.bus.state).to.equal('closed');
    expect(a.bus.close()).to.equal(closing);
    await closing;
    a.publish('2');
    b.publish('3');
    rig.clock.advance(20_000);
    expect([a.listener.heard, b.listener.heard]).to.deep.equal([[], ['1']]);
    expect(codeOf(() => a.bus.join(new Listener('x')))).to.equal('ERR_PURGATORY_CLOSED');
    await a.bus.flush();
    expect(a.bus.snapshot().state).to.equal('closed');
  });

  it('close() waits for no engine that refuses its goodbye', async () => {
    const rig = new Rig();
    const { bus, errors } = rig.process();
    rig.hub.disturb({ refusal: 1 });
    await bus.close();
    expect([rig.clock.now(), errors]).to.deep.equal([0, []]);
  });
});
