import { expect } from 'chai';
import { cut, keyText } from '../../src/base/text.ts';

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

  it('is well-formed whatever is in the key, and cut to the length that is asked for', () => {
    for (const key of ['x'.repeat(98), ['x'.repeat(99)], { k: 'x'.repeat(92) }].map((key) => [key, '🕰🕰'])) {
      expect(keyText(key)).not.to.match(/\p{Cs}/u); // half of a pair
    }
    expect(keyText({ topic: 'orders' }, 9)).to.equal('{ topic:…');
  });
});
