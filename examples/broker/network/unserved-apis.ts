/**
 * Apis that clients may ask for and this broker does not have, by their keys: what is told of such
 * a request is its name, and what is missing.
 */
const TRANSACTIONS = 'this broker has no transactions';
const CONSUMER_GROUPS = 'this broker has classic groups only, not those of KIP-848 (group.protocol=consumer)';
const SHARE_GROUPS = 'this broker has no share groups';

const unserved = new Map<number, readonly [name: string, reason: string]>([
  [24, ['AddPartitionsToTxn', TRANSACTIONS]],
  [25, ['AddOffsetsToTxn', TRANSACTIONS]],
  [26, ['EndTxn', TRANSACTIONS]],
  [28, ['TxnOffsetCommit', TRANSACTIONS]],
  [65, ['DescribeTransactions', TRANSACTIONS]],
  [66, ['ListTransactions', TRANSACTIONS]],
  [68, ['ConsumerGroupHeartbeat', CONSUMER_GROUPS]],
  [69, ['ConsumerGroupDescribe', CONSUMER_GROUPS]],
  [76, ['ShareGroupHeartbeat', SHARE_GROUPS]],
  [77, ['ShareGroupDescribe', SHARE_GROUPS]],
  [78, ['ShareFetch', SHARE_GROUPS]],
  [79, ['ShareAcknowledge', SHARE_GROUPS]],
]);

/** Why a request of the api with this key is refused. */
export function describeUnserved(key: number): string {
  const [name, reason] = unserved.get(key) ?? [`a request of api ${key}`, 'it is not served'];
  return `${name}: ${reason}`;
}
