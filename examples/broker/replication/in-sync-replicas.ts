/**
 * The replicas of one partition as its leader sees them: how far each follower is, and which of
 * them count for acks=all.
 *
 * A follower's fetch says that it has everything below its offset. It is in sync while its last
 * fetch from the leader's end is not older than the lag that is allowed; it comes back with the
 * first fetch at or past the high watermark. The leader always is. At the start all count, each
 * with the whole lag to show up. O(replicas) each. (Kafka: Partition, replica.lag.time.max.ms.)
 */
interface Follower {
  /** The end of its log, as far as it has told. */
  endOffset: number;
  caughtUpAt: number;
  isInSync: boolean;
}

export class InSyncReplicas {
  readonly #leaderId: number;
  readonly #followers: ReadonlyMap<number, Follower>;

  constructor(leaderId: number, followerIds: readonly number[], nowMs: number) {
    this.#leaderId = leaderId;
    this.#followers = new Map(
      followerIds.map((id) => [id, { endOffset: 0, caughtUpAt: nowMs, isInSync: true }]),
    );
  }

  /** The ids, the leader's first. */
  get ids(): number[] {
    return [this.#leaderId, ...this.#inSync().map(([id]) => id)];
  }

  /**
   * Follower `id` fetches from `offset`, which the leader's log has kept to `endOffset` and shows
   * to `highWatermark`.
   */
  note(id: number, offset: number, endOffset: number, highWatermark: number, nowMs: number): void {
    const follower = this.#followers.get(id);
    // One that is ahead will be told to cut its log: it has something, but not what the leader has.
    if (follower === undefined || offset > endOffset) return;
    follower.endOffset = offset;
    if (offset >= endOffset) follower.caughtUpAt = nowMs;
    if (offset < highWatermark || follower.isInSync) return;
    follower.isInSync = true;
    follower.caughtUpAt = nowMs;
  }

  /** Puts those out that have not caught up for more than `lagMs`. */
  shrink(nowMs: number, lagMs: number): void {
    for (const [, follower] of this.#inSync()) follower.isInSync = nowMs - follower.caughtUpAt <= lagMs;
  }

  /** What all in sync have, where the leader has `endOffset`. */
  commonOffset(endOffset: number): number {
    return Math.min(endOffset, ...this.#inSync().map(([, follower]) => follower.endOffset));
  }

  #inSync(): [number, Follower][] {
    return [...this.#followers].filter(([, { isInSync }]) => isInSync);
  }
}
