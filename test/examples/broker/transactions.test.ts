import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { describeWith, programs } from './support/programs.ts';
import { brokerOfEachTest, startBroker } from './support/running-broker.ts';
import { produceRequest } from './support/wire-client.ts';

const { TRANSACTIONAL_ID_AUTHORIZATION_FAILED: FINAL, NONE, INVALID_REQUEST } = ErrorCode;

describe('a transactional producer', () => {
  const { newClient } = brokerOfEachTest();

  it('is refused by an error that is final, whatever it asks for first', async () => {
    const client = await newClient();
    const find = async (version: number, keyType: number) => {
      const request = { key: 'x', keyType, coordinatorKeys: ['x'] };
      const { errorCode, coordinators } = await client.send('FindCoordinator', version, request);
      return coordinators[0]?.errorCode ?? errorCode;
    };
    for (const version of [1, 2, 3, 4]) expect(await find(version, 1), `version ${version}`).to.equal(FINAL);
    expect(await find(4, 0), 'of a group').to.equal(NONE);
    expect(await find(4, 2), 'of a share group').to.equal(INVALID_REQUEST);

    const initialised = await client.send('InitProducerId', 4, {
      transactionalId: 'x',
      transactionTimeoutMs: 1000,
    });
    expect(initialised).to.include({ errorCode: FINAL, producerId: -1 });

    const batch = { ...produceRequest('t', 0, -1, makeBatch(['a'])), transactionalId: 'x' };
    const { responses } = await client.send('Produce', 9, batch);
    expect(responses[0].partitionResponses[0].errorCode).to.equal(FINAL);
  });
});

describeWith(programs.confluentKafka, 'a transactional producer of confluent-kafka (librdkafka)', () => {
  it('fails at init_transactions with a fatal error, at once', async () => {
    const { broker, address } = await startBroker();
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
  });
});
