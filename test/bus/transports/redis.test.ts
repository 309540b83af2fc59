import { expect } from 'chai';
import { Redis } from 'ioredis';
import { redisBus } from '../../../src/bus/transports/redis.ts';
import { codeOf } from '../../support/code-of.ts';

describe('redisBus', () => {
  it('refuses what is no client, and bad options, before it connects', () => {
    for (const no of [undefined, null, {}, 'redis://localhost']) {
      expect(codeOf(() => redisBus(no as never))).to.equal('ERR_INVALID_ARG_TYPE');
    }
    const client = new Redis({ lazyConnect: true });
    expect(codeOf(() => redisBus(client, { echoMs: 1 }))).to.equal('ERR_OUT_OF_RANGE');
  });
});
