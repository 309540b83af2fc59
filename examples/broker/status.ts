/** What `GET /status` tells: who waits, and how it went so far. O(topics + partitions + groups). */
import type { GroupCoordinator } from './group/coordinator.ts';
import type { Topics } from './log/topics.ts';
import type { ProtocolServer } from './network/server.ts';
import type { Rooms } from './waiting/rooms.ts';
import type { WaitingCounts } from './waiting/waiting-room.ts';

export interface BrokerStatus {
  readonly purgatories: Record<keyof Rooms, WaitingCounts>;
  readonly connections: number;
  /** Answers that clients have not taken. */
  readonly unsentBytes: number;
  readonly topics: readonly {
    name: string;
    partitions: readonly {
      startOffset: number;
      highWatermark: number;
      endOffset: number;
      inSyncReplicas: readonly number[];
    }[];
  }[];
  readonly groups: readonly { id: string; state: string; generation: number; members: number }[];
}

export function statusOf(
  { fetch, produce, join, heartbeat }: Rooms,
  { connections, unsentBytes }: ProtocolServer,
  topics: Topics,
  groups: GroupCoordinator,
): BrokerStatus {
  return {
    purgatories: {
      fetch: fetch.counts(),
      produce: produce.counts(),
      join: join.counts(),
      heartbeat: heartbeat.counts(),
    },
    connections,
    unsentBytes,
    topics: topics.all().map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ log, highWatermark, inSyncReplicas }) => ({
        startOffset: log.startOffset,
        highWatermark,
        endOffset: log.endOffset,
        inSyncReplicas,
      })),
    })),
    groups: groups
      .all()
      .map(({ id, state, generation, members }) => ({ id, state, generation, members: members.size })),
  };
}
