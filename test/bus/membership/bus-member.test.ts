import { expect } from 'chai';
import { checkedBus, checkHintKey } from '../../../src/bus/membership/bus-member.ts';
import { codeOf } from '../../support/code-of.ts';

describe('keys for a bus', () => {
  it('are strings of at most 1,024 bytes of UTF-8', () => {
    for (const key of ['', 'a'.repeat(1_024), 'é'.repeat(512), '\ud83d\ude00'.repeat(256)]) {
      expect(() => checkHintKey(key)).not.to.throw();
    }
    for (const key of ['a'.repeat(1_025), `${'é'.repeat(512)}a`, '€'.repeat(342)]) {
      expect(codeOf(() => checkHintKey(key))).to.equal('ERR_INVALID_ARG_VALUE');
    }
    for (const key of [1, undefined, null, Symbol('key'), {}]) {
      expect(codeOf(() => checkHintKey(key))).to.equal('ERR_INVALID_ARG_TYPE');
    }
  });

  it('go to what can be joined', () => {
    const bus = { join: () => ({ publish: () => {}, leave: () => {} }) };
    expect(checkedBus('options.bus', bus)).to.equal(bus);
    for (const no of [undefined, null, {}, 'redis://']) {
      expect(codeOf(() => checkedBus('options.bus', no as never))).to.equal('ERR_INVALID_ARG_TYPE');
    }
  });
});
