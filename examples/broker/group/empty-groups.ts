/**
 * Groups that had members and have none now: known as Empty, whatever they committed, until they
 * are deleted, were empty for the retention time, or others need the room.
 *
 * Owns them while they are empty; the coordinator takes one back when somebody joins it. They are
 * bounded, the longest empty go first, so that nobody is refused for groups that no one is in. O(1)
 * each, `expire` O(expired).
 */
import type { Group } from './group.ts';
import { textBytes } from './memory.ts';

const MAX_BYTES = 4 * 1024 * 1024;
/** The objects around a group. A round sum. */
const GROUP_BYTES = 512;

export class EmptyGroups {
  /** The longest empty first. */
  readonly #groups = new Map<string, { readonly group: Group; readonly sinceMs: number }>();
  #bytes = 0;

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId)?.group;
  }

  all(): Group[] {
    return [...this.#groups.values()].map(({ group }) => group);
  }

  /** `nowMs` is of a clock that does not go back, as that of `expire` is. */
  add(group: Group, nowMs: number): void {
    this.delete(group.id);
    this.#groups.set(group.id, { group, sinceMs: nowMs });
    this.#bytes += bytesOf(group);
    for (const oldest of this.#groups.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.delete(oldest);
    }
  }

  delete(groupId: string): void {
    const group = this.get(groupId);
    if (group === undefined) return;
    this.#groups.delete(groupId);
    this.#bytes -= bytesOf(group);
  }

  /** Forgets the groups that were empty for `retentionMs`. */
  expire(nowMs: number, retentionMs: number): void {
    for (const [groupId, { sinceMs }] of this.#groups) {
      if (nowMs - sinceMs < retentionMs) break;
      this.delete(groupId);
    }
  }
}

function bytesOf({ id, protocolType }: Group): number {
  return GROUP_BYTES + textBytes(id, protocolType);
}
