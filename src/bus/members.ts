// The members of a bus in this process, and their sweeps.
//
// Ground rules. It has one member of each name. A call for a sweep during a member's sweep is part
// of that sweep. When a member leaves, its sweep has ended.
import { requiredString } from '../base/checks.ts';
import { nameJoined } from '../base/errors.ts';
import { invalidArgValue } from '../base/node-errors.ts';
import type { BusBase } from './bus-base.ts';
import type { BusMember } from './membership/bus-member.ts';

const MAX_NAME_BYTES = 128;

export class Members {
  readonly #base: BusBase;
  readonly #byName = new Map<string, BusMember>();
  /** For each sweep that is under way: when it began. */
  readonly #sweeping = new Map<BusMember, number>();

  constructor(base: BusBase) {
    this.#base = base;
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  get(name: string): BusMember | undefined {
    return this.#byName.get(name);
  }

  has(member: BusMember): boolean {
    return this.#byName.get(member.name) === member;
  }

  /** @throws as `JoinableBus.join`. */
  add(member: BusMember): void {
    const { name } = member;
    if (this.#byName.has(name)) throw nameJoined(name);
    this.#byName.set(name, member);
  }

  remove(member: BusMember): void {
    this.#byName.delete(member.name);
    this.#didSweep(member, 0);
  }

  clear(): void {
    this.#byName.clear();
  }

  sweep(member: BusMember): void {
    const nowMs = this.#base.timer.now();
    this.#base.meter.willSweep(nowMs, this.#sweeping.size === 0);
    if (!this.#sweeping.has(member)) this.#sweeping.set(member, nowMs);
    member.sweep((tried) => this.#didSweep(member, tried));
  }

  sweepAll(): void {
    for (const member of [...this.#byName.values()]) this.sweep(member);
  }

  #didSweep(member: BusMember, tried: number): void {
    const beganMs = this.#sweeping.get(member);
    if (beganMs === undefined) return;
    this.#sweeping.delete(member);
    const nowMs = this.#base.timer.now();
    this.#base.meter.didSweep(member.name, tried, nowMs - beganMs, nowMs, this.#sweeping.size === 0);
  }
}

/** @throws TypeError (Node's codes) for a name that a bus does not take. */
export function checkMemberName(name: string): void {
  requiredString('name', name);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw invalidArgValue('name', `must be at most ${MAX_NAME_BYTES} bytes long for a bus`, name);
  }
}
