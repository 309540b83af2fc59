/**
 * The sessions of this node's group members: one DelayedHeartbeat for each member, in the heartbeat
 * purgatory.
 *
 * Owns `member.session`. A session runs only while the broker waits for the member. While the
 * member waits for the broker (a join or a sync that is not answered yet) the session is suspended,
 * because a member that waits cannot be late. O(1) each.
 */
import type { WaitingRoom } from '../waiting/waiting-room.ts';
import { DelayedHeartbeat } from './delayed-heartbeat.ts';
import type { Group } from './group.ts';
import type { Member } from './member.ts';

export class Sessions {
  readonly #room: WaitingRoom;

  constructor(room: WaitingRoom) {
    this.#room = room;
  }

  /**
   * A sign of life: the session ends `sessionTimeoutMs` from now, with a call of `onEnd`, unless it
   * is renewed before.
   */
  renew(group: Group, member: Member, onEnd: () => void): void {
    if (member.join !== undefined || member.sync !== undefined) return;
    this.suspend(member);
    member.session = this.start(group, member.id, member.profile.sessionTimeoutMs, onEnd);
  }

  suspend(member: Member): void {
    member.session?.cancel();
    member.session = undefined;
  }

  /**
   * For an id without a member yet. `onEnd` is called after `timeoutMs`, unless the session is
   * cancelled before.
   */
  start(group: Group, memberId: string, timeoutMs: number, onEnd: () => void): DelayedHeartbeat {
    const session = new DelayedHeartbeat(timeoutMs, onEnd);
    this.#room.enter(session, [`${group.id}/${memberId}`]);
    return session;
  }
}
