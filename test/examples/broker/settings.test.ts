import { expect } from 'chai';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { readBatches } from '../../../examples/broker/protocol/record-batch.ts';
import type { RequestDraft } from '../../../examples/broker/replication/peer-client.ts';
import { until } from '../../support/turns.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { fetchRequest, produceRequest, WireClient } from './support/wire-client.ts';

const { NONE, INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION, INVALID_PARTITIONS } = ErrorCode;
const TOPIC = 2;
const BROKER = 4;
const [SET, DELETE, APPEND] = [0, 1, 2];
const [SOURCE_TOPIC, SOURCE_DEFAULT] = [1, 5];
const DAY_MS = 86_400_000;

describe('the settings of a topic', () => {
  let data: string;
  let running: RunningBroker;
  let client: WireClient;

  beforeEach(async () => {
    data = dataFolder();
    await start();
  });

  afterEach(stop);

  async function start(): Promise<void> {
    running = await startBroker({ data, partitions: 1, segmentBytes: 1024, logRetentionCheckIntervalMs: 20 });
    client = await WireClient.connect(running.port);
  }

  async function stop(): Promise<void> {
    client.destroy();
    await running.broker.stop();
  }

  const create = async (name: string, configs: { name: string; value: string | null }[] = []) => {
    const topics = [{ name, numPartitions: 1, replicationFactor: -1, assignments: [], configs }];
    return (await client.send('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false })).topics[0];
  };

  const describeConfigs = async (
    resourceName: string,
    { version = 4, resourceType = TOPIC, configurationKeys = null as string[] | null } = {},
  ) => {
    const request: RequestDraft<'DescribeConfigs'> = {
      resources: [{ resourceType, resourceName, configurationKeys }],
      includeSynonyms: true,
      includeDocumentation: true,
    };
    return (await client.send('DescribeConfigs', version, request)).results[0];
  };

  const alter = async (
    name: string,
    change: readonly [operation: number, name: string, value: string | null][],
    { resourceType = TOPIC, validateOnly = false } = {},
  ) => {
    const configs = change.map(([configOperation, name, value]) => ({ configOperation, name, value }));
    const request = { resources: [{ resourceType, resourceName: name, configs }], validateOnly };
    return (await client.send('IncrementalAlterConfigs', 1, request)).responses[0];
  };

  const settingOf = async (topic: string, name: string) => {
    const { configs } = await describeConfigs(topic, { configurationKeys: [name] });
    return [configs[0].value, configs[0].configSource];
  };

  it('are told with their defaults, those that can be changed and those that cannot', async () => {
    await create('t');
    for (const version of [0, 1, 2, 3, 4]) {
      const { errorCode, configs } = await describeConfigs('t', { version });
      expect(errorCode).to.equal(NONE);
      expect(Object.fromEntries(configs.map(({ name, value }) => [name, value]))).to.deep.equal({
        'retention.ms': '-1',
        'retention.bytes': '-1',
        'max.message.bytes': '104857600',
        'message.timestamp.type': 'CreateTime',
        'compression.type': 'producer',
        'cleanup.policy': 'delete',
        'min.insync.replicas': '1',
        'segment.bytes': '1024',
      });
      expect(configs.map(({ readOnly }) => readOnly)).to.deep.equal([
        ...Array(4).fill(false),
        ...Array(4).fill(true),
      ]);
    }
    const { configs } = await describeConfigs('t', { configurationKeys: ['retention.ms', 'nonsense'] });
    expect(configs.map(({ name }) => name)).to.deep.equal(['retention.ms']);
    expect((await describeConfigs('nobody')).errorCode).to.equal(UNKNOWN_TOPIC_OR_PARTITION);
  });

  it('are made with it or later, one by one or all at once, and are there after a restart', async () => {
    const made = await create('t', [
      { name: 'retention.ms', value: '1000' },
      { name: 'cleanup.policy', value: 'delete' },
    ]);
    expect(made.configs?.find(({ name }) => name === 'retention.ms')?.value).to.equal('1000');
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['1000', SOURCE_TOPIC]);
    expect((await alter('t', [[SET, 'retention.bytes', '5000']])).errorCode).to.equal(NONE);
    expect((await alter('t', [[SET, 'retention.ms', '1']], { validateOnly: true })).errorCode).to.equal(NONE);
    await stop();
    await start();
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['1000', SOURCE_TOPIC]);
    expect(await settingOf('t', 'retention.bytes')).to.deep.equal(['5000', SOURCE_TOPIC]);
    expect((await alter('t', [[DELETE, 'retention.ms', null]])).errorCode).to.equal(NONE);
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['-1', SOURCE_DEFAULT]);
    const { responses } = await client.send('AlterConfigs', 2, {
      resources: [
        { resourceType: TOPIC, resourceName: 't', configs: [{ name: 'retention.ms', value: '7' }] },
      ],
      validateOnly: false,
    });
    expect(responses[0].errorCode).to.equal(NONE);
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['7', SOURCE_TOPIC]);
    expect(await settingOf('t', 'retention.bytes'), 'not named').to.deep.equal(['-1', SOURCE_DEFAULT]);
  });

  it('are refused by their name and the rule, and then none of a change is made', async () => {
    const refused = async (name: string, value: string | null, operation = SET) =>
      alter('t', [
        [SET, 'retention.ms', '5'],
        [operation, name, value],
      ]);
    await create('t');
    for (const [name, value, message] of [
      [
        'retention.hours',
        '1',
        '"retention.hours" is no setting of a topic here, where there are retention.ms',
      ],
      ['__proto__', '1', '"__proto__" is no setting of a topic here'],
      ['retention.bytes', 'much', 'retention.bytes is "much", where a whole number from -1'],
      ['retention.bytes', '-2', 'retention.bytes is "-2"'],
      ['max.message.bytes', '-1', 'max.message.bytes is "-1", where a whole number of bytes is needed'],
      [
        'message.timestamp.type',
        'AppendTime',
        'message.timestamp.type is "AppendTime", where CreateTime or LogAppendTime is needed',
      ],
      ['compression.type', 'gzip', 'compression.type is producer for every topic here'],
      ['cleanup.policy', 'compact', 'cleanup.policy is delete for every topic here, and cannot be "compact"'],
    ] as const) {
      const { errorCode, errorMessage } = await refused(name, value);
      expect(errorCode, name).to.equal(INVALID_CONFIG);
      expect(errorMessage).to.contain(message);
      const made = await create('u', [{ name, value }]);
      expect(made.errorCode, name).to.equal(INVALID_CONFIG);
      expect(made.errorMessage).to.contain(message);
    }
    expect((await refused('retention.bytes', '1', APPEND)).errorMessage).to.contain(
      'retention.bytes is no list',
    );
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['-1', SOURCE_DEFAULT]);
    expect((await alter('0', [], { resourceType: BROKER })).errorCode).to.equal(INVALID_REQUEST);
    expect((await alter('nobody', [])).errorCode).to.equal(UNKNOWN_TOPIC_OR_PARTITION);
    expect(running.broker.status().topics.map(({ name }) => name)).to.deep.equal(['t']);
  });

  it('of a node are its options, to read', async () => {
    const { configs } = await describeConfigs('0', { resourceType: BROKER });
    const found = Object.fromEntries(configs.map(({ name, value }) => [name, value]));
    expect(found).to.include({ 'broker.id': '0', 'log.segment.bytes': '1024', 'num.partitions': '1' });
    expect(configs.every(({ readOnly }) => readOnly)).to.equal(true);
    expect((await describeConfigs('1', { resourceType: BROKER })).errorCode).to.equal(INVALID_REQUEST);
    expect((await describeConfigs('x', { resourceType: 8 })).errorCode).to.equal(INVALID_REQUEST);
  });

  const partition = () => running.broker.status().topics[0].partitions[0];
  const produce = async (timestamp: number, count = 1) => {
    for (let i = 0; i < count; i++) {
      const batch = makeBatch(['x'.repeat(900)], [timestamp]);
      await client.send('Produce', 7, produceRequest('t', 0, -1, batch));
    }
  };

  const send = async (records: Buffer, partition = 0) => {
    const { responses } = await client.send('Produce', 8, produceRequest('t', partition, -1, records));
    return responses[0].partitionResponses[0];
  };

  it('refuse a batch that is larger than max.message.bytes, and take one that is as large', async () => {
    const records = makeBatch(['x'.repeat(500)]);
    await create('t', [{ name: 'max.message.bytes', value: `${records.length - 1}` }]);
    expect(await send(records)).to.include({
      errorCode: ErrorCode.MESSAGE_TOO_LARGE,
      baseOffset: -1,
      errorMessage: `a batch of ${records.length} bytes, where max.message.bytes of t is ${records.length - 1}`,
    });
    await alter('t', [[SET, 'max.message.bytes', `${records.length}`]]);
    expect(await send(records)).to.include({ errorCode: NONE, baseOffset: 0 });
    await alter('t', [[DELETE, 'max.message.bytes', null]]);
    expect(await send(makeBatch(['x'.repeat(5000)]))).to.include({ errorCode: NONE, baseOffset: 1 });
  });

  it('give records the time when they come with message.timestamp.type, and find them by it', async () => {
    const begin = Date.now();
    await create('t', [{ name: 'message.timestamp.type', value: 'LogAppendTime' }]);
    const sent = makeBatch(['a', 'b'], [5, 6], { id: 7, epoch: 0, sequence: 0 });
    const first = await send(sent);
    expect(first).to.include({ errorCode: NONE, baseOffset: 0 });
    expect(first.logAppendTimeMs).to.be.within(begin, Date.now());
    expect(await send(sent), 'the same again').to.include({ baseOffset: 0, logAppendTimeMs: -1 });

    const fetched = fetchRequest('t', 0, 0, { maxWaitMs: 5000, minBytes: 1 });
    const { responses } = await client.send('Fetch', 11, fetched);
    const [batch] = readBatches(Buffer.concat(responses[0].partitions[0].records ?? []));
    expect(batch).to.include({ isLogAppendTime: true, maxTimestamp: first.logAppendTimeMs });
    const offsetAt = async (timestamp: number) => {
      const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp }];
      const topics = [{ name: 't', partitions }];
      const found = await client.send('ListOffsets', 5, {
        replicaId: -1,
        isolationLevel: 0,
        topics,
      } as never);
      const { offset, timestamp: time } = found.topics[0].partitions[0];
      return [offset, time];
    };
    expect(await offsetAt(6)).to.deep.equal([0, first.logAppendTimeMs]);
    expect(await offsetAt(first.logAppendTimeMs + 1)).to.deep.equal([-1, -1]);

    await alter('t', [[SET, 'message.timestamp.type', 'CreateTime']]);
    expect(await send(makeBatch(['c'], [begin * 2]))).to.include({ baseOffset: 2, logAppendTimeMs: -1 });
    expect(await offsetAt(begin + 60_000)).to.deep.equal([2, begin * 2]);
  });

  it('delete what is older than retention.ms, the newest file included, and offsets go on', async () => {
    await create('t');
    await produce(Date.now() - 2 * DAY_MS, 3);
    await produce(Date.now(), 2);
    await produce(Date.now() - 2 * DAY_MS, 1);
    await alter('t', [[SET, 'retention.ms', `${DAY_MS}`]]);
    await until(() => partition().startOffset === 3);
    await alter('t', [[SET, 'retention.ms', '0']]);
    await until(() => partition().startOffset === 6);
    expect(partition()).to.include({ startOffset: 6, highWatermark: 6, endOffset: 6 });
    await alter('t', [[DELETE, 'retention.ms', null]]);
    await stop();
    await start();
    expect(partition()).to.include({ startOffset: 6, highWatermark: 6, endOffset: 6 });
    await produce(Date.now());
    expect(partition()).to.include({ startOffset: 6, highWatermark: 7, endOffset: 7 });
  });

  it('delete the oldest files while the others have retention.bytes, and give their bytes back', async () => {
    await create('t');
    await produce(Date.now(), 10);
    await alter('t', [[SET, 'retention.bytes', '2500']]);
    await until(() => partition().startOffset > 0);
    // A file has one batch of some 970 bytes: three of them have 2,500.
    expect(partition()).to.include({ startOffset: 7, endOffset: 10 });
  });
});

