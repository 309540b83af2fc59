/**
 * How groups get from one generation to the next: all members are called to join, those that come
 * make the new one, and they wait for their shares.
 *
 * Owns the `state` of groups from Empty to CompletingRebalance, and who is in them. One DelayedJoin
 * waits per group that rebalances (key: the group id), completed by the last member that joins. For
 * the coordinator only.
 */
import { ErrorCode } from '../protocol/error-codes.ts';
import type { WaitingRoom } from '../waiting/waiting-room.ts';
import { DelayedJoin, InitialDelayedJoin } from './delayed-join.ts';
import type { Group } from './group.ts';
import { type Member, sameSubscription } from './member.ts';
import type { Sessions } from './sessions.ts';

const NOTHING = Buffer.alloc(0);

export class Rebalances {
  readonly #joins: WaitingRoom;
  readonly #sessions: Sessions;
  readonly #initialDelayMs: number;
  readonly #onEnd: (group: Group) => void;

  /** `onEnd` is called for a group that has a new generation, an empty one perhaps. */
  constructor(joins: WaitingRoom, sessions: Sessions, initialDelayMs: number, onEnd: (group: Group) => void) {
    this.#joins = joins;
    this.#sessions = sessions;
    this.#initialDelayMs = initialDelayMs;
    this.#onEnd = onEnd;
  }

  /** Calls all members to join, or has the join that is under way look again. */
  begin(group: Group): void {
    if (group.state === 'PreparingRebalance') {
      this.lookAgain(group);
      return;
    }
    const isFirst = group.state === 'Empty' && this.#initialDelayMs > 0;
    group.state = 'PreparingRebalance';
    this.answerSyncs(group, ErrorCode.REBALANCE_IN_PROGRESS);
    if (isFirst) this.#awaitFirstMembers(group, group.rebalanceTimeoutMs());
    else this.#awaitMembers(group, group.rebalanceTimeoutMs());
  }

  /** Someone whom the join that is under way may have waited for is gone. */
  lookAgain(group: Group): void {
    if (group.state === 'PreparingRebalance') this.#joins.purgatory.checkAndComplete(group.id);
  }

  answerSyncs(group: Group, errorCode: number): void {
    const { protocolType, protocolName } = group;
    for (const member of group.members.values()) {
      if (member.sync === undefined) continue;
      const isShared = errorCode === ErrorCode.NONE;
      member.sync(
        isShared
          ? { errorCode, protocolType, protocolName, assignment: member.assignment }
          : { errorCode, assignment: NOTHING },
      );
      member.sync = undefined;
      this.renewSession(group, member);
    }
  }

  renewSession(group: Group, member: Member): void {
    this.#sessions.renew(group, member, () => this.remove(group, member));
  }

  /** Out of the group, which goes on without it. */
  remove(group: Group, member: Member): void {
    this.#drop(group, member);
    this.begin(group);
  }

  /**
   * `member` takes the place of `former`, whose process is told that it is fenced. A static member
   * that starts again gets its share back, with a new id and without a rebalance (KIP-345), unless
   * it asks for something else or the shares are just being given out, by ids that the leader knows.
   * A leader keeps the lead and shares out no more. Before version 9 it
   * cannot be told so: it gets its former id for the leader's, as Kafka does it.
   */
  takePlace(group: Group, former: Member, member: Member, maySkipAssignment: boolean): void {
    const leads = group.leaderId === former.id;
    group.replace(former, member);
    this.#dismiss(former, ErrorCode.FENCED_INSTANCE_ID);
    const isStable =
      group.state === 'Stable' &&
      group.favourite() === group.protocolName &&
      sameSubscription(former.profile, member.profile, group.protocolName);
    if (!isStable) {
      this.begin(group);
      return;
    }
    const result = group.joinResult(member.id);
    const toLeader = maySkipAssignment ? { skipAssignment: true } : { leader: former.id, members: [] };
    member.join?.(leads ? { ...result, ...toLeader } : result);
    member.join = undefined;
    this.renewSession(group, member);
  }

  /** Out of the group, with an answer to what it still waits for. */
  #drop(group: Group, member: Member): void {
    group.remove(member);
    this.#dismiss(member, ErrorCode.UNKNOWN_MEMBER_ID);
  }

  #dismiss(member: Member, errorCode: number): void {
    this.#sessions.suspend(member);
    member.release();
    member.join?.({ errorCode, memberId: member.id, members: [] });
    member.sync?.({ errorCode, assignment: NOTHING });
  }

  /**
   * Waits for members that start together, and on while they come, but no longer than their
   * rebalance timeout.
   */
  #awaitFirstMembers(group: Group, leftMs: number): void {
    const delayMs = Math.min(this.#initialDelayMs, leftMs);
    const { arrivals } = group;
    const onEnd = () => {
      const isGrowing = group.arrivals > arrivals && leftMs > delayMs;
      if (isGrowing) this.#awaitFirstMembers(group, leftMs - delayMs);
      else this.#onJoined(group);
    };
    this.#joins.enter(new InitialDelayedJoin(delayMs, onEnd), [group.id]);
  }

  #awaitMembers(group: Group, timeoutMs: number): void {
    this.#joins.enter(new DelayedJoin(group, timeoutMs, () => this.#onJoined(group)), [group.id]);
  }

  /**
   * The group goes on without the missing, but for static members: their places are theirs for as
   * long as their sessions. Where these are all that it has, it waits for one of them.
   */
  #onJoined(group: Group): void {
    for (const member of [...group.members.values()]) {
      if (member.join === undefined && member.profile.instanceId === null) this.#drop(group, member);
    }
    if (group.members.size > 0 && !group.electJoinedLeader()) {
      this.#awaitMembers(group, Math.max(group.rebalanceTimeoutMs(), group.sessionTimeoutMs()));
      return;
    }
    group.nextGeneration();
    for (const member of group.members.values()) {
      member.assignment = NOTHING;
      const respond = member.join;
      if (respond === undefined) continue;
      respond(group.joinResult(member.id));
      member.join = undefined;
      this.renewSession(group, member);
    }
    this.#onEnd(group);
  }
}
