/** What a broker does by the clock: commits of groups that are gone expire, and logs are cut to what their topics' settings keep. */
import type { SystemTimer } from 'purgatory';
import type { OffsetStore } from './group/offset-store.ts';
import type { Topics } from './log/topics.ts';
import type { BrokerOptions } from './options.ts';
import { retentionOf } from './settings/topic-settings.ts';

/** Kafka's offsets.retention.check.interval.ms. */
const EXPIRY_CHECK_MS = 600_000;

interface Kept {
  readonly offsets: OffsetStore;
  readonly topics: Topics;
  /** Whether a group has members. */
  readonly isActive: (group: string) => boolean;
}

/** Goes on until the timer is closed. Neither begins at once: at the start of a broker, members have yet to come back. */
export function scheduleUpkeep(
  timer: SystemTimer,
  options: BrokerOptions,
  { offsets, topics, isActive }: Kept,
): void {
  const retentionMs = options.offsetsRetentionMinutes * 60_000;
  timer.scheduleWithFixedDelay(
    () => offsets.expire(Date.now(), retentionMs, isActive),
    Math.min(retentionMs, EXPIRY_CHECK_MS),
  );
  timer.scheduleWithFixedDelay(() => retainLogs(topics, Date.now()), options.logRetentionCheckIntervalMs);
}

/** Followers delete what their leader has deleted. O(partitions + files). */
function retainLogs(topics: Topics, nowMs: number): void {
  for (const { settings, partitions } of topics.all()) {
    const retention = retentionOf(settings);
    for (const partition of partitions) if (partition.isLed) partition.retain(retention, nowMs);
  }
}
