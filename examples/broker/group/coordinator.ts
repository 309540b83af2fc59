/**
 * Keeps the consumer groups of this node: members join, the leader shares out, heartbeats keep sessions alive.
 *
 * Owns all groups and is the only one that changes them. One DelayedJoin waits per group that rebalances (key: the group id),
 * completed by the last member that joins. A join or a sync is answered exactly once, through the callback it brought; these
 * callbacks must not call back in the same turn.
 */
import { randomUUID } from 'node:crypto';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { WaitingRoom } from '../waiting/waiting-room.ts';
import {
  type CoordinatorOptions,
  type JoinRequest,
  joinError,
  rebalanceError,
  unknownError,
} from './admission.ts';
import { DelayedJoin, InitialDelayedJoin } from './delayed-join.ts';
import { Group } from './group.ts';
import type { JoinResult, Member, MemberProfile, SyncResult } from './member.ts';
import { Sessions } from './sessions.ts';

const NOTHING = Buffer.alloc(0);

/** How a request names the member that it comes from. */
export interface MemberRef {
  readonly groupId: string;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
}

type Found = { readonly group: Group; readonly member: Member } | { readonly errorCode: number };

export class GroupCoordinator {
  readonly #groups = new Map<string, Group>();
  readonly #joins: WaitingRoom;
  readonly #sessions: Sessions;
  readonly #options: CoordinatorOptions;
  #members = 0;

