/**
 * What a broker does by the clock: groups without members expire, and their commits, and logs are
 * cut to what their topics' settings keep.
 */
import type { SystemTimer } from 'purgatory';
import type { GroupCoordinator } from './group/coordinator.ts';
import type { OffsetStore } from './group/offset-store.ts';
import type { Topics } from './log/topics.ts';
import type { Log } from './log-lines.ts';
import type { BrokerOptions } from './options.ts';
import { retentionOf } from './settings/topic-settings.ts';
import { FullDisk } from './storage/full-disk.ts';

/** Kafka's offsets.retention.check.interval.ms. */
const EXPIRY_CHECK_MS = 600_000;

interface Kept {
  readonly offsets: OffsetStore;
  readonly topics: Topics;
  readonly groups: GroupCoordinator;
  readonly log: Log;
}

/**
 * Goes on until the timer is closed. Neither begins at once: at the start of a broker, members have
 * yet to come back.
 */
export function scheduleUpkeep(
  timer: SystemTimer,
  options: BrokerOptions,
  { offsets, topics, groups, log }: Kept,
): void {
  const retentionMs = options.offsetsRetentionMinutes * 60_000;
  const repeat = (work: () => void, delayMs: number) =>
    timer.scheduleWithFixedDelay(() => unlessDiskIsFull(work, log), delayMs);
  const expire = () => {
    groups.expire(retentionMs);
    offsets.expire(Date.now(), retentionMs, (group) => groups.isActive(group));
  };
  repeat(expire, Math.min(retentionMs, EXPIRY_CHECK_MS));
  repeat(() => retainLogs(topics, Date.now()), options.logRetentionCheckIntervalMs);
}

/** What could not be written down is left for the next time. */
function unlessDiskIsFull(work: () => void, log: Log): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof FullDisk)) throw error;
    log(`left commits and logs as they are: ${error.message}`, 'limited');
  }
}

/** Followers delete what their leader has deleted. O(partitions + files). */
function retainLogs(topics: Topics, nowMs: number): void {
  for (const { settings, partitions } of topics.all()) {
    const retention = retentionOf(settings);
    for (const partition of partitions) if (partition.isLed) partition.retain(retention, nowMs);
  }
}
