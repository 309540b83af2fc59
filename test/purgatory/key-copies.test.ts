import { expect } from 'chai';
import { copiedKeys } from '../../src/purgatory/key-copies.ts';

describe('The watch keys of what is being parked', () => {
  it('are copied, however many', () => {
    for (const length of [1, 2, 3, 4, 9]) {
      const keys = Array.from({ length }, (_, index) => `key ${index}`);
      const copy = copiedKeys(keys);
      expect(copy).to.deep.equal(keys);
      expect(copy).to.not.equal(keys);
    }
  });

  it('are read once each, also of a Proxy', () => {
    const reads: PropertyKey[] = [];
    const proxy = new Proxy(['a', 'b'], {
      get(target, name) {
        reads.push(name);
        return Reflect.get(target, name);
      },
    });
    expect(copiedKeys(proxy)).to.deep.equal(['a', 'b']);
    expect(reads).to.deep.equal(['length', '0', '1']);
  });
});
