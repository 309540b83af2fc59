/**
 * The Fetch request that our own clients send, followers and the readers of the demo: no session,
 * no rack, a batch however small.
 */
import { NO_TOPIC_ID } from './schema.ts';

export const FETCH_VERSION = 12;
/** The replica id of a client that is no follower. */
export const CONSUMER = -1;

export interface Wanted {
  readonly topic: string;
  readonly partition: number;
  readonly fetchOffset: number;
}

/**
 * @param replicaId the follower's node id, or CONSUMER. @param maxWaitMs how long the broker may
 * let the request wait.
 */
export function fetchRequest(
  replicaId: number,
  maxWaitMs: number,
  wanted: readonly Wanted[],
  maxBytes: number,
  partitionMaxBytes: number,
) {
  return {
    replicaId,
    maxWaitMs,
    minBytes: 1,
    maxBytes,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: wanted.map(({ topic, partition, fetchOffset }) => ({
      topic,
      topicId: NO_TOPIC_ID,
      partitions: [{ partition, fetchOffset, partitionMaxBytes }],
    })),
    forgottenTopicsData: [],
    rackId: '',
  };
}
