import { expect } from 'chai';
import { stub } from 'sinon';
import { className, cut, keyText } from '../../src/base/text.ts';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { labelObject, Semaphore } from '../../src/waits/semaphore/index.ts';
import { refuses } from '../support/refusals.ts';
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
    for (const key of [(() => () => {})(), new Proxy(() => {}, {})]) {
      expect(keyText(key)).to.equal('[Function: (anonymous)]');
    }
    expect(keyText(['orders', 0])).to.equal('[Array(2)]');
  });

  it('is the class of an object, and its label where it has one, and never what is in it', () => {
    class Session {
      password = 'hunter2';
    }
    const session = new Session();
    expect(keyText(session)).to.equal('[Session]');
    expect(labelObject(session, 'ann')).to.equal(session);
    expect(keyText(session)).to.equal('[Session "ann"]');
    expect(keyText({ password: 'hunter2' })).to.equal('[Object]');
    expect(keyText(Buffer.from('hunter2'))).to.equal('[Buffer]');
    expect(keyText(Object.create(null))).to.equal('[Object: null prototype]');
    expect(cut(keyText(session), 9)).to.equal('[Session…');
    refuses(() => labelObject('ann' as never, 'ann'), 'ERR_INVALID_ARG_TYPE');
    refuses(() => labelObject(session, 7 as never), 'ERR_INVALID_ARG_TYPE');
  });

  it('is [Module] of a namespace, whose exports may have no values yet', () => {
    expect(texts).to.deep.equal(['[Module]', '[Module]', 'Module']);
  });

  const trap = (): never => {
    throw new Error('a trap');
  };
  const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]));
  const hostile: Record<string, [object, string]> = {
    'an object made of another, whose private field it has not': [Object.create(new Owned()), '[Owned]'],
    'a Proxy whose traps throw': [new Proxy({}, traps), '[Proxy]'],
    'an object whose prototype is one': [Object.create(new Proxy({}, traps)), '[Proxy]'],
    'an object whose constructor is a getter that throws': [
      Object.defineProperty({}, 'constructor', { get: trap }),
      '[Object]',
    ],
    'an object of a class whose name is no text': [
      new (Object.defineProperty(class {}, 'name', { value: 7 }))(),
      '[Object]',
    ],
  };
  for (const [which, [key, text]] of Object.entries(hostile)) {
    it(`never throws: ${which}`, () => {
      expect(keyText(key)).to.equal(text);
      expect(className(key)).to.be.a('string');
    });
  }
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
    for (const [text] of warn.args) expect(String(text)).to.contain('the key [Owned] is an object');
    const waiting = rejection(semaphore.acquire(options));
    clock.advance(5);
    expect(await waiting).to.have.property('code', 'ERR_PURGATORY_TIMEOUT');
    expect(await waiting)
      .to.have.property('message')
      .that.contains('for the key [Owned]');
  });

  it('does not hold up the error of a bad argument', () => {
    expect(() => new Purgatory(key() as never)).to.throw(TypeError, 'Received an instance of Owned');
    expect(() => new Purgatory('p', { maxParked: key() as never })).to.throw(
      TypeError,
      'an instance of Owned',
    );
  });
});
