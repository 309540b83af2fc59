import { ErrorCode } from '../protocol/error-codes.ts';
import { authorizedOperations } from './authorized-operations.ts';
import type { Handler } from './context.ts';

/** The nodes that are there, and which of them is the controller. */
export const describeCluster: Handler<'DescribeCluster'> = (exchange, { cluster }) => {
  exchange.respond({
    errorCode: ErrorCode.NONE,
    errorMessage: null,
    clusterId: cluster.id,
    controllerId: cluster.isAlive(cluster.controller) ? cluster.controller.id : -1,
    brokers: cluster.nodes
      .filter((node) => cluster.isAlive(node))
      .map(({ id, host, port }) => ({ brokerId: id, host, port, rack: null })),
    clusterAuthorizedOperations: authorizedOperations(
      'cluster',
      exchange.request.includeClusterAuthorizedOperations,
    ),
  });
};
