// `purgatory/replies`: the calls of a client that wait for a reply, by correlation id.
export { labelObject } from '../../base/label-object.ts';
export type { SnapshotOptions } from '../../purgatory/telemetry/purgatory-snapshot.ts';
export {
  type ExpectOptions,
  type OldReply,
  Replies,
  type RepliesOptions,
  type RepliesSnapshot,
  type RepliesTotals,
} from './replies.ts';
