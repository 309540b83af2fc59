import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';

/** Replicas stay where they are, so none is ever on its way. */
export const listPartitionReassignments: Handler<'ListPartitionReassignments'> = (exchange) =>
  exchange.respond({ errorCode: ErrorCode.NONE, errorMessage: null, topics: [] });
