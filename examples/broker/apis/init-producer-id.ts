import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';
import { logNoTransactions, NO_TRANSACTIONS } from './no-transactions.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';

/**
 * A new number for an idempotent producer; transactions there are none. Whatever number it says that
 * it has does not count, as with Kafka: some clients send 0 for none, and two producers with the same
 * number would take each other's batches for their own.
 */
export const initProducerId: Handler<'InitProducerId'> = (exchange, context) => {
  if (exchange.request.transactionalId !== null) {
    logNoTransactions(exchange, context);
    exchange.respond({ errorCode: NO_TRANSACTIONS, producerId: -1, producerEpoch: -1 });
  } else {
    let next = -1;
    const errorCode = unlessDiskIsFull(context, 'a producer id', ErrorCode.KAFKA_STORAGE_ERROR, () => {
      next = context.producerIds.next();
    });
    exchange.respond({ errorCode, producerId: next, producerEpoch: next === -1 ? -1 : 0 });
  }
};
