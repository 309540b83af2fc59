/**
 * The settings of a broker, for those who ask (DescribeConfigs): its options by the names that
 * Kafka has for them. They are read-only.
 */
import type { BrokerOptions } from '../options.ts';
import { type Setting, SettingSource, SettingType } from './setting.ts';

export function describeBrokerSettings(options: BrokerOptions, nodeId: number): Setting[] {
  const { INT, LONG, BOOLEAN } = SettingType;
  const table: readonly (readonly [name: string, type: number, value: number | boolean, option: string])[] = [
    ['broker.id', INT, nodeId, 'node'],
    ['auto.create.topics.enable', BOOLEAN, true, ''],
    ['num.partitions', INT, options.partitions, 'partitions'],
    ['default.replication.factor', INT, Math.min(3, options.nodes), 'nodes'],
    ['min.insync.replicas', INT, options.minInsyncReplicas, 'min-insync-replicas'],
    ['replica.lag.time.max.ms', LONG, options.replicaLagMs, 'replica-lag-ms'],
    ['log.segment.bytes', INT, options.segmentBytes, 'segment-bytes'],
    ['log.retention.ms', LONG, -1, ''],
    ['log.retention.bytes', LONG, -1, ''],
    [
      'log.retention.check.interval.ms',
      LONG,
      options.logRetentionCheckIntervalMs,
      'log-retention-check-interval-ms',
    ],
    ['socket.request.max.bytes', INT, options.maxFrameBytes, 'max-frame-bytes'],
    ['max.connections', INT, options.maxConnections, 'max-connections'],
    ['connections.max.idle.ms', LONG, options.connectionsMaxIdleMs, 'connections-max-idle-ms'],
    ['producer.id.expiration.ms', INT, options.producerIdExpirationMs, 'producer-id-expiration-ms'],
    ['offsets.retention.minutes', INT, options.offsetsRetentionMinutes, 'offsets-retention-minutes'],
    ['offset.metadata.max.bytes', INT, options.offsetMetadataMaxBytes, 'offset-metadata-max-bytes'],
    ['group.max.size', INT, options.groupMaxSize, 'group-max-size'],
    ['group.min.session.timeout.ms', INT, options.groupMinSessionTimeoutMs, 'group-min-session-timeout-ms'],
    ['group.max.session.timeout.ms', INT, options.groupMaxSessionTimeoutMs, 'group-max-session-timeout-ms'],
    ['group.initial.rebalance.delay.ms', INT, options.groupInitialRebalanceMs, 'group-initial-rebalance-ms'],
  ];
  return table.map(([name, type, value, option]) => ({
    name,
    type,
    value: String(value),
    source: SettingSource.STATIC_BROKER,
    isReadOnly: true,
    documentation: option === '' ? 'Fixed.' : `The option --${option}.`,
  }));
}
