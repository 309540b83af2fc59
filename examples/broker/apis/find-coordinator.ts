import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';
import { logNoTransactions, NO_TRANSACTIONS, NO_TRANSACTIONS_MESSAGE } from './no-transactions.ts';

/** The types of keys. */
const GROUP = 0;
const TRANSACTION = 1;
const SHARE = 2;
/** From here on several are asked for at once. */
const MANY_COORDINATORS_FROM = 4;

/** The node that coordinates a group. */
export const findCoordinator: Handler<'FindCoordinator'> = (exchange, context) => {
  const { cluster, log } = context;
  const { key, keyType, coordinatorKeys } = exchange.request;
  if (keyType === TRANSACTION) logNoTransactions(exchange, context);
  if (keyType === SHARE)
    log(`refused a share group of ${exchange.owner.peer}: this broker has no share groups`, 'limited');
  const refused = (key: string, errorCode: number, errorMessage: string) => ({
    key,
    nodeId: -1,
    host: '',
    port: -1,
    errorCode,
    errorMessage,
  });
  const find = (key: string) => {
    if (keyType === TRANSACTION) return refused(key, NO_TRANSACTIONS, NO_TRANSACTIONS_MESSAGE);
    if (keyType !== GROUP)
      return refused(key, ErrorCode.INVALID_REQUEST, `keys of type ${keyType} have no coordinator here`);
    const coordinator = cluster.coordinatorOf(key);
    if (!cluster.isAlive(coordinator)) {
      const message = `node ${coordinator.id}, which coordinates this group, is not there`;
      return refused(key, ErrorCode.COORDINATOR_NOT_AVAILABLE, message);
    }
    const { id, host, port } = coordinator;
    return { key, nodeId: id, host, port, errorCode: ErrorCode.NONE, errorMessage: null };
  };
  if (exchange.version >= MANY_COORDINATORS_FROM)
    exchange.respond({ coordinators: coordinatorKeys.map(find) });
  else exchange.respond({ ...find(key), coordinators: [] });
};
