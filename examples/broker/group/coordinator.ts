/**
 * Keeps the consumer groups of this node: members join, the leader distributes the partitions,
 * heartbeats keep sessions alive.
 *
 * Owns all groups. Only the coordinator and its Rebalances change them. A group counts while it has
 * members, or ids that were given out; after that EmptyGroups has it. A group that is Stable is in
 * the journal as it is. A join or a sync is answered exactly once, through its callback. These
 * callbacks must not call back in the same turn.
 */
import { randomUUID } from 'node:crypto';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Findings } from '../storage/damage.ts';
import type { WaitingRoom } from '../waiting/waiting-room.ts';
import {
  type CoordinatorOptions,
  hasRoomForShares,
  type JoinRequest,
  joinError,
  rebalanceError,
  replacedBy,
  unknownError,
} from './admission.ts';
import { EmptyGroups } from './empty-groups.ts';
import { Group } from './group.ts';
import { GroupJournal, type KeptGroup } from './group-journal.ts';
import { type JoinResult, Member, type MemberProfile, type MemberRef, type SyncResult } from './member.ts';
import { Place, placeBytes } from './memory.ts';
import { Rebalances } from './rebalances.ts';
import { Sessions } from './sessions.ts';

const NOTHING = Buffer.alloc(0);

type Found = { readonly group: Group; readonly member: Member } | { readonly errorCode: number };

export class GroupCoordinator {
  readonly #groups = new Map<string, Group>();
  readonly #empty = new EmptyGroups();
  readonly #sessions: Sessions;
  readonly #rebalances: Rebalances;
  readonly #journal: GroupJournal;
  readonly #options: CoordinatorOptions;

