import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Bus, BusOptions } from '../../../src/bus/bus-options.ts';
import { clusterBus, relayBus } from '../../../src/bus/transports/cluster.ts';
import { natsBus } from '../../../src/bus/transports/nats.ts';
import { postgresBus } from '../../../src/bus/transports/postgres.ts';
import { redisBus } from '../../../src/bus/transports/redis.ts';
import { workersBus } from '../../../src/bus/transports/workers.ts';
import { codeOf } from '../../support/code-of.ts';

describe('what a bus is made of', () => {
  for (const [bus, shows] of [
    [redisBus, 'new Redis(url), or await createClient({ url }).connect()'],
    [natsBus, '() => connect({ servers })'],
    [postgresBus, '() => new pg.Client(...)'],
  ] as const) {
    it(`is refused where it is another thing, and the error shows what to write: ${shows}`, () => {
      const promise = Promise.resolve();
      for (const wrong of [undefined, null, {}, promise, pg.Client, Redis, 'x://ann:secret@host', []]) {
        const make = (): Bus => bus(wrong as never);
        expect(codeOf(make), `${wrong}`).to.equal('ERR_INVALID_ARG_TYPE');
        expect(make).to.throw(TypeError, shows);
        expect(make, 'a password').not.to.throw('secret');
      }
    });
  }

  it('has options, and no promise, class or url in their place', () => {
    const relay = relayBus();
    const client = new Redis({ lazyConnect: true });
    const buses: ((options: BusOptions) => Bus)[] = [
      clusterBus,
      workersBus,
      (options) => redisBus(client, options),
      (options) => natsBus(async () => expect.fail(), options),
      (options) => postgresBus(() => expect.fail(), options),
    ];
    try {
      for (const bus of buses) {
        for (const wrong of [Promise.resolve({ prefix: 'shop' }), class {}, 'cluster://host', null]) {
          expect(codeOf(() => bus(wrong as never))).to.equal('ERR_INVALID_ARG_TYPE');
        }
        expect(codeOf(() => bus({ echoMs: 1 }))).to.equal('ERR_OUT_OF_RANGE');
      }
    } finally {
      relay.close();
    }
  });
});
