import { expect } from 'chai';
import { KeyCopies } from '../../src/purgatory/key-copies.ts';

const LENGTHS = [1, 2, 3, 4, 9];
const keysOf = (length: number, name = 'key'): string[] =>
  Array.from({ length }, (_, index) => `${name} ${index}`);

describe('KeyCopies', () => {
  it('copies the keys, also while other copies are taken', () => {
    const copies = new KeyCopies<string>();
    for (const round of ['first', 'second', 'third']) {
      for (const length of LENGTHS) {
        const outer = copies.take(keysOf(length, round));
        const inner = copies.take(keysOf(length, 'inner'));
        expect(outer).to.deep.equal(keysOf(length, round));
        expect(inner).to.deep.equal(keysOf(length, 'inner'));
        copies.giveBack(inner);
        expect(outer).to.deep.equal(keysOf(length, round));
        copies.giveBack(outer);
      }
    }
  });

  it('uses short copies again, and lets go of the keys in them', () => {
    const copies = new KeyCopies<string>();
    for (const length of [1, 2, 3]) {
      const copy = copies.take(keysOf(length));
      copies.giveBack(copy);
      expect(copy).to.deep.equal(Array.from({ length }, () => undefined));
      expect(copies.take(keysOf(length, 'next'))).to.equal(copy);
      expect(copy).to.deep.equal(keysOf(length, 'next'));
    }
  });

  it('makes a new copy where one was not given back', () => {
    const copies = new KeyCopies<string>();
    const lost = copies.take(keysOf(2));
    const kept = copies.take(keysOf(2, 'next'));
    copies.giveBack(kept);
    expect(copies.take(keysOf(2, 'last'))).to.equal(kept);
    expect(lost).to.deep.equal(keysOf(2));
  });

  it('reads the length and each key of a Proxy once', () => {
    const copies = new KeyCopies<string>();
    copies.giveBack(copies.take(keysOf(2)));
    const reads: PropertyKey[] = [];
    const proxy = new Proxy(keysOf(2), {
      get(target, name) {
        reads.push(name);
        return name === 'length' ? 2 : Reflect.get(target, name);
      },
    });
    expect(copies.take(proxy)).to.deep.equal(keysOf(2));
    expect(reads).to.deep.equal(['length', '0', '1']);
  });
});