  constructor(joins: WaitingRoom, heartbeats: WaitingRoom, options: CoordinatorOptions) {
    this.#options = options;
    this.#sessions = new Sessions(heartbeats);
    this.#journal = new GroupJournal(options.log);
    this.#rebalances = new Rebalances(joins, this.#sessions, options.initialRebalanceMs, (group) => {
      if (group.state === 'Empty') this.#journal.forget(group.id);
      this.#forgetIfUnused(group);
    });
  }

  /**
   * Reads the groups that the journal at `path` has. Their members have their whole sessions to
   * show up. To be called once, first.
   */
  open(path: string, findings: Findings): void {
    for (const kept of this.#journal.open(path, findings)) {
      if (this.#options.coordinates(kept.id)) this.#restore(kept);
      else this.#journal.forget(kept.id);
    }
  }

  /** Resolves when the journal is closed. */
  close(): Promise<void> {
    return this.#journal.close();
  }

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId) ?? this.#empty.get(groupId);
  }

  all(): Group[] {
    return [...this.#groups.values(), ...this.#empty.all()];
  }

  /** Whether the group has members, or someone is about to be one. */
  isActive(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  /** A group without members is known no longer; any other stays. */
  forget(groupId: string): void {
    this.#empty.delete(groupId);
  }

  /** Forgets the groups that have had no members for `retentionMs`. */
  expire(retentionMs: number): void {
    this.#empty.expire(performance.now(), retentionMs);
  }

  join(request: JoinRequest, respond: (result: JoinResult) => void): void {
    const { groupId, memberId, profile } = request;
    const group = this.get(groupId) ?? new Group(groupId);
    const errorCode = joinError(group, request, this.#groups.size, this.#options);
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
    const isShared = group.state === 'CompletingRebalance' && member.id === group.leaderId;
    if (isShared && !hasRoomForShares(assignments, member, this.#options)) {
      respond({ errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE, assignment: NOTHING });
      return;
    }
    member.sync?.({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS, assignment: NOTHING });
    member.sync = respond;
    this.#sessions.suspend(member);
    if (isShared) {
      for (const each of group.members.values()) each.assignment = assignments.get(each.id) ?? NOTHING;
      group.state = 'Stable';
      this.#journal.keep(group);
    }
    if (group.state === 'Stable') this.#rebalances.answerSyncs(group, ErrorCode.NONE);
  }

  /** An error code: NONE, or why the member has to join (again). */
  heartbeat(ref: MemberRef): number {
    const found = this.#find(ref);
    if ('errorCode' in found) return found.errorCode;
    this.#rebalances.renewSession(found.group, found.member);
    return rebalanceError(found.group, 'PreparingRebalance');
  }

  /**
   * Whether the member may commit offsets now, as an error code. Without a generation anyone may,
   * while the group is empty.
   */
  checkCommit(ref: MemberRef): number {
    if (ref.groupId === '') return ErrorCode.INVALID_GROUP_ID;
    if (!this.#options.coordinates(ref.groupId)) return ErrorCode.NOT_COORDINATOR;
    const isEmpty = (this.#groups.get(ref.groupId)?.members.size ?? 0) === 0;
    if (ref.generationId < 0 && isEmpty) return ErrorCode.NONE;
    const found = this.#find(ref);
    if ('errorCode' in found) return found.errorCode;
    this.#rebalances.renewSession(found.group, found.member);
    return rebalanceError(found.group, 'CompletingRebalance');
  }

  /** Takes a member out, by its id or its instance id; an error code. */
  leave(groupId: string, memberId: string, instanceId: string | null): number {
    if (!this.#options.coordinates(groupId)) return ErrorCode.NOT_COORDINATOR;
    const group = this.#groups.get(groupId);
    if (group?.pending.has(memberId)) {
      this.#forgetPending(group, memberId);
      return ErrorCode.NONE;
    }
    const member = instanceId === null ? group?.members.get(memberId) : group?.memberOfInstance(instanceId);
    if (group === undefined || member === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
    if (memberId !== '' && member.id !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
    this.#rebalances.remove(group, member);
    return ErrorCode.NONE;
  }

  #restore({ id, members, ...kept }: KeptGroup): void {
    const group = new Group(id);
    this.#groups.set(id, group);
    for (const { id: memberId, profile, assignment } of members) {
      const member = new Member(this.#options.memory, id, memberId, profile);
      member.assignment = assignment;
      group.add(member);
    }
    Object.assign(group, kept);
    group.state = 'Stable';
    for (const member of group.members.values()) this.#rebalances.renewSession(group, member);
  }

  #joinAnew(group: Group, request: JoinRequest, respond: (result: JoinResult) => void): void {
    const { memberId, profile } = request;
    const { instanceId } = profile;
    this.#empty.delete(group.id);
    this.#groups.set(group.id, group);
    // A client id may be long, and a member id is a string of at most 32,767 bytes.
    const id = memberId || `${profile.clientId.slice(0, 200)}-${randomUUID()}`;
    if (memberId === '' && request.mustBringId && instanceId === null) {
      this.#expectBack(group, id, profile.sessionTimeoutMs);
      respond({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, memberId: id, members: [] });
      return;
    }
    group.pending.get(id)?.cancel();
    const former = replacedBy(group, request);
    group.protocolType = profile.protocolType;
    const member = new Member(this.#options.memory, group.id, id, profile);
    member.join = respond;
    if (former !== undefined) {
      this.#rebalances.takePlace(group, former, member, request.maySkipAssignment);
      if (group.state === 'Stable') this.#journal.keep(group);
    } else {
      group.add(member);
      this.#rebalances.begin(group);
    }
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
      this.#rebalances.renewSession(group, member);
      respond(group.joinResult(member.id));
      return;
    }
    member.join?.({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS, memberId: member.id, members: [] });
    member.profile = profile;
    member.join = respond;
    this.#sessions.suspend(member);
    this.#rebalances.begin(group);
  }

  /** An id is given out. Its client has `sessionTimeoutMs` to join with it. */
  #expectBack(group: Group, id: string, sessionTimeoutMs: number): void {
    const place = new Place(this.#options.memory, placeBytes(group.id));
    const session = this.#sessions.start(group, id, sessionTimeoutMs, () => this.#forgetPending(group, id));
    group.pending.set(id, {
      cancel() {
        session.cancel();
        place.release();
        group.pending.delete(id);
      },
    });
  }

  #forgetPending(group: Group, memberId: string): void {
    group.pending.get(memberId)?.cancel();
    this.#rebalances.lookAgain(group);
    this.#forgetIfUnused(group);
  }

  #forgetIfUnused(group: Group): void {
    if (group.state !== 'Empty' || group.pending.size > 0) return;
    this.#groups.delete(group.id);
    if (group.generation > 0) this.#empty.add(group, performance.now());
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
