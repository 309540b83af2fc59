// The messages of all rooms, wherever they are kept: what a poll reads and a post writes.
//
// Ground rules for a place to keep them. Ids come from one sequence. So one number says how far a
// reader has got in any set of rooms. When a message can be read, all messages with lower ids can
// be read. So a reader that has seen an id has missed none below it.
import type { Post } from './requests.ts';

export interface Message extends Post {
  readonly id: number;
  readonly at: string;
}

/** The result of one read. */
export interface News {
  /** The oldest first. */
  readonly messages: readonly Message[];
  /** The id of the newest message of all rooms: read from there the next time. */
  readonly next: number;
}

export interface Feed {
  /** When it resolves, every process can read the message. */
  append(post: Post): Promise<Message>;
  /**
   * The messages of `rooms` that came after the id `after`. An id that is ahead of the feed counts
   * as 0: that client knew the feed before it was lost, and starts over.
   */
  after(rooms: readonly string[], after: number, options: { signal: AbortSignal }): Promise<News>;
}
