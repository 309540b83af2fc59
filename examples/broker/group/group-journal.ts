/**
 * The groups of this node as their last rebalance left them, in a journal: a member that goes on
 * within its session after a restart finds its generation and its share.
 *
 * Owns the journal. An entry is a whole group, and the last entry of a group counts; a group whose
 * last member has left has none. What is written survives a kill. A power failure may lose what was
 * just written, and members join anew then, as they do where a full disk has no room for an entry.
 * O(members) each.
 */
import type { Log } from '../log-lines.ts';
import type { Findings } from '../storage/damage.ts';
import { FullDisk } from '../storage/full-disk.ts';
import { Journal } from '../storage/journal.ts';
import type { Group } from './group.ts';
import type { MemberProfile } from './member.ts';

/** A member after a rebalance, as it is used, or as it is written: bytes in base64. */
export interface KeptMember<Bytes = Buffer> {
  readonly id: string;
  readonly profile: Omit<MemberProfile, 'protocols'> & {
    readonly protocols: readonly { readonly name: string; readonly metadata: Bytes }[];
  };
  readonly assignment: Bytes;
}

/** A group after a rebalance. */
export interface KeptGroup<Bytes = Buffer> {
  readonly id: string;
  readonly generation: number;
  readonly protocolType: string;
  readonly protocolName: string;
  readonly leaderId: string;
  readonly members: readonly KeptMember<Bytes>[];
}

type JournalEntry = KeptGroup<string> | { readonly forgotten: string };

export class GroupJournal {
  readonly #kept = new Map<string, KeptGroup>();
  readonly #log: Log;
  #journal: Journal<JournalEntry> | undefined;

  /** `log` gets a line for what a full disk has no room for. */
  constructor(log: Log) {
    this.#log = log;
  }

  /** Reads the groups that the journal at `path` has. To be called once, first. */
  open(path: string, findings: Findings): KeptGroup[] {
    const note = (entry: JournalEntry) => {
      if ('forgotten' in entry) this.#kept.delete(entry.forgotten);
      else this.#kept.set(entry.id, read(entry));
    };
    const current = () => [...this.#kept.values()].map(write);
    this.#journal = new Journal<JournalEntry>(path, note, current, findings);
    return [...this.#kept.values()];
  }

  /** The group has been shared out. */
  keep({ id, generation, protocolType, protocolName, leaderId, members }: Group): void {
    const kept: KeptGroup = {
      id,
      generation,
      protocolType,
      protocolName,
      leaderId,
      members: [...members.values()].map(({ id, profile, assignment }) => ({ id, profile, assignment })),
    };
    this.#append(write(kept), id);
    this.#kept.set(id, kept);
  }

  /** The group has no members any more. */
  forget(groupId: string): void {
    if (this.#kept.delete(groupId)) this.#append({ forgotten: groupId }, groupId);
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #append(entry: JournalEntry, groupId: string): void {
    try {
      this.#journal?.append(entry);
    } catch (error) {
      if (!(error instanceof FullDisk)) throw error;
      this.#log(`did not write down the group ${JSON.stringify(groupId)}: ${error.message}`, 'limited');
    }
    // Nobody waits for it. As for commits, a flush that failed is left to end the process.
    void this.#journal?.flush();
  }
}

function write(group: KeptGroup): KeptGroup<string> {
  return converted(group, (bytes) => bytes.toString('base64'));
}

function read(group: KeptGroup<string>): KeptGroup {
  return converted(group, (text) => Buffer.from(text, 'base64'));
}

function converted<From, To>(group: KeptGroup<From>, convert: (bytes: From) => To): KeptGroup<To> {
  const members = group.members.map(({ id, profile, assignment }) => ({
    id,
    profile: {
      ...profile,
      protocols: profile.protocols.map(({ name, metadata }) => ({ name, metadata: convert(metadata) })),
    },
    assignment: convert(assignment),
  }));
  return { ...group, members };
}
