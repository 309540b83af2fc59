import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';

/** A number for an idempotent producer; transactions there are none. */
export const initProducerId: Handler<'InitProducerId'> = (exchange, context) => {
  if (exchange.request.transactionalId !== null) {
    exchange.respond({ errorCode: ErrorCode.INVALID_REQUEST, producerId: -1, producerEpoch: -1 });
  } else {
    exchange.respond({ errorCode: ErrorCode.NONE, producerId: context.nextProducerId(), producerEpoch: 0 });
  }
};
