import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';
import { NO_TRANSACTIONS } from './no-transactions.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';

const MAX_EPOCH = 2 ** 15 - 1;

/**
 * A number for an idempotent producer, or the next epoch of the one it has; transactions there are
 * none.
 */
export const initProducerId: Handler<'InitProducerId'> = (exchange, context) => {
  const { transactionalId, producerId, producerEpoch } = exchange.request;
  if (transactionalId !== null) {
    exchange.respond({ errorCode: NO_TRANSACTIONS, producerId: -1, producerEpoch: -1 });
  } else if (producerId >= 0 && producerEpoch >= 0 && producerEpoch < MAX_EPOCH) {
    exchange.respond({ errorCode: ErrorCode.NONE, producerId, producerEpoch: producerEpoch + 1 });
  } else {
    let next = -1;
    const errorCode = unlessDiskIsFull(context, 'a producer id', ErrorCode.KAFKA_STORAGE_ERROR, () => {
      next = context.producerIds.next();
    });
    exchange.respond({ errorCode, producerId: next, producerEpoch: next === -1 ? -1 : 0 });
  }
};
