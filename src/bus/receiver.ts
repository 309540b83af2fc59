// The receiving half of a bus. Frames are read, compared with what came before by their origin and
// number, and handed to the members as hints to try, or as sweeps.
//
// Ground rules. It owns the inbox and the numbers received from other processes. Frames of its own
// origin go back to the connection, which looks for echoes. A repeated frame is dropped. A missing
// frame before a frame is a gap.

import type { SystemTimer } from '../timer/system-timer.ts';
import type { CheckedBusOptions } from './bus.ts';
import type { Connection } from './connection.ts';
import { type Frame, readFrame } from './frames.ts';
import { Inbox } from './inbox.ts';
import type { TryKeys } from './interest/interest-table.ts';
import type { Members } from './members.ts';
import type { BusMember } from './membership/bus-member.ts';
import { type Arrival, Origins } from './origins.ts';
import type { BusMeter } from './telemetry/bus-meter.ts';

/**
 * A bus that has been live for so many times its `echoMs` has heard every process that was there
 * before.
 */
const ECHOES_TO_KNOW_ALL = 1.25;
/** A process that was silent for so many times its `echoMs` counts as ended. */
const ECHOES_TO_FORGET = 100;

export class Receiver {
  readonly #connection: Connection;
  readonly #members: Members;
  readonly #timer: SystemTimer;
  readonly #meter: BusMeter;
  readonly #echoMs: number;
  readonly #report: (error: unknown) => void;
  readonly #deafCame: () => void;
  readonly #origins = new Origins();
  readonly #inbox: Inbox;

  /**
   * @param report gets the error of a text that is no frame of this protocol.
   * @param deafCame a process has come that does not listen to buckets.
   */
  constructor(
    connection: Connection,
    members: Members,
    timer: SystemTimer,
    meter: BusMeter,
    { echoMs, maxPendingKeys }: CheckedBusOptions,
    report: (error: unknown) => void,
    deafCame: () => void,
  ) {
    this.#connection = connection;
    this.#members = members;
    this.#timer = timer;
    this.#meter = meter;
    this.#echoMs = echoMs;
    this.#report = report;
    this.#deafCame = deafCame;
    this.#inbox = new Inbox(maxPendingKeys, timer, {
      tried: (someoneWatched) => {
        if (!someoneWatched) meter.counts.forNobody++;
      },
      overflowed: (keys, overflowing) => {
        meter.didOverflow('in', keys);
        for (const member of overflowing) members.sweep(member);
      },
    });
  }

  /** Tries these keys, as hints of other processes. */
  readonly tryKeys: TryKeys = (tries) => {
    for (const [member, key] of tries) {
      if (this.#members.has(member)) this.#inbox.add(member, key, undefined);
    }
    this.#inbox.serve();
  };

  /** Whether it has heard every other process, and all of them listen to buckets. */
  get allRoute(): boolean {
    return this.#origins.allRoute && this.#knowsAll(this.#timer.now());
  }

  get peers(): number {
    return this.#origins.size;
  }

  received(text: string): void {
    let frame: Frame;
    try {
      frame = readFrame(text);
    } catch (error) {
      this.#meter.counts.framesDropped++;
      this.#report(error);
      return;
    }
    const { origin, number, routes } = frame;
    if (origin === this.#connection.origin) {
      this.#connection.returned(number);
      return;
    }
    this.#meter.counts.framesReceived++;
    const isNumbered = origin !== undefined && number > 0;
    if (isNumbered && !routes && this.#origins.noteDeaf(origin)) this.#deafCame();
    const arrival = isNumbered ? this.#note(origin, number) : 'inOrder';
    if (arrival === 'repeated') this.#meter.counts.framesDropped++;
    else this.#take(frame, arrival === 'late');
  }

  /** A member has left. */
  drop(member: BusMember): void {
    this.#inbox.drop(member);
  }

  /** Drops every hint that is still to be tried. */
  clear(): void {
    this.#inbox.clear();
  }

  /** Frames were missed, so a missing number means nothing new. */
  forgetAll(): void {
    this.#origins.clear();
  }

  forgetEnded(nowMs: number): void {
    this.#origins.forget(nowMs - ECHOES_TO_FORGET * this.#echoMs);
  }

  #take({ hints, all }: Frame, isLate: boolean): void {
    for (const { name, key, value } of hints) {
      this.#meter.counts.received++;
      const member = this.#members.get(name);
      if (member === undefined) {
        this.#meter.didMissMember(name);
        continue;
      }
      // A late hint must not replace a younger one that is pending.
      if (!isLate) this.#inbox.add(member, key, value);
      else if (!member.hinted(key, value, true)) this.#meter.counts.forNobody++;
    }
    for (const name of all) {
      const member = this.#members.get(name);
      if (member !== undefined) this.#members.sweep(member);
    }
    this.#inbox.serve();
  }

  #knowsAll(nowMs: number): boolean {
    return this.#connection.liveMs(nowMs) > ECHOES_TO_KNOW_ALL * this.#echoMs;
  }

  #note(origin: string, number: number): Arrival {
    const nowMs = this.#timer.now();
    const arrival = this.#origins.note(origin, number, nowMs, this.#knowsAll(nowMs));
    if (arrival === 'jumped') {
      this.#connection.jumped(new Error(`Frames before number ${number} of process ${origin} are missing`));
    }
    return arrival;
  }
}
