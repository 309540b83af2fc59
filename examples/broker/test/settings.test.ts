import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { readBatches } from '../protocol/record-batch.ts';
import type { RequestDraft } from '../replication/peer-client.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { until } from './support/turns.ts';

const { NONE, INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION, INVALID_PARTITIONS } = ErrorCode;
const TOPIC = 2;
const BROKER = 4;
const [SET, DELETE, APPEND] = [0, 1, 2];
const [SOURCE_TOPIC, SOURCE_DEFAULT] = [1, 5];
const DAY_MS = 86_400_000;

/** What the broker does for every topic. */
const SAME = {
  'flush.ms': '9223372036854775807',
  'flush.messages': '9223372036854775807',
  'delete.retention.ms': '86400000',
  'min.cleanable.dirty.ratio': '0.5',
  'index.interval.bytes': '4096',
  'segment.index.bytes': '10485760',
  'file.delete.delay.ms': '60000',
  'local.retention.ms': '-2',
  'local.retention.bytes': '-2',
  'segment.jitter.ms': '0',
  'message.timestamp.before.max.ms': '9223372036854775807',
  'message.timestamp.after.max.ms': '9223372036854775807',
  'message.timestamp.difference.max.ms': '9223372036854775807',
  'compression.type': 'producer',
  'cleanup.policy': 'delete',
  'message.format.version': '3.0-IV1',
  preallocate: 'false',
  'remote.storage.enable': 'false',
  'unclean.leader.election.enable': 'false',
};

