import { expect } from 'chai';
import { ProducerStates } from '../../../examples/broker/log/producer-states.ts';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { readBatches } from '../../../examples/broker/protocol/record-batch.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { produceRequest, WireClient } from './support/wire-client.ts';

const { NONE, OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH } = ErrorCode;

describe('an idempotent producer', () => {
  let data: string;
  let running: RunningBroker;
  let client: WireClient;

  beforeEach(async () => {
    data = dataFolder();
    await start();
    await client.send('Metadata', 4, {
      topics: [{ topicId: '', name: 't' }],
      allowAutoTopicCreation: true,
    } as never);
  });

  afterEach(stop);

  async function start(): Promise<void> {
    running = await startBroker({ data });
    client = await WireClient.connect(running.port);
  }

  async function stop(): Promise<void> {
    client.destroy();
    await running.broker.stop();
    expect(running.lines).to.deep.equal([]);
  }

  const initialise = (producerId = -1, producerEpoch = -1) =>
    client.send('InitProducerId', 4, {
      transactionalId: null,
      transactionTimeoutMs: 1000,
      producerId,
      producerEpoch,
    });

  /** Sends `count` records; resolves to the error code and the offset. */
  async function produce(id: number, sequence: number, count = 1, epoch = 0): Promise<[number, number]> {
    const values = Array.from({ length: count }, (_, i) => `${sequence + i}`);
    const batch = makeBatch(values, [], { id, epoch, sequence });
    const { responses } = await client.send('Produce', 8, produceRequest('t', 0, -1, batch));
    const { errorCode, baseOffset } = responses[0].partitionResponses[0];
    return [errorCode, baseOffset];
  }

  const endOffset = () => running.broker.status().topics[0].partitions[0].endOffset;

  it('has a number that no other had, also after a restart', async () => {
    const ids = [(await initialise()).producerId, (await initialise()).producerId];
    await stop();
    await start();
    ids.push((await initialise()).producerId);
    expect(new Set(ids).size).to.equal(3);
  });

  it('that sends a batch again gets its old offset, and it is kept once, also after a restart', async () => {
    const { producerId } = await initialise();
    expect(await produce(producerId, 0, 2)).to.deep.equal([NONE, 0]);
    expect(await produce(producerId, 2, 3)).to.deep.equal([NONE, 2]);
    expect(await produce(producerId, 0, 2)).to.deep.equal([NONE, 0]);
    expect(endOffset()).to.equal(5);
    await stop();
    await start();
    expect(await produce(producerId, 2, 3)).to.deep.equal([NONE, 2]);
    expect(await produce(producerId, 5)).to.deep.equal([NONE, 5]);
    expect(endOffset()).to.equal(6);
  });

  it('is refused what leaves a gap or goes back, and goes on with what is due', async () => {
    const { producerId } = await initialise();
    expect(await produce(producerId, 7)).to.deep.equal([OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
    for (let sequence = 0; sequence < 7; sequence++) await produce(producerId, sequence);
    for (const sequence of [0, 8, -1])
      expect((await produce(producerId, sequence))[0], `${sequence}`).to.equal(OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(await produce(producerId, 7)).to.deep.equal([NONE, 7]);
  });

  it('begins at 0 again in its next epoch, and the one before is over', async () => {
    const { producerId } = await initialise();
    await produce(producerId, 0);
    const next = await initialise(producerId, 0);
    expect(next).to.deep.include({ producerId, producerEpoch: 1 });
    expect((await produce(producerId, 1, 1, 1))[0]).to.equal(OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(await produce(producerId, 0, 1, 1)).to.deep.equal([NONE, 1]);
    expect((await produce(producerId, 1, 1, 0))[0]).to.equal(INVALID_PRODUCER_EPOCH);
  });

  it('may have its sequences start over after the last number', () => {
    const states = new ProducerStates();
    const batch = (sequence: number) =>
      readBatches(makeBatch(['a', 'b'], [], { id: 1, epoch: 0, sequence }))[0];
    states.note(batch(2 ** 31 - 1));
    expect(states.check(batch(1))).to.equal(undefined);
    expect(() => states.check(batch(0))).to.throw('where 1 is due');
  });
});
