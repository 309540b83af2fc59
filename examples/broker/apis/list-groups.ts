import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';

/** The only type of group that there is here: its members share out the partitions (KIP-848). */
const CLASSIC = 'classic';

/** The groups of this node: those that have or had members, and those that committed something. */
export const listGroups: Handler<'ListGroups'> = (exchange, { groups, offsets }) => {
  const hasState = filter(exchange.request.statesFilter);
  const hasType = filter(exchange.request.typesFilter);
  const present = groups
    .all()
    .map(({ id, protocolType, state }) => ({ groupId: id, protocolType, groupState: state as string }));
  const away = offsets
    .groups()
    .filter((groupId) => groups.get(groupId) === undefined)
    .map((groupId) => ({ groupId, protocolType: 'consumer', groupState: 'Empty' }));
  exchange.respond({
    errorCode: ErrorCode.NONE,
    groups: [...present, ...away]
      .map((group) => ({ ...group, groupType: CLASSIC }))
      .filter(({ groupState, groupType }) => hasState(groupState) && hasType(groupType)),
  });
};

/** As Kafka: no names are all, and the case does not count. */
function filter(names: readonly string[]): (name: string) => boolean {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return (name) => wanted.size === 0 || wanted.has(name.toLowerCase());
}
