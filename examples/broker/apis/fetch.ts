import { isLegalTopicName } from '../log/topics.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { LEADER_EPOCH } from '../protocol/record-batch.ts';
import { DelayedFetch, type FetchedPartition, type PartitionFetch } from '../waiting/delayed-fetch.ts';
import type { Handler } from './context.ts';
import { firstTime } from './first-time.ts';

/** From here on the request names topics by id. */
const TOPIC_IDS_FROM = 13;

/**
 * Answers with what there is, or waits for `minBytes` up to `maxWaitMs`. There are no fetch
 * sessions: each request is whole.
 */
export const fetch: Handler<'Fetch'> = (exchange, context) => {
  const { request, version } = exchange;
  if (request.sessionId !== 0) {
    exchange.respond({ errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses: [] });
    return;
  }
  const { replicaId } = request;
  const byId = version >= TOPIC_IDS_FROM;
  const isFirst = firstTime();
  const topics = request.topics.map(({ topic, topicId, partitions }) => ({
    topic,
    topicId,
    partitions: partitions.filter(({ partition }) => isFirst(`${byId ? topicId : topic}-${partition}`)),
  }));
  const fetches: PartitionFetch[] = [];
  for (const { topic: name, topicId, partitions } of topics) {
    const topic = byId ? context.topics.getById(topicId) : context.topics.get(name);
    for (const wanted of partitions) {
      const partition = topic?.partitions[wanted.partition];
      if (replicaId >= 0 && partition?.isLed) partition.noteFollower(replicaId, wanted.fetchOffset);
      fetches.push({
        index: wanted.partition,
        partition,
        errorCode: partition
          ? epochError(wanted.currentLeaderEpoch)
          : unknownError(byId, topic === undefined, name),
        fetchOffset: wanted.fetchOffset,
        maxBytes: Math.max(0, wanted.partitionMaxBytes),
      });
    }
  }

  // A client that pipelines may have many fetches answered at once: only the first of them then
  // carry records.
  const room = () => Math.min(Math.max(0, request.maxBytes), exchange.owner.roomForRecords);
  const operation = new DelayedFetch(
    Math.max(0, request.maxWaitMs),
    request.minBytes,
    room,
    replicaId < 0 ? 'consumer' : 'follower',
    fetches,
    respond,
  );
  const watched = fetches.flatMap(({ partition }) => partition?.key ?? []);
  if (request.maxWaitMs <= 0 || watched.length === 0) operation.forceComplete();
  else exchange.waitIn(context.fetches, operation, watched);

  function respond(fetched: FetchedPartition[]): void {
    let next = 0;
    for (const { records } of fetched) context.recordMetrics.onFetched(records);
    exchange.respond({
      responses: topics.map(({ topic, topicId, partitions }) => ({
        topic,
        topicId,
        partitions: partitions.map(({ partition: partitionIndex }) => {
          const result = fetched[next++];
          return {
            partitionIndex,
            ...result,
            lastStableOffset: result.highWatermark,
            abortedTransactions: null,
          };
        }),
      })),
    });
  }
};

function unknownError(byId: boolean, isTopicUnknown: boolean, name: string): number {
  if (byId && isTopicUnknown) return ErrorCode.UNKNOWN_TOPIC_ID;
  if (!byId && !isLegalTopicName(name)) return ErrorCode.INVALID_TOPIC_EXCEPTION;
  return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
}

/**
 * A client that knows of an older or a newer leader than this one must refresh its metadata; -1
 * knows of none.
 */
export function epochError(epoch: number): number {
  if (epoch === -1 || epoch === LEADER_EPOCH) return ErrorCode.NONE;
  return epoch < LEADER_EPOCH ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.UNKNOWN_LEADER_EPOCH;
}
