import type { Partition } from '../log/partition.ts';
import type { TimeSearch } from '../log/time-search.ts';
import { isLegalTopicName } from '../log/topics.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { LEADER_EPOCH } from '../protocol/record-batch.ts';
import type { FoundTime } from '../protocol/record-times.ts';
import type { Handler } from './context.ts';
import { epochError } from './fetch.ts';
import { firstTime } from './first-time.ts';
import { respondLater } from './respond-later.ts';

/** What a timestamp below 0 asks for. */
const LATEST = -1;
const EARLIEST = -2;
/** The record with the largest timestamp (KIP-734). */
const MAX_TIMESTAMP = -3;
/** The first offset on this node's own disk (KIP-405), and all that there is is there. */
const EARLIEST_LOCAL = -4;
/** The last offset on remote disks (KIP-1005), where nothing is. */
const LATEST_TIERED = -5;

/**
 * The first offset, the high watermark, the latest record by time, or the first record that is not
 * older than a timestamp (-1 when there is none). Version 0 has a list of offsets instead, of which
 * this broker fills in one. Who asks for no time is answered at once.
 */
export const listOffsets: Handler<'ListOffsets'> = (exchange, { topics, timeSearches, log }) => {
  const isFirst = firstTime();
  const { replicaId } = exchange.request;
  const searches: ((search: TimeSearch) => Promise<void>)[] = [];
  const answered = exchange.request.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions
      .filter(({ partitionIndex }) => isFirst(`${name}-${partitionIndex}`))
      .map(({ partitionIndex, currentLeaderEpoch, timestamp, maxNumOffsets }) => {
        const partition = topics.get(name)?.partitions[partitionIndex];
        const errorCode = errorOf(name, partition, currentLeaderEpoch);
        if (partition === undefined || errorCode !== ErrorCode.NONE) return { partitionIndex, errorCode };
        const found = (offset: number, timestamp = -1) => {
          // What lies before a time ends, where no record is so late, with the log.
          const before = offset === -1 ? partition.highWatermark : offset;
          const oldStyleOffsets = maxNumOffsets > 0 ? [before] : [];
          return { partitionIndex, errorCode, offset, timestamp, oldStyleOffsets, leaderEpoch: LEADER_EPOCH };
        };
        const known = offsetOf(partition, timestamp, replicaId >= 0);
        const answer = found(known ?? -1);
        if (known === undefined)
          searches.push(async (search) => {
            const record = await searchIn(search, partition, timestamp);
            if (record?.isGuess)
              log(
                `answered a search by time in "${partition.key}" with the first record of a batch, whose records it could not read`,
                'limited',
              );
            Object.assign(answer, found(record?.offset ?? -1, record?.timestamp));
          });
        return answer;
      }),
  }));
  if (searches.length === 0) exchange.respond({ topics: answered });
  else
    respondLater(
      exchange,
      timeSearches.run(async (search) => {
        for (const each of searches) if (!exchange.owner.isClosed) await each(search);
        return { topics: answered };
      }),
    );
};

function errorOf(name: string, partition: Partition | undefined, epoch: number): number {
  if (partition !== undefined) return partition.isLed ? epochError(epoch) : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  return isLegalTopicName(name) ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.INVALID_TOPIC_EXCEPTION;
}

/** Undefined where records have to be looked at. */
function offsetOf(
  { log, highWatermark }: Partition,
  timestamp: number,
  isFollower: boolean,
): number | undefined {
  if (timestamp === LATEST) return isFollower ? log.endOffset : highWatermark;
  if (timestamp === EARLIEST || timestamp === EARLIEST_LOCAL) return log.startOffset;
  if (timestamp === LATEST_TIERED) return -1;
  return undefined;
}

function searchIn(
  search: TimeSearch,
  { log, highWatermark }: Partition,
  timestamp: number,
): Promise<FoundTime | undefined> {
  if (timestamp === MAX_TIMESTAMP) return search.findLatest(log, highWatermark);
  return search.find(log, timestamp, highWatermark);
}
