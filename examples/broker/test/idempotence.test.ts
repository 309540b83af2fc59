import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { KnownProducers } from '../log/known-producers.ts';
import { ProducerStates } from '../log/producer-states.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { readBatches } from '../protocol/record-batch.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';

const { NONE, OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH, POLICY_VIOLATION } = ErrorCode;

describe('an idempotent producer', () => {
  const broker = brokerOfEachTest({}, 't');

  async function replaceTopic(): Promise<void> {
    await broker.client.deleteTopics('t');
    await broker.client.createTopics('t');
  }

  const initialise = (producerId = -1, producerEpoch = -1) =>
    broker.client.send('InitProducerId', 4, {
      ...{ transactionalId: null, transactionTimeoutMs: 1000 },
      ...{ producerId, producerEpoch },
    });

  /** Sends `count` records; resolves to the error code and the offset. */
  async function produce(id: number, sequence: number, count = 1, epoch = 0, partition = 0) {
    const values = Array.from({ length: count }, (_, i) => `${sequence + i}`);
    const batch = makeBatch(values, [], { id, epoch, sequence });
    const { errorCode, baseOffset } = await broker.client.produce('t', partition, -1, batch);
    return [errorCode, baseOffset];
  }

  const endOffset = () => broker.partition().endOffset;

  it('has a number that no other had, also after a restart', async () => {
    const ids = [(await initialise()).producerId, (await initialise()).producerId];
    await broker.restart();
    ids.push((await initialise()).producerId);
    expect(new Set(ids).size).to.equal(3);
    expect(ids[0], 'clients take 0 for none').to.equal(1);
  });

  it('has a number of its own, whichever it asks with: some clients send 0 for none', async () => {
    const first = await initialise(0, 0);
    const second = await initialise(0, 0);
    const again = await initialise(second.producerId, 0);
    expect(new Set([first, second, again].map(({ producerId }) => producerId)).size).to.equal(3);
    for (const { producerId, producerEpoch } of [first, second, again]) {
      expect(producerId).to.be.above(0);
      expect(producerEpoch).to.equal(0);
    }
  });

  it('that sends a batch again gets its old offset, and it is kept once, also after a restart', async () => {
    const { producerId } = await initialise();
    expect(await produce(producerId, 0, 2)).to.deep.equal([NONE, 0]);
    expect(await produce(producerId, 2, 3)).to.deep.equal([NONE, 2]);
    expect(await produce(producerId, 0, 2)).to.deep.equal([NONE, 0]);
    expect(endOffset()).to.equal(5);
    await broker.restart();
    expect(await produce(producerId, 2, 3)).to.deep.equal([NONE, 2]);
    expect(await produce(producerId, 5)).to.deep.equal([NONE, 5]);
    expect(endOffset()).to.equal(6);
  });

  it('is refused what leaves a gap or goes back, and goes on with what is due', async () => {
    const { producerId } = await initialise();
    for (let sequence = 0; sequence < 7; sequence++) await produce(producerId, sequence);
    for (const sequence of [0, 8, -1])
      expect((await produce(producerId, sequence))[0], `${sequence}`).to.equal(OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(await produce(producerId, 7)).to.deep.equal([NONE, 7]);
  });

  it('begins at 0 again in its next epoch, which it takes itself, and the one before is over', async () => {
    const { producerId } = await initialise();
    await produce(producerId, 0);
    expect((await produce(producerId, 1, 1, 1))[0]).to.equal(OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(await produce(producerId, 0, 1, 1)).to.deep.equal([NONE, 1]);
    expect((await produce(producerId, 1, 1, 0))[0]).to.equal(INVALID_PRODUCER_EPOCH);
  });

  it('begins anywhere where it is not known: in a topic that was deleted and made anew', async () => {
    const { producerId } = await initialise();
    await produce(producerId, 0, 7);
    await replaceTopic();
    expect(await produce(producerId, -2), 'no sequence').to.deep.equal([OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
    expect(await produce(producerId, 7)).to.deep.equal([NONE, 0]);
    expect(await produce(producerId, 9)).to.deep.equal([OUT_OF_ORDER_SEQUENCE_NUMBER, -1]);
    expect(await produce(producerId, 8)).to.deep.equal([NONE, 1]);
    expect(await produce(producerId, 7), 'again').to.deep.equal([NONE, 0]);
    expect(endOffset()).to.equal(2);
  });

  it('of kafkajs goes on in a topic that was deleted and made anew', async () => {
    const kafka = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING });
    const producer = kafka.producer({
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    const send = () => producer.send({ topic: 't', messages: [{ partition: 0, value: 'a' }] });
    for (let i = 0; i < 3; i++) await send();
    await replaceTopic();
    expect((await send())[0]).to.include({ errorCode: NONE, baseOffset: '0' });
    expect((await send())[0]).to.include({ errorCode: NONE, baseOffset: '1' });
    await producer.disconnect();
  });

  const refused =
    'refused 1 batches of PEER: no room for one more idempotent producer, where --max-producers is 2';

  it('too many is refused, in whichever partition, and those that are known go on, also after a restart', async () => {
    await broker.restart({ maxProducers: 2 });
    await produce(1, 0);
    await produce(2, 0, 1, 0, 1);
    expect(await produce(3, 0)).to.deep.equal([POLICY_VIOLATION, -1]);
    expect(await produce(1, 0, 1, 0, 1)).to.deep.equal([POLICY_VIOLATION, -1]);
    expect(await produce(1, 1)).to.deep.equal([NONE, 1]);
    expect(broker.logged()).to.deep.equal([refused, refused]);
    await broker.restart({ maxProducers: 2 });
    expect((await produce(3, 0))[0]).to.equal(POLICY_VIOLATION);
    expect(await produce(1, 1)).to.deep.equal([NONE, 1]);
    await replaceTopic();
    for (const id of [3, 4])
      expect((await produce(id, 0))[0], 'those of a deleted topic make room').to.equal(NONE);
    expect((await produce(5, 0))[0]).to.equal(POLICY_VIOLATION);
    expect(broker.logged()).to.deep.equal([refused, refused]);
  });

  it('is forgotten when it was silent for too long, makes room, and may come back', () => {
    const known = new KnownProducers(2, 500);
    const states = new ProducerStates(known);
    const batch = (id: number, sequence: number) =>
      readBatches(makeBatch(['a'], [], { id, epoch: 0, sequence }))[0];
    for (const id of [1, 2]) states.note(batch(id, 0));
    expect(() => states.check(batch(1, 2))).to.throw('where 1 is due');
    expect(() => states.check(batch(3, 0))).to.throw('--max-producers is 2');
    known.expire(performance.now() + 500);
    states.note(batch(3, 0));
    expect(states.check(batch(1, 2))).to.equal(undefined);
    states.note(batch(1, 2));
    expect(() => states.check(batch(1, 4))).to.throw('where 3 is due');
    expect(() => states.check(batch(2, 0))).to.throw('--max-producers is 2');
  });

  it('is as old after a restart as the file that it wrote to', async () => {
    await produce(1, 0);
    await produce(2, 0, 1, 0, 1);
    await broker.stop();
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(join(broker.data, 'node-0', 'logs', 't-1', `${'0'.repeat(20)}.log`), hourAgo, hourAgo);
    await broker.start({ producerIdExpirationMs: 1_800_000 });
    expect((await produce(2, 5, 1, 0, 1))[0], 'forgotten').to.equal(NONE);
    expect((await produce(1, 5))[0], 'known').to.equal(OUT_OF_ORDER_SEQUENCE_NUMBER);
  });

  it('is forgotten at a start where its log tells of more than are kept, the first of them first', async () => {
    for (const id of [1, 2, 3]) await produce(id, 0);
    await broker.restart({ maxProducers: 2 });
    for (const id of [2, 3])
      expect((await produce(id, 5))[0], `${id}`).to.equal(OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect((await produce(1, 5))[0], 'no room for what is not known').to.equal(POLICY_VIOLATION);
    expect(broker.logged()).to.deep.equal([refused]);
  });

  it('may have its sequences start over after the last number', () => {
    const states = new ProducerStates(new KnownProducers(10, 1000));
    const batch = (sequence: number) =>
      readBatches(makeBatch(['a', 'b'], [], { id: 1, epoch: 0, sequence }))[0];
    states.note(batch(2 ** 31 - 1));
    expect(states.check(batch(1))).to.equal(undefined);
    expect(() => states.check(batch(0))).to.throw('where 1 is due');
  });
});
