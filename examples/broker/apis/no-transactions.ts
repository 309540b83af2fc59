/**
 * How a transactional producer is refused, in each request that it comes with: by an error that
 * ends it.
 *
 * It is the only error of FindCoordinator that librdkafka takes for final: after any other it asks
 * again for ever (rd_kafka_txn_handle_FindCoordinator). Java ends at every error that it does not
 * retry, this one among them (TransactionManager.FindCoordinatorHandler).
 */
import { ErrorCode } from '../protocol/error-codes.ts';

export const NO_TRANSACTIONS = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
export const NO_TRANSACTIONS_MESSAGE = 'this broker has no transactions';
