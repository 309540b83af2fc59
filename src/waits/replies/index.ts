// `purgatory/replies`: the calls of a client that wait for a reply, by correlation id.
export { type ExpectOptions, Replies, type RepliesOptions } from './replies.ts';
