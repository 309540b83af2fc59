import type { Partition } from '../log/partition.ts';
import { isLegalTopicName } from '../log/topics.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { RecordBatchError, readBatches, stampBatch } from '../protocol/record-batch.ts';
import { writeRulesOf } from '../settings/topic-settings.ts';
import { FullDisk } from '../storage/full-disk.ts';
import { DelayedProduce, type PendingAck } from '../waiting/delayed-produce.ts';
import type { Context, Handler } from './context.ts';
import { logNoTransactions, NO_TRANSACTIONS, NO_TRANSACTIONS_MESSAGE } from './no-transactions.ts';

interface Appended {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly baseOffset: number;
  /** The time (ms) that the broker gave its records, where it did. */
  readonly logAppendTimeMs?: number;
  /** What it waits for, where it was appended. */
  readonly ack?: PendingAck;
}

/**
 * Appends each partition's batch. Then it answers when this node has kept them (acks=1), when all
 * replicas in sync have (acks=all), or not at all (acks=0).
 */
export const produce: Handler<'Produce'> = (exchange, context) => {
  const { acks, timeoutMs, topicData, transactionalId } = exchange.request;
  const refusal = refusalOf(acks, transactionalId);
  if (transactionalId !== null) logNoTransactions(exchange, context);
  // What is appended has to be acknowledged: who cannot wait for that may not begin.
  if (acks !== 0) context.produces.checkRoom();
  const forAll = acks === -1;
  const pending: PendingAck[] = [];
  const results = topicData.map(({ name, partitionData }) => ({
    name,
    partitions: partitionData.map(({ index, records }) => {
      const appended = refusal ?? append(context, name, index, records, forAll);
      if (appended.ack !== undefined) pending.push(appended.ack);
      return { index, ...appended };
    }),
  }));

  if (acks === 0) return answerNothing();
  logRefusals();
  if (pending.length === 0) return answer(new Map());
  const operation = new DelayedProduce(Math.max(0, timeoutMs), pending, forAll, answer);
  exchange.waitIn(context.produces, operation, operation.watched);

  /**
   * However many batches a request has, their refusal for a limit or for a full disk is one line
   * each.
   */
  function logRefusals(): void {
    const appended = results.flatMap(({ partitions }) => partitions);
    for (const code of [ErrorCode.POLICY_VIOLATION, ErrorCode.KAFKA_STORAGE_ERROR]) {
      const refused = appended.filter(({ errorCode }) => errorCode === code);
      if (refused.length === 0) continue;
      const reason = refused[0].errorMessage;
      context.log(`refused ${refused.length} batches of ${exchange.owner.peer}: ${reason}`, 'limited');
    }
  }

  function answer(ackErrors: ReadonlyMap<Partition, number>): void {
    exchange.respond({
      responses: results.map(({ name, partitions }) => ({
        name,
        partitionResponses: partitions.map(
          ({ index, ack, errorCode, errorMessage, baseOffset, logAppendTimeMs = -1 }) => ({
            index,
            errorCode: (ack && ackErrors.get(ack.partition)) ?? errorCode,
            baseOffset,
            logAppendTimeMs,
            logStartOffset: ack?.partition.log.startOffset ?? -1,
            recordErrors: [],
            errorMessage,
          }),
        ),
      })),
    });
  }

  /**
   * The only way to tell a producer that wants no answers of a failure is to close its connection
   * (as Kafka does).
   */
  function answerNothing(): void {
    const failed = results
      .flatMap(({ partitions }) => partitions)
      .find(({ errorCode }) => errorCode !== ErrorCode.NONE);
    if (failed === undefined) exchange.respondNothing();
    else
      exchange.owner.fail(
        `a produce with acks=0 failed with error ${failed.errorCode} (${failed.errorMessage})`,
      );
  }
};

function refusalOf(acks: number, transactionalId: string | null): Appended | undefined {
  if (acks !== 0 && acks !== 1 && acks !== -1)
    return refused(ErrorCode.INVALID_REQUIRED_ACKS, `acks ${acks}, where 0, 1 and -1 are known`);
  if (transactionalId !== null) return refused(NO_TRANSACTIONS, NO_TRANSACTIONS_MESSAGE);
  return undefined;
}

function append(
  context: Context,
  topic: string,
  index: number,
  records: Buffer | null,
  forAll: boolean,
): Appended {
  const found = context.topics.get(topic);
  const partition = found?.partitions[index];
  if (found === undefined || partition === undefined) {
    return isLegalTopicName(topic)
      ? refused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `there is no partition ${index} of "${topic}"`)
      : refused(ErrorCode.INVALID_TOPIC_EXCEPTION, 'not a legal topic name');
  }
  if (!partition.isLed)
    return refused(
      ErrorCode.NOT_LEADER_OR_FOLLOWER,
      `node ${partition.replicaIds[0]} leads "${partition.key}"`,
    );
  try {
    const batches = readBatches(records ?? Buffer.alloc(0));
    if (batches.length !== 1)
      throw new RecordBatchError(
        ErrorCode.INVALID_RECORD,
        `${batches.length} batches, where a produce has one`,
      );
    const rules = writeRulesOf(found.settings, context.options);
    const { maxMessageBytes, isLogAppendTime, minInsyncReplicas } = rules;
    if (batches[0].size > maxMessageBytes) {
      const rule = `a batch of ${batches[0].size} bytes, where max.message.bytes of "${topic}" is ${maxMessageBytes}`;
      throw new RecordBatchError(ErrorCode.MESSAGE_TOO_LARGE, rule);
    }
    const batch = isLogAppendTime ? stampBatch(batches[0], Date.now()) : batches[0];
    const before = partition.log.endOffset;
    const baseOffset = partition.append(batch, forAll ? minInsyncReplicas : 0);
    const isNew = partition.log.endOffset > before;
    if (isNew) context.recordMetrics.onAppended([batch.bytes]);
    const requiredOffset = baseOffset + batch.lastOffsetDelta + 1;
    // Of a batch that came before, the time that it has got then is not known.
    const logAppendTimeMs = isNew && isLogAppendTime ? batch.maxTimestamp : -1;
    return {
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      baseOffset,
      logAppendTimeMs,
      ack: { partition, requiredOffset, minInsyncReplicas },
    };
  } catch (error) {
    if (error instanceof RecordBatchError) return refused(error.errorCode, error.message);
    if (error instanceof FullDisk) return refused(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
    throw error;
  }
}

function refused(errorCode: number, errorMessage: string): Appended {
  return { errorCode, errorMessage, baseOffset: -1 };
}
