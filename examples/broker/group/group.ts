/**
 * One consumer group: who is in it, which generation it is in, and where it stands between two of
 * them.
 *
 *   Empty -> PreparingRebalance (members join) -> CompletingRebalance (the leader shares out)
 *         -> Stable -> PreparingRebalance ...
 *
 * Owns its members; knows no clocks and no sockets, which are the coordinator's, the only one that
 * changes a group. The leader is always a member, and there is one whenever there are members.
 * O(members) per rebalance.
 */
import { type JoinResult, type Member, type MemberProfile, type Protocol, sameProtocols } from './member.ts';

export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

export class Group {
  readonly id: string;
  readonly members = new Map<string, Member>();
  /** Member ids that were given out and that nobody has joined with yet, with what forgets them. */
  readonly pending = new Map<string, { cancel(): void }>();
  readonly #byInstance = new Map<string, Member>();
  state: GroupState = 'Empty';
  generation = 0;
  /** Members that ever came. */
  arrivals = 0;
  protocolType = '';
  protocolName = '';
  leaderId = '';

  constructor(id: string) {
    this.id = id;
  }

  /** Members, and who may become one. */
  get size(): number {
    return this.members.size + this.pending.size;
  }

  memberOfInstance(instanceId: string): Member | undefined {
    return this.#byInstance.get(instanceId);
  }

  add(member: Member): void {
    const { instanceId } = member.profile;
    this.members.set(member.id, member);
    if (instanceId !== null) this.#byInstance.set(instanceId, member);
    this.arrivals++;
    if (this.members.size === 1) this.leaderId = member.id;
  }

  remove(member: Member): void {
    const { instanceId } = member.profile;
    this.members.delete(member.id);
    if (instanceId !== null && this.#byInstance.get(instanceId) === member)
      this.#byInstance.delete(instanceId);
    if (this.leaderId === member.id) this.leaderId = this.members.keys().next().value ?? '';
  }

  /** `member` takes the place of `former`: its share, and the lead where it had that. */
  replace(former: Member, member: Member): void {
    const { leaderId } = this;
    this.remove(former);
    this.add(member);
    this.leaderId = leaderId === former.id ? member.id : leaderId;
    member.assignment = former.assignment;
  }

  /** The lead goes to a member that has joined; false where there is none. */
  electJoinedLeader(): boolean {
    const leader = this.members.get(this.leaderId);
    const elected = leader?.join ? leader : [...this.members.values()].find(({ join }) => join !== undefined);
    this.leaderId = elected?.id ?? this.leaderId;
    return elected !== undefined;
  }

  /** Whether someone of that profile can be a member: all must have a protocol in common. */
  accepts({ protocolType, protocols }: MemberProfile, exceptId: string): boolean {
    const others = [...this.members.values()].filter(({ id }) => id !== exceptId);
    if (others.length === 0) return true;
    const common = commonProtocols(others);
    return protocolType === this.protocolType && protocols.some(({ name }) => common.has(name));
  }

  offersTheSame(member: Member, protocols: readonly Protocol[]): boolean {
    return sameProtocols(member.profile.protocols, protocols);
  }

  /** The slowest member says how long a rebalance may take (ms). */
  rebalanceTimeoutMs(): number {
    return Math.max(0, ...[...this.members.values()].map(({ profile }) => profile.rebalanceTimeoutMs));
  }

  /** How long the most patient member may be silent (ms). */
  sessionTimeoutMs(): number {
    return Math.max(0, ...[...this.members.values()].map(({ profile }) => profile.sessionTimeoutMs));
  }

  haveAllJoined(): boolean {
    return this.pending.size === 0 && [...this.members.values()].every(({ join }) => join !== undefined);
  }

  nextGeneration(): void {
    this.generation++;
    this.state = this.members.size === 0 ? 'Empty' : 'CompletingRebalance';
    this.protocolName = this.favourite();
  }

  /** The protocol that most members like best among those that all of them have. */
  favourite(): string {
    const members = [...this.members.values()];
    const common = commonProtocols(members);
    const votes = new Map<string, number>();
    for (const { profile } of members) {
      const vote = profile.protocols.find(({ name }) => common.has(name))?.name ?? '';
      votes.set(vote, (votes.get(vote) ?? 0) + 1);
    }
    let [favourite, most] = ['', 0];
    for (const [name, count] of votes) {
      if (count > most) [favourite, most] = [name, count];
    }
    return favourite;
  }

  /** What a member learns of this generation. */
  joinResult(memberId: string): JoinResult {
    const members = memberId === this.leaderId ? [...this.members.values()] : [];
    return {
      errorCode: 0,
      memberId,
      generationId: this.generation,
      protocolType: this.protocolType,
      protocolName: this.protocolName,
      leader: this.leaderId,
      members: members.map(({ id, profile }) => ({
        memberId: id,
        groupInstanceId: profile.instanceId,
        metadata: this.metadataOf(profile.protocols),
      })),
    };
  }

  metadataOf(protocols: readonly Protocol[]): Buffer {
    return protocols.find(({ name }) => name === this.protocolName)?.metadata ?? Buffer.alloc(0);
  }
}

function commonProtocols(members: readonly Member[]): Set<string> {
  const [first, ...rest] = members.map(({ profile }) => new Set(profile.protocols.map(({ name }) => name)));
  return new Set([...(first ?? [])].filter((name) => rest.every((names) => names.has(name))));
}
