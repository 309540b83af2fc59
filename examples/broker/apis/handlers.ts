/** The handler of every api in the table: what is listed here is what ApiVersions tells clients. */
import { apiVersions } from './api-versions.ts';
import { askingController, byController } from './by-controller.ts';
import { alterConfigs, describeConfigs, incrementalAlterConfigs, isOfTopics } from './configs.ts';
import type { Handlers } from './context.ts';
import { deleteRecords } from './delete-records.ts';
import { describeCluster } from './describe-cluster.ts';
import { describeLogDirs } from './describe-log-dirs.ts';
import { fetch } from './fetch.ts';
import { findCoordinator } from './find-coordinator.ts';
import { deleteGroups, offsetDelete } from './forget.ts';
import { describeGroups, heartbeat, joinGroup, leaveGroup, syncGroup } from './groups.ts';
import { initProducerId } from './init-producer-id.ts';
import { listGroups } from './list-groups.ts';
import { listOffsets } from './list-offsets.ts';
import { listPartitionReassignments } from './list-partition-reassignments.ts';
import { metadata } from './metadata.ts';
import { offsetCommit, offsetFetch } from './offsets.ts';
import { produce } from './produce.ts';
import { createPartitions, createTopics, deleteTopics } from './topics.ts';

export const handlers: Handlers = {
  Produce: produce,
  Fetch: fetch,
  ListOffsets: listOffsets,
  Metadata: metadata,
  OffsetCommit: offsetCommit,
  OffsetFetch: offsetFetch,
  FindCoordinator: findCoordinator,
  JoinGroup: joinGroup,
  Heartbeat: heartbeat,
  LeaveGroup: leaveGroup,
  SyncGroup: syncGroup,
  DescribeGroups: describeGroups,
  ListGroups: listGroups,
  ApiVersions: apiVersions,
  CreateTopics: byController(createTopics),
  DeleteTopics: byController(deleteTopics),
  InitProducerId: initProducerId,
  DescribeConfigs: askingController(describeConfigs, isOfTopics),
  AlterConfigs: byController(alterConfigs),
  IncrementalAlterConfigs: byController(incrementalAlterConfigs),
  CreatePartitions: byController(createPartitions),
  DeleteRecords: deleteRecords,
  DeleteGroups: deleteGroups,
  OffsetDelete: offsetDelete,
  DescribeCluster: describeCluster,
  DescribeLogDirs: describeLogDirs,
  ListPartitionReassignments: listPartitionReassignments,
};