  constructor(joins: WaitingRoom, heartbeats: WaitingRoom, options: CoordinatorOptions) {
    this.#options = options;
    this.#joins = joins;
    this.#sessions = new Sessions(heartbeats);
  }

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId);
  }

  all(): Group[] {
    return [...this.#groups.values()];
  }

  join(request: JoinRequest, respond: (result: JoinResult) => void): void {
    const { groupId, memberId, profile } = request;
    const group = this.#groups.get(groupId) ?? new Group(groupId);
    const errorCode = joinError(group, request, this.#members, this.#options);
    const known = group.members.get(memberId);
    if (errorCode !== ErrorCode.NONE) respond({ errorCode, memberId, members: [] });
    else if (known !== undefined) this.#joinAgain(group, known, profile, respond);
    else this.#joinAnew(group, request, respond);
  }

  sync(
    ref: MemberRef,
    assignments: ReadonlyMap<string, Buffer>,
    respond: (result: SyncResult) => void,
  ): void {
    const found = this.#find(ref);
    const errorCode =
      'errorCode' in found ? found.errorCode : rebalanceError(found.group, 'PreparingRebalance');
    if ('errorCode' in found || errorCode !== ErrorCode.NONE) {
      respond({ errorCode, assignment: NOTHING });
      return;
    }
    const { group, member } = found;
    member.sync?.({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS, assignment: NOTHING });
    member.sync = respond;
    this.#sessions.suspend(member);
    if (group.state === 'CompletingRebalance' && member.id === group.leaderId) {
      for (const each of group.members.values()) each.assignment = assignments.get(each.id) ?? NOTHING;
      group.state = 'Stable';
    }
    if (group.state === 'Stable') this.#answerSyncs(group, ErrorCode.NONE);
  }

  /** An error code: NONE, or why the member has to join (again). */
  heartbeat(ref: MemberRef): number {
    const found = this.#find(ref);
    if ('errorCode' in found) return found.errorCode;
    this.#renewSession(found.group, found.member);
    return rebalanceError(found.group, 'PreparingRebalance');
  }

  /** Whether the member may commit offsets now, as an error code. Without a generation anyone may, while the group is empty. */
  checkCommit(ref: MemberRef): number {
    if (ref.groupId === '') return ErrorCode.INVALID_GROUP_ID;
    if (!this.#options.coordinates(ref.groupId)) return ErrorCode.NOT_COORDINATOR;
    const isEmpty = (this.#groups.get(ref.groupId)?.members.size ?? 0) === 0;
    if (ref.generationId < 0 && isEmpty) return ErrorCode.NONE;
    const found = this.#find(ref);
    if ('errorCode' in found) return found.errorCode;
    this.#renewSession(found.group, found.member);
    return rebalanceError(found.group, 'CompletingRebalance');
  }

  /** Takes a member out, by its id or its instance id; an error code. */
  leave(groupId: string, memberId: string, instanceId: string | null): number {
    if (!this.#options.coordinates(groupId)) return ErrorCode.NOT_COORDINATOR;
    const group = this.#groups.get(groupId);
    const pending = group?.pending.get(memberId);
    if (group !== undefined && pending !== undefined) {
      pending.cancel();
      this.#forgetPending(group, memberId);
      return ErrorCode.NONE;
    }
    const member = instanceId === null ? group?.members.get(memberId) : group?.memberOfInstance(instanceId);
    if (group === undefined || member === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
    if (memberId !== '' && member.id !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
    this.#remove(group, member);
    return ErrorCode.NONE;
  }

  #joinAnew(group: Group, request: JoinRequest, respond: (result: JoinResult) => void): void {
    const { memberId, profile, protocolType } = request;
    const { instanceId } = profile;
    this.#groups.set(group.id, group);
    // A client id may be long, and a member id is a string of at most 32,767 bytes.
    const id = memberId || `${profile.clientId.slice(0, 200)}-${randomUUID()}`;
    if (memberId === '' && request.mustBringId && instanceId === null) {
      this.#members++;
      this.#sessions.expectBack(group, id, profile.sessionTimeoutMs, () => this.#forgetPending(group, id));
      respond({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, memberId: id, members: [] });
      return;
    }
    const pending = group.pending.get(id);
    if (pending === undefined) this.#members++;
    pending?.cancel();
    group.pending.delete(id);
    const replaced = instanceId === null ? undefined : group.memberOfInstance(instanceId);
    if (replaced !== undefined) this.#drop(group, replaced, ErrorCode.FENCED_INSTANCE_ID);
    group.protocolType = protocolType;
    group.add({ id, profile, assignment: NOTHING, session: undefined, join: respond, sync: undefined });
    this.#rebalance(group);
  }

  #joinAgain(
    group: Group,
    member: Member,
    profile: MemberProfile,
    respond: (result: JoinResult) => void,
  ): void {
    const isSettled =
      group.state === 'CompletingRebalance' || (group.state === 'Stable' && member.id !== group.leaderId);
    if (isSettled && group.offersTheSame(member, profile.protocols)) {
      this.#renewSession(group, member);
      respond(group.joinResult(member.id));
      return;
    }
    member.join?.({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS, memberId: member.id, members: [] });
    member.profile = profile;
    member.join = respond;
    this.#sessions.suspend(member);
    this.#rebalance(group);
  }

  /** Calls all members to join, or has the join that is under way look again. */
  #rebalance(group: Group): void {
    if (group.state === 'PreparingRebalance') {
      this.#joins.purgatory.checkAndComplete(group.id);
      return;
    }
    const isFirst = group.state === 'Empty' && this.#options.initialRebalanceMs > 0;
    group.state = 'PreparingRebalance';
    this.#answerSyncs(group, ErrorCode.REBALANCE_IN_PROGRESS);
    if (isFirst) this.#awaitFirstMembers(group, group.rebalanceTimeoutMs());
    else this.#joins.enter(new DelayedJoin(group, () => this.#onJoined(group)), [group.id]);
  }

  /** Waits for members that start together, and on while they come, but no longer than their rebalance timeout. */
  #awaitFirstMembers(group: Group, leftMs: number): void {
    const delayMs = Math.min(this.#options.initialRebalanceMs, leftMs);
    const { arrivals } = group;
    const onEnd = () => {
      const isGrowing = group.arrivals > arrivals && leftMs > delayMs;
      if (isGrowing) this.#awaitFirstMembers(group, leftMs - delayMs);
      else this.#onJoined(group);
    };
    this.#joins.enter(new InitialDelayedJoin(delayMs, onEnd), [group.id]);
  }

  #onJoined(group: Group): void {
    for (const member of [...group.members.values()]) {
      if (member.join === undefined) this.#drop(group, member, ErrorCode.UNKNOWN_MEMBER_ID);
    }
    group.nextGeneration();
    for (const member of group.members.values()) {
      member.join?.(group.joinResult(member.id));
      member.join = undefined;
      member.assignment = NOTHING;
      this.#renewSession(group, member);
    }
    this.#forgetIfUnused(group);
  }

  #answerSyncs(group: Group, errorCode: number): void {
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
      this.#renewSession(group, member);
    }
  }

  #renewSession(group: Group, member: Member): void {
    this.#sessions.renew(group, member, () => this.#remove(group, member));
  }

  #remove(group: Group, member: Member): void {
    this.#drop(group, member, ErrorCode.UNKNOWN_MEMBER_ID);
    this.#rebalance(group);
  }

  /** Out of the group, with an answer to what it still waits for. */
  #drop(group: Group, member: Member, errorCode: number): void {
    this.#sessions.suspend(member);
    group.remove(member);
    this.#members--;
    member.join?.({ errorCode, memberId: member.id, members: [] });
    member.sync?.({ errorCode, assignment: NOTHING });
  }

  #forgetPending(group: Group, memberId: string): void {
    group.pending.delete(memberId);
    this.#members--;
    if (group.state === 'PreparingRebalance') this.#joins.purgatory.checkAndComplete(group.id);
    this.#forgetIfUnused(group);
  }

  #forgetIfUnused(group: Group): void {
    if (group.state === 'Empty' && group.pending.size === 0) this.#groups.delete(group.id);
  }

  #find(ref: MemberRef): Found {
    if (!this.#options.coordinates(ref.groupId)) return { errorCode: ErrorCode.NOT_COORDINATOR };
    const group = this.#groups.get(ref.groupId);
    const member = group?.members.get(ref.memberId);
    if (group === undefined) return { errorCode: ErrorCode.UNKNOWN_MEMBER_ID };
    if (member === undefined) return { errorCode: unknownError(group, ref.groupInstanceId) };
    if (ref.generationId !== group.generation) return { errorCode: ErrorCode.ILLEGAL_GENERATION };
    return { group, member };
  }
}
