import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { describeWith, programs } from './support/needs.ts';
import { brokerOfEachTest, startBroker } from './support/running-broker.ts';
import { produceRequest } from './support/wire-client.ts';

const { TRANSACTIONAL_ID_AUTHORIZATION_FAILED: FINAL, NONE, INVALID_REQUEST } = ErrorCode;

describe('a transactional producer', () => {
  const broker = brokerOfEachTest();

  it('is refused by an error that is final, whatever it asks for first', async () => {
    const client = await broker.newClient();
    const find = async (version: number, keyType: number) => {
      const request = { key: 'x', keyType, coordinatorKeys: ['x'] };
      const { errorCode, coordinators } = await client.send('FindCoordinator', version, request);
      return coordinators[0]?.errorCode ?? errorCode;
    };
    for (const version of [1, 2, 3, 4]) expect(await find(version, 1), `version ${version}`).to.equal(FINAL);
    expect(await find(4, 0), 'of a group').to.equal(NONE);
    const line = 'refused FindCoordinator with a transactional id of PEER: this broker has no transactions';
    expect(broker.logged()).to.deep.equal(Array(4).fill(line));
    expect(await find(4, 2), 'of a share group').to.equal(INVALID_REQUEST);
    expect(broker.logged()).to.deep.equal(['refused a share group of PEER: this broker has no share groups']);

    const initialised = await client.send('InitProducerId', 4, {
      transactionalId: 'x',
      transactionTimeoutMs: 1000,
    });
    expect(initialised).to.include({ errorCode: FINAL, producerId: -1 });
    expect(broker.logged()).to.deep.equal([
      'refused InitProducerId with a transactional id of PEER: this broker has no transactions',
    ]);

    const batch = { ...produceRequest('t', 0, -1, makeBatch(['a'])), transactionalId: 'x' };
    const { responses } = await client.send('Produce', 9, batch);
    expect(responses[0].partitionResponses[0].errorCode).to.equal(FINAL);
    expect(broker.logged()).to.deep.equal([
      'refused Produce with a transactional id of PEER: this broker has no transactions',
    ]);
  });

  const NOT_848 = 'this broker has classic groups only, not those of KIP-848 (group.protocol=consumer)';
  for (const [what, key, reason] of [
    ['AddPartitionsToTxn', 24, 'this broker has no transactions'],
    ['AddOffsetsToTxn', 25, 'this broker has no transactions'],
    ['EndTxn', 26, 'this broker has no transactions'],
    ['TxnOffsetCommit', 28, 'this broker has no transactions'],
    ['DescribeTransactions', 65, 'this broker has no transactions'],
    ['ConsumerGroupHeartbeat', 68, NOT_848],
    ['ShareGroupHeartbeat', 76, 'this broker has no share groups'],
    ['a request of api 99', 99, 'it is not served'],
  ] as const) {
    it(`and who else sends what is not served are cut off with a line that says why: ${what}`, async () => {
      const client = await broker.newClient();
      client.socket.write(Buffer.from([0, 0, 0, 10, 0, key, 0, 0, 0, 0, 0, 1, 0xff, 0xff]));
      await client.closed();
      expect(broker.logged()).to.deep.equal([`closed the connection of PEER: ${what}: ${reason}`]);
    });
  }
});

describeWith(programs.confluentKafka, 'a transactional producer of confluent-kafka (librdkafka)', () => {
  it('fails at init_transactions with a fatal error, at once', async () => {
    const { broker, address, lines } = await startBroker();
    const script = `
from confluent_kafka import Producer, KafkaException
try:
    Producer({'bootstrap.servers': '${address}', 'transactional.id': 'x'}).init_transactions(8)
except KafkaException as e:
    print(e.args[0].name(), e.args[0].fatal(), e.args[0].retriable())
`;
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', script]);
    await broker.stop();
    expect(stdout).to.equal('TRANSACTIONAL_ID_AUTHORIZATION_FAILED True False\n');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('this broker has no transactions');
  });
});
