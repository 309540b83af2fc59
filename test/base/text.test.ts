import { expect } from 'chai';
import { stub } from 'sinon';
import { className, cut, keyText } from '../../src/base/text.ts';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { rejection } from '../support/rejection.ts';
import { texts } from './module-that-imports-itself.ts';

class Owned {
  #owner = 'me';
  get [Symbol.toStringTag](): string {
    return this.#owner;
  }
}

describe('A text that is cut', () => {
  it('has at most so many characters, the last of which says that it was cut', () => {
    expect(cut('x'.repeat(100))).to.equal('x'.repeat(100));
    expect(cut('x'.repeat(101))).to.equal(`${'x'.repeat(99)}…`);
    expect(cut('x'.repeat(10), 10)).to.equal('x'.repeat(10));
    expect(cut('x'.repeat(11), 10)).to.equal(`${'x'.repeat(9)}…`);
  });

  it('has no half of a character', () => {
    const letters = 'x'.repeat(98);
    expect(cut(`${letters}🕰 and more`)).to.equal(`${letters}…`);
    expect(keyText(`${letters}🕰 and more`)).to.equal(`${letters}…`);
    expect(cut(`${letters.slice(1)}🕰 and more`)).to.equal(`${letters.slice(1)}🕰…`);
    expect(cut(`${letters}🕰`)).to.equal(`${letters}🕰`);
  });
});

describe('The text of a key', () => {
  it('is the string itself, and any other key in one line', () => {
    expect(keyText('orders-0')).to.equal('orders-0');
    expect(keyText(7n)).to.equal('7n');
    expect(keyText({ topic: 'orders', partition: 0 })).to.equal("{ topic: 'orders', partition: 0 }");
    expect(keyText([(() => () => {})(), new Proxy(() => {}, {})])).to.equal(
      '[ [Function: (anonymous)], [Function: (anonymous)] ]',
    );
    expect(keyText(Object.assign(Array(3), { 1: 'a' }))).to.equal("[ <empty>, 'a', <empty> ]");
  });

  it('is made without running code of the user’s', () => {
    let ran = 0;
    const key = {
      get partition(): number {
        return ran++;
      },
      [Symbol.for('nodejs.util.inspect.custom')]: () => ran++,
    };
    expect(keyText(key)).to.contain('[Getter]');
    expect(ran).to.equal(0);
  });

  it('is [Module] of a namespace, whose exports may have no values yet', () => {
    expect(texts).to.deep.equal(['[Module]', '{ itself: [Module] }', 'Module {}', 'Module']);
  });

  it('is the class and a few fields of an object, however many it has', () => {
    class Partition {
      topic = 'orders';
      replicas = [1, 2];
    }
    expect(keyText(new Partition())).to.equal("Partition { topic: 'orders', replicas: [Array] }");
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
    expect(keyText(many)).to.match(/^\{ k0: 0, k1: 1, .* 9992 more \}$/);
    expect(keyText(Array.from({ length: 10_000 }, (_, i) => i))).to.match(/^\[ 0, 1, .* 9992 more \]$/);
    expect(keyText(Buffer.alloc(1_000_000))).to.equal('[Buffer]');
    expect(keyText(Object.create(null))).to.equal('Object: null prototype {}');
    expect(keyText({ 'a-b': { c: 1 } })).to.equal("{ 'a-b': [Object] }");
  });

  const trap = (): never => {
    throw new Error('a trap');
  };
  const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]));
  const hostile: Record<string, [object, string]> = {
    'an object made of another, whose private field it has not': [Object.create(new Owned()), 'Owned {}'],
    'a Proxy whose traps throw': [new Proxy({}, traps), '[Proxy]'],
    'an object whose prototype is one': [Object.create(new Proxy({}, traps)), 'Proxy {}'],
    'an object whose constructor is a getter that throws': [
      Object.defineProperty({}, 'constructor', { get: trap }),
      '{}',
    ],
    'an object of a class whose name is no text': [
      new (Object.defineProperty(class {}, 'name', { value: 7 }))(),
      '{}',
    ],
  };
  for (const [which, [key, text]] of Object.entries(hostile)) {
    it(`never throws: ${which}`, () => {
      expect(keyText(key)).to.equal(text);
      expect(keyText({ key })).to.match(/^\{ key: \[.*\] \}$/);
      expect(className(key)).to.be.a('string');
    });
  }

  it('is well-formed whatever is in the key, and cut to the length that is asked for', () => {
    for (const key of ['x'.repeat(98), ['x'.repeat(99)], { k: 'x'.repeat(92) }].map((key) => [key, '🕰🕰'])) {
      expect(keyText(key)).not.to.match(/\p{Cs}/u); // half of a pair
    }
    expect(keyText({ topic: 'orders' }, 9)).to.equal('{ topic:…');
  });
});

describe('An object as a key, whose class throws when it is shown', () => {
  const key = (): string => Object.create(new Owned()) as string;

  it('does not hold up an acquire', async () => {
    const clock = new ManualClock();
    const semaphore = new Semaphore('s', { units: 1, clock });
    const options = { key: key(), timeoutMs: 5 };
    const warn = stub(process, 'emitWarning');
    await semaphore.acquire(options);
    warn.restore();
    // It comes once a process: another test may have had it.
    for (const [text] of warn.args) expect(String(text)).to.contain('the key Owned {} is an object');
    const waiting = rejection(semaphore.acquire(options));
    clock.advance(5);
    expect(await waiting).to.have.property('code', 'ERR_PURGATORY_TIMEOUT');
    expect(await waiting)
      .to.have.property('message')
      .that.contains('for the key Owned {}');
  });

  it('does not hold up an expected reply', async () => {
    const clock = new ManualClock();
    const replies = new Replies('replies', { clock });
    const id = key();
    const waiting = rejection(replies.expect(id, { timeoutMs: 5 }));
    const again = rejection(replies.expect(id, { timeoutMs: 5 }));
    expect(await again).to.have.property('code', 'ERR_PURGATORY_ALREADY_EXPECTED');
    clock.advance(5);
    expect(await waiting).to.have.property('code', 'ERR_PURGATORY_TIMEOUT');
  });

  it('does not hold up a close, nor a snapshot', async () => {
    const purgatory = new Purgatory('p', { clock: new ManualClock() });
    const waiting = rejection(purgatory.waitFor([key()], () => undefined, { timeoutMs: 5 }));
    expect(purgatory.snapshot().hottestKeys[0].key).to.equal('Owned {}');
    purgatory.close();
    expect(await waiting).to.have.property('code', 'ERR_PURGATORY_CLOSED');
  });

  it('does not hold up the error of a bad argument', () => {
    expect(() => new Purgatory(key() as never)).to.throw(TypeError, 'Received an instance of Owned');
    expect(() => new Purgatory('p', { maxParked: key() as never })).to.throw(
      TypeError,
      'an instance of Owned',
    );
  });
});
