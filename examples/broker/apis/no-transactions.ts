/**
 * How a transactional producer is refused, in each request that it comes with: by an error that
 * ends it, and by a line in the log, because some clients do not show the text of the error.
 *
 * It is the only error of FindCoordinator that librdkafka takes for final: after any other it asks
 * again for ever (rd_kafka_txn_handle_FindCoordinator). Java ends at every error that it does not
 * retry, this one among them (TransactionManager.FindCoordinatorHandler).
 */
import type { Exchange } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Context } from './context.ts';

export const NO_TRANSACTIONS = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
export const NO_TRANSACTIONS_MESSAGE = 'this broker has no transactions';

export function logNoTransactions({ api, owner }: Exchange, { log }: Context): void {
  log(`refused ${api} with a transactional id of ${owner.peer}: ${NO_TRANSACTIONS_MESSAGE}`, 'limited');
}