describe('the settings of a topic', () => {
  const broker = brokerOfEachTest({ partitions: 1, segmentBytes: 1024, logRetentionCheckIntervalMs: 20 });

  const create = (name: string, configs: { name: string; value: string | null }[] = []) =>
    broker.client.createTopic(name, { numPartitions: 1, configs });

  const describeConfigs = async (
    resourceName: string,
    { version = 4, resourceType = TOPIC, configurationKeys = null as string[] | null } = {},
  ) => {
    const request: RequestDraft<'DescribeConfigs'> = {
      resources: [{ resourceType, resourceName, configurationKeys }],
      includeSynonyms: true,
      includeDocumentation: true,
    };
    return (await broker.client.send('DescribeConfigs', version, request)).results[0];
  };

  const alter = async (
    name: string,
    change: readonly [operation: number, name: string, value: string | null][],
    { resourceType = TOPIC, validateOnly = false } = {},
  ) => {
    const configs = change.map(([configOperation, name, value]) => ({ configOperation, name, value }));
    const request = { resources: [{ resourceType, resourceName: name, configs }], validateOnly };
    return (await broker.client.send('IncrementalAlterConfigs', 1, request)).responses[0];
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
        'min.insync.replicas': '1',
        'segment.bytes': '1024',
        'segment.ms': '9223372036854775807',
        ...SAME,
      });
      expect(configs.filter(({ readOnly }) => readOnly).map(({ name }) => name)).to.have.members(
        Object.keys(SAME),
      );
      // What is set for no topic is listed by no tool (kafka-topics --topics-with-overrides).
      expect(
        configs.every(({ isDefault, configSource }) =>
          version === 0 ? isDefault : configSource === SOURCE_DEFAULT,
        ),
      ).to.equal(true);
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
    await broker.restart();
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['1000', SOURCE_TOPIC]);
    expect(await settingOf('t', 'retention.bytes')).to.deep.equal(['5000', SOURCE_TOPIC]);
    expect((await alter('t', [[DELETE, 'retention.ms', null]])).errorCode).to.equal(NONE);
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['-1', SOURCE_DEFAULT]);
    const configs = [{ name: 'retention.ms', value: '7' }];
    const resources = [{ resourceType: TOPIC, resourceName: 't', configs }];
    const { responses } = await broker.client.send('AlterConfigs', 2, { resources, validateOnly: false });
    expect(responses[0].errorCode).to.equal(NONE);
    expect(await settingOf('t', 'retention.ms')).to.deep.equal(['7', SOURCE_TOPIC]);
    expect(await settingOf('t', 'retention.bytes'), 'not named').to.deep.equal(['-1', SOURCE_DEFAULT]);
  });

  it('may ask for what the broker does anyway, which sets nothing', async () => {
    const asked = Object.entries(SAME).map(([name, value]) => ({ name, value }));
    const formats = ['0.11.0', '0.11.0-IV2', '2.8', '3.0-IV1', '10.1'];
    asked.push(...formats.map((value) => ({ name: 'message.format.version', value })));
    const made = await create('t', asked);
    expect(made.errorCode).to.equal(NONE);
    const { configs } = await describeConfigs('t');
    expect(configs.filter(({ configSource }) => configSource !== SOURCE_DEFAULT)).to.deep.equal([]);
    const idle = { 'flush.ms': '1000', 'delete.retention.ms': '5', 'min.cleanable.dirty.ratio': '0.01' };
    for (const [name, value] of Object.entries({ ...SAME, ...idle, 'min.insync.replicas': '1' }))
      expect((await alter('t', [[SET, name, value]])).errorCode, name).to.equal(NONE);
    await broker.restart({ flushMs: 50 });
    const refused = await alter('t', [[SET, 'flush.ms', '10']]);
    expect(refused.errorCode, 'where records are flushed later').to.equal(INVALID_CONFIG);
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
      ['preallocate', 'true', 'preallocate is false for every topic here, and cannot be "true"'],
      ['unclean.leader.election.enable', 'true', 'unclean.leader.election.enable is false for every'],
      ['message.format.version', '0.10.2', 'message.format.version is 3.0-IV1 for every topic here'],
      ['min.insync.replicas', '0', 'min.insync.replicas is "0", where a whole number from 1 to 2147483647'],
      ['segment.bytes', '1023', 'segment.bytes is "1023", where a whole number from 1024 to 2147483647'],
      ['segment.ms', '0', 'segment.ms is "0", where a whole number of ms from 1 up is needed'],
      ['flush.ms', 'soon', 'flush.ms is 9223372036854775807 for every topic here, and cannot be "soon"'],
      ['segment.jitter.ms', '5', 'segment.jitter.ms is 0 for every topic here'],
      ['message.timestamp.after.max.ms', '3600000', 'message.timestamp.after.max.ms is 9223372036854775807'],
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
    expect(broker.status.topics.map(({ name }) => name)).to.deep.equal(['t']);
  });

  it('of a node are its options, to read', async () => {
    const { configs } = await describeConfigs('0', { resourceType: BROKER });
    const found = Object.fromEntries(configs.map(({ name, value }) => [name, value]));
    expect(found).to.include({ 'broker.id': '0', 'log.segment.bytes': '1024', 'num.partitions': '1' });
    expect(configs.every(({ readOnly }) => readOnly)).to.equal(true);
    expect((await describeConfigs('1', { resourceType: BROKER })).errorCode).to.equal(INVALID_REQUEST);
    expect((await describeConfigs('x', { resourceType: 8 })).errorCode).to.equal(INVALID_REQUEST);
  });

  const partition = () => broker.partition();
  const send = (records: Buffer, acks = -1) => broker.client.produce('t', 0, acks, records);
  const produce = async (timestamp: number, count = 1) => {
    for (let i = 0; i < count; i++) await send(makeBatch(['x'.repeat(900)], [timestamp]));
  };

  const files = () => readdirSync(join(broker.data, 'node-0', 'logs', 't-0')).length;

  it('begin the next log file with segment.bytes, and with records that are later by segment.ms', async () => {
    await create('t', [{ name: 'segment.bytes', value: '3000' }]);
    await produce(5, 4);
    expect(files(), 'three of some 970 bytes in each').to.equal(2);
    await alter('t', [[DELETE, 'segment.bytes', null]]);
    await produce(5, 2);
    expect(files(), "the node's own segments have 1,024 bytes").to.equal(4);
    await alter('t', [
      [SET, 'segment.bytes', '1000000'],
      [SET, 'segment.ms', '100'],
    ]);
    for (const time of [105, 104, 3]) await produce(time);
    expect(files()).to.equal(4);
    await produce(106);
    expect(files(), 'later than the first of its file by 101 ms').to.equal(5);
    await produce(206);
    expect(files()).to.equal(5);
    await broker.restart();
    await produce(207);
    expect(files(), 'also after a restart').to.equal(6);
  });

  it('refuse acks=all with fewer replicas than min.insync.replicas, and nothing else', async () => {
    await create('t', [{ name: 'min.insync.replicas', value: '2' }]);
    expect(await send(makeBatch(['x']))).to.include({
      errorCode: ErrorCode.NOT_ENOUGH_REPLICAS,
      errorMessage: '1 replicas are in sync, where 2 are needed',
    });
    expect(await send(makeBatch(['x']), 1)).to.include({ errorCode: NONE, baseOffset: 0 });
    await alter('t', [[DELETE, 'min.insync.replicas', null]]);
    expect(await send(makeBatch(['x']))).to.include({ errorCode: NONE, baseOffset: 1 });
  });

  it('refuse a batch that is larger than max.message.bytes, and take one that is as large', async () => {
    const records = makeBatch(['x'.repeat(500)]);
    await create('t', [{ name: 'max.message.bytes', value: `${records.length - 1}` }]);
    expect(await send(records)).to.include({
      errorCode: ErrorCode.MESSAGE_TOO_LARGE,
      baseOffset: -1,
      errorMessage: `a batch of ${records.length} bytes, where max.message.bytes of "t" is ${records.length - 1}`,
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

    const [batch] = readBatches(Buffer.concat((await broker.client.park()).records));
    expect(batch).to.include({ isLogAppendTime: true, maxTimestamp: first.logAppendTimeMs });
    const offsetAt = async (timestamp: number) => {
      const found = await broker.client.findOffset('t', timestamp, 5);
      return [found.offset, found.timestamp];
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
    await until(() => partition().startOffset === 3, 'retention has deleted records');
    await alter('t', [[SET, 'retention.ms', '0']]);
    await until(() => partition().startOffset === 6, 'retention has deleted records');
    expect(partition()).to.include({ startOffset: 6, highWatermark: 6, endOffset: 6 });
    await alter('t', [[DELETE, 'retention.ms', null]]);
    await broker.restart();
    expect(partition()).to.include({ startOffset: 6, highWatermark: 6, endOffset: 6 });
    await produce(Date.now());
    expect(partition()).to.include({ startOffset: 6, highWatermark: 7, endOffset: 7 });
  });

  it('delete the oldest files while the others have retention.bytes, and give their bytes back', async () => {
    await create('t');
    await produce(Date.now(), 10);
    await alter('t', [[SET, 'retention.bytes', '2500']]);
    await until(() => partition().startOffset > 0, 'retention has deleted records');
    // A file has one batch of some 970 bytes: three of them have 2,500.
    expect(partition()).to.include({ startOffset: 7, endOffset: 10 });
  });
});

describe('more partitions', () => {
  const broker = brokerOfEachTest();

  it('are made for a topic that has fewer, and are there after a restart', async () => {
    await broker.restart({ maxPartitions: 12 });
    await broker.client.createTopic('t', { numPartitions: 2 });
    const grow = async (count: number, validateOnly = false, name = 't') =>
      (await broker.client.grow(name, count, null, validateOnly)).errorCode;
    const count = () => broker.status.topics[0].partitions.length;
    expect(await grow(5, true)).to.equal(NONE);
    expect(count()).to.equal(2);
    expect(await grow(2)).to.equal(INVALID_PARTITIONS);
    expect(await grow(1001)).to.equal(INVALID_PARTITIONS);
    expect(await grow(13)).to.equal(ErrorCode.POLICY_VIOLATION);
    expect(broker.logged()).to.deep.equal(['refused 1 new topics of PEER: --max-partitions is 12']);
    expect(await grow(5, false, 'nobody')).to.equal(UNKNOWN_TOPIC_OR_PARTITION);
    expect(await grow(5)).to.equal(NONE);
    const produced = await broker.client.produce('t', 4, -1, makeBatch(['x']));
    expect(produced).to.include({ errorCode: NONE, baseOffset: 0 });
    await broker.restart();
    expect(count()).to.equal(5);
    expect(broker.partition(4).endOffset).to.equal(1);
    const cluster = await broker.client.send('DescribeCluster', 1, {
      includeClusterAuthorizedOperations: false,
    });
    expect(cluster).to.deep.include({ errorCode: NONE, controllerId: 0, clusterId: 'purgatory-broker' });
    const self = { brokerId: 0, host: '127.0.0.1', port: broker.port, rack: null };
    expect(cluster.brokers).to.deep.equal([self]);
  });
});
