import { expect } from 'chai';
import pg from 'pg';
import { notifyInTransaction } from '../../../src/bus/transports/postgres.ts';
import { ManualClock, Purgatory } from '../../../src/index.ts';
import { codeOfRejection, rejection } from '../../support/rejection.ts';

const orders = new Purgatory<string>('orders');

describe('notifyInTransaction', () => {
  const queries: string[] = [];
  const client = { query: async (text: string) => queries.push(text) };
  beforeEach(() => queries.splice(0));

  it('refuses a purgatory without a bus while operations are parked in it, which would hear nothing', async () => {
    const alone = new Purgatory<string>('alone', { clock: new ManualClock() });
    await notifyInTransaction(client, alone, ['a']);
    expect(queries).to.have.length(1); // it only writes
    void alone.waitFor(['a'], () => undefined, { timeoutMs: 1_000 });
    const error = await rejection(notifyInTransaction(client, alone, ['a']));
    expect((error as { code: string }).code).to.equal('ERR_INVALID_ARG_VALUE');
    expect((error as Error).message).to.equal(
      `The "purgatory" argument must have the option bus: what is parked in it hears no hint. Received 'alone'`,
    );
    expect(queries).to.have.length(1);
  });

  it('refuses a Pool, and a name in place of the purgatory', async () => {
    const pool = new pg.Pool();
    try {
      for (const [first, second] of [
        [pool, orders],
        [client, 'oders'],
        [client, { name: 'oders' }],
        [client, undefined],
      ]) {
        const call = notifyInTransaction(first as never, second as never, ['a']);
        expect(await codeOfRejection(call)).to.equal('ERR_INVALID_ARG_TYPE');
      }
      expect(queries).to.deep.equal([]);
      expect(pool.totalCount).to.equal(0);
    } finally {
      await pool.end();
    }
  });

  it('refuses bad keys before anything is published', async () => {
    for (const keys of [['a', 1], ['a'.repeat(2_000)], 'a']) {
      const call = notifyInTransaction(client, orders, keys as never);
      expect(await codeOfRejection(call)).to.match(/^ERR_INVALID_ARG/);
    }
    expect(queries).to.deep.equal([]);
  });
});
