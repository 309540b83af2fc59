/**
 * Which nodes replicate the partitions of a new topic, or those that a topic gets besides: by the
 * cluster's rule, or as the request assigns them. Checks all before anything is made; the rules are
 * those of Kafka (ReplicationControlManager). Stateless, O(partitions x replicas).
 */
import type { Cluster } from '../cluster.ts';
import type { Replicas, Topic } from '../log/topics.ts';
import type { Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Context } from './context.ts';

/**
 * A partition costs memory before it holds anything: no single request shall make a million of
 * them.
 */
const MAX_PARTITIONS = 1000;
/** In a request: the broker's default. */
const DEFAULT = -1;

/** Why a request is refused: an error code, and the rule in words. */
export type Refused = readonly [errorCode: number, errorMessage: string];
type Placement = { readonly replicas: Replicas } | { readonly refused: Refused };

type NewTopic = Request<'CreateTopics'>['topics'][number];
type MorePartitions = Request<'CreatePartitions'>['topics'][number];

/** Where the partitions of a new topic go. */
export function placeTopic(wanted: NewTopic, { cluster, options }: Context): Placement {
  const { assignments, numPartitions, replicationFactor } = wanted;
  if (assignments.length > 0) return placeAssigned(wanted, cluster);
  const count = numPartitions === DEFAULT ? options.partitions : numPartitions;
  if (count < 1 || count > MAX_PARTITIONS) return invalidPartitions(count, 1);
  const factor = replicationFactor === DEFAULT ? cluster.replicationFactor : replicationFactor;
  const most = cluster.nodes.length;
  if (factor < 1 || factor > most) {
    const rule = `a replication factor of ${factor}, where 1 to ${most} are possible`;
    return { refused: [ErrorCode.INVALID_REPLICATION_FACTOR, rule] };
  }
  return { replicas: byRule(cluster, 0, count, factor) };
}

/** Where the partitions go that `topic` gets besides; it keeps its replication factor. */
export function placeMore({ count, assignments }: MorePartitions, topic: Topic, cluster: Cluster): Placement {
  const before = topic.partitions.length;
  if (count <= before || count > MAX_PARTITIONS) return invalidPartitions(count, before + 1);
  const factor = topic.partitions[0].replicaIds.length;
  if (assignments === null) return { replicas: byRule(cluster, before, count, factor) };
  if (assignments.length !== count - before)
    return invalidAssignment(`${assignments.length} assignments for ${count - before} more partitions`);
  const replicas = assignments.map(({ brokerIds }) => brokerIds);
  return checked(replicas, before, factor, cluster);
}

function placeAssigned(
  { assignments, numPartitions, replicationFactor }: NewTopic,
  cluster: Cluster,
): Placement {
  if (numPartitions !== DEFAULT || replicationFactor !== DEFAULT) {
    const rule = `${numPartitions} partitions and a replication factor of ${replicationFactor} beside assignments, where both have to be -1`;
    return { refused: [ErrorCode.INVALID_REQUEST, rule] };
  }
  if (assignments.length > MAX_PARTITIONS) return invalidPartitions(assignments.length, 1);
  const sorted = [...assignments].sort((a, b) => a.partitionIndex - b.partitionIndex);
  for (const [index, { partitionIndex }] of sorted.entries()) {
    if (partitionIndex === index) continue;
    return invalidAssignment(
      `partition ${partitionIndex} is assigned, where ${index} is due: they count from 0`,
    );
  }
  const replicas = sorted.map(({ brokerIds }) => brokerIds);
  return checked(replicas, 0, replicas[0].length, cluster);
}

/** The assignments of the partitions from `first` on, where each names `factor` nodes. */
function checked(replicas: Replicas, first: number, factor: number, { nodes }: Cluster): Placement {
  for (const [index, ids] of replicas.entries()) {
    const partition = `partition ${first + index} is assigned to [${ids.slice(0, nodes.length + 1)}]`;
    if (ids.length === 0) return invalidAssignment(`${partition}, where a node is needed`);
    if (ids.some((id) => nodes[id] === undefined))
      return invalidAssignment(`${partition}, where the nodes are 0 to ${nodes.length - 1}`);
    if (new Set(ids).size !== ids.length) return invalidAssignment(`${partition}, a node twice`);
    if (ids.length !== factor)
      return invalidAssignment(`${partition}, where other partitions have ${factor} replicas`);
  }
  return { replicas };
}

function byRule(cluster: Cluster, from: number, to: number, factor: number): Replicas {
  return Array.from({ length: to - from }, (_, index) => cluster.replicasOf(from + index, factor));
}

function invalidPartitions(count: number, least: number): Placement {
  const rule = `${count} partitions, where ${least} to ${MAX_PARTITIONS} are possible`;
  return { refused: [ErrorCode.INVALID_PARTITIONS, rule] };
}

function invalidAssignment(rule: string): Placement {
  return { refused: [ErrorCode.INVALID_REPLICA_ASSIGNMENT, rule] };
}