describe('more partitions', () => {
  it('are made for a topic that has fewer, and are there after a restart', async () => {
    const data = dataFolder();
    let running = await startBroker({ data, maxPartitions: 12 });
    let client = await WireClient.connect(running.port);
    const topics = [{ name: 't', numPartitions: 2, replicationFactor: -1, assignments: [], configs: [] }];
    await client.send('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false });
    const grow = async (count: number, more: { name?: string; validateOnly?: boolean } = {}) => {
      const { name = 't', validateOnly = false } = more;
      const request = { topics: [{ name, count, assignments: null }], timeoutMs: 1000, validateOnly };
      return (await client.send('CreatePartitions', 3, request)).results[0].errorCode;
    };
    const count = () => running.broker.status().topics[0].partitions.length;
    expect(await grow(5, { validateOnly: true })).to.equal(NONE);
    expect(count()).to.equal(2);
    expect(await grow(2)).to.equal(INVALID_PARTITIONS);
    expect(await grow(1001)).to.equal(INVALID_PARTITIONS);
    expect(await grow(13)).to.equal(ErrorCode.POLICY_VIOLATION);
    expect(await grow(5, { name: 'nobody' })).to.equal(UNKNOWN_TOPIC_OR_PARTITION);
    expect(await grow(5)).to.equal(NONE);
    const { responses } = await client.send('Produce', 7, produceRequest('t', 4, -1, makeBatch(['x'])));
    expect(responses[0].partitionResponses[0]).to.include({ errorCode: NONE, baseOffset: 0 });
    client.destroy();
    await running.broker.stop();
    running = await startBroker({ data });
    expect(count()).to.equal(5);
    expect(running.broker.status().topics[0].partitions[4].endOffset).to.equal(1);
    client = await WireClient.connect(running.port);
    const cluster = await client.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false });
    expect(cluster).to.deep.include({ errorCode: NONE, controllerId: 0, clusterId: 'purgatory-broker' });
    expect(cluster.brokers).to.deep.equal([
      { brokerId: 0, host: '127.0.0.1', port: running.port, rack: null },
    ]);
    client.destroy();
    await running.broker.stop();
  });
});
