/**
 * Makes a follower's log a beginning of its leader's, before anything is fetched. A leader that was
 * started again may have lost its end (power lost, and `--flush-ms` or `--flush-messages` flushed
 * late) and have other records there now.
 *
 * What is above the leader's high watermark is cut off. It was never acknowledged, and the leader
 * has it. The other batches are compared with the leader's, byte by byte, from the last one
 * backwards in steps that double. What is behind the first that is the same is cut off. Two logs
 * that have the same batch at the same offset count as the same before it. What the leader has
 * deleted at its start is deleted here too, and cannot be compared. Where nothing is the same, the
 * follower begins where its leader does. One request where nothing differs, O(log records)
 * otherwise.
 */
import type { Partition } from '../log/partition.ts';
import type { Log } from '../log-lines.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { readHeader } from '../protocol/record-batch.ts';

/** What the leader answers to a consumer's fetch from an offset; undefined when it does not. */
export type FetchFromLeader = (
  partition: Partition,
  offset: number,
  maxBytes: number,
) => Promise<
  | {
      errorCode: number;
      highWatermark: number;
      logStartOffset: number;
      records: readonly Buffer[] | null;
    }
  | undefined
>;

/** True iff the leader answered all that is needed. The log is then cut where it must be. */
export async function alignWithLeader(
  partition: Partition,
  fetchFromLeader: FetchFromLeader,
  log: Log,
): Promise<boolean> {
  const own = partition.log;
  const { endOffset } = own;
  let end = endOffset;
  let leaderStart = 0;
  let isOther = false;
  for (let back = 1; end > Math.max(own.startOffset, leaderStart); ) {
    const [batch] = own.read(Math.max(own.startOffset, end - back), end, 0, true);
    const { baseOffset, lastOffsetDelta } = readHeader(batch, 0);
    const answer = await fetchFromLeader(partition, Math.max(baseOffset, leaderStart), batch.length);
    if (answer === undefined || partition.isDeleted) return false;
    const { errorCode, highWatermark, logStartOffset, records } = answer;
    if (errorCode !== ErrorCode.NONE && errorCode !== ErrorCode.OFFSET_OUT_OF_RANGE) return false;
    const isDeletedThere = baseOffset < logStartOffset && leaderStart < logStartOffset;
    leaderStart = logStartOffset;
    if (end > highWatermark) {
      end = highWatermark;
    } else if (isDeletedThere && errorCode !== ErrorCode.NONE) {
      // Asked again from the leader's start, it answers with the whole batch that holds it, if
      // there is one.
    } else if (
      Buffer.concat(records ?? [])
        .subarray(0, batch.length)
        .equals(batch)
    ) {
      end = baseOffset + lastOffsetDelta + 1;
      break;
    } else {
      isOther = true;
      back = 2 * (end - baseOffset);
      if (baseOffset <= Math.max(own.startOffset, leaderStart)) end = leaderStart;
    }
  }
  // A leader that ends before this node begins has lost its log.
  if (end < own.startOffset) end = leaderStart;
  if (end < endOffset) partition.truncateTo(end);
  partition.deleteBefore(leaderStart);
  if (isOther)
    log(`cut ${partition.key} from offset ${endOffset} to ${end}, up to where its leader has the same`);
  return true;
}
