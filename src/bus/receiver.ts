// The receiving half of a bus. Frames are read, compared with what came before by their origin and
// number, and handed to the members as hints to try, or as sweeps.
//
// Ground rules. It owns the inbox and the numbers received from other processes. Frames of its own
// origin go back to the connection, which looks for echoes. A repeated frame is dropped. A missing
// frame before a frame is a gap.

import type { BusBase } from './bus-base.ts';
import type { Connection } from './connection.ts';
import { type Frame, readFrame } from './frames.ts';
import { Inbox } from './inbox.ts';
import type { KeyTry } from './interest/interest-table.ts';
import type { Members } from './members.ts';
import type { BusMember } from './membership/bus-member.ts';
import { type Arrival, Origins } from './origins.ts';

/**
 * A bus that has been live for so many times its `echoMs` has heard every process that was there
 * before.
 */
const ECHOES_TO_KNOW_ALL = 1.25;
/** A process that was silent for so many times its `echoMs` counts as ended. */
const ECHOES_TO_FORGET = 100;

export class Receiver {
  readonly #base: BusBase;
  readonly #connection: Connection;
  readonly #members: Members;
  readonly #report: (error: unknown) => void;
  readonly #deafCame: () => void;
  readonly #origins = new Origins();
  readonly #inbox: Inbox;

  /**
   * @param report gets the error of a text that is no frame of this protocol.
   * @param deafCame a process has come that does not listen to buckets.
   */
  constructor(
    base: BusBase,
    connection: Connection,
    members: Members,
    report: (error: unknown) => void,
    deafCame: () => void,
  ) {
    this.#base = base;
    this.#connection = connection;
    this.#members = members;
    this.#report = report;
    this.#deafCame = deafCame;
    this.#inbox = new Inbox(base, members);
  }

  /** Tries these keys, as hints of other processes. */
  readonly tryKeys = (tries: readonly KeyTry[]): void => {
    for (const [member, key] of tries) {
      if (this.#members.has(member)) this.#inbox.add({ member, key, value: undefined });
    }
    this.#inbox.serve();
  };

  /** Whether it has heard every other process, and all of them listen to buckets. */
  get allRoute(): boolean {
    return this.#origins.allRoute && this.#knowsAll(this.#base.timer.now());
  }

  get peers(): number {
    return this.#origins.size;
  }

  received(text: string): void {
    let frame: Frame;
    try {
      frame = readFrame(text);
    } catch (error) {
      this.#base.meter.counts.framesDropped++;
      this.#report(error);
      return;
    }
    const { origin, number, routes } = frame;
    if (origin === this.#connection.origin) {
      this.#connection.returned(number);
      return;
    }
    this.#base.meter.counts.framesReceived++;
    const isNumbered = origin !== undefined && number > 0;
    if (isNumbered && !routes && this.#origins.noteDeaf(origin)) this.#deafCame();
    const arrival = isNumbered ? this.#note(origin, number) : 'inOrder';
    if (arrival === 'repeated') this.#base.meter.counts.framesDropped++;
    else this.#take(frame);
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
    this.#origins.forget(nowMs - ECHOES_TO_FORGET * this.#base.options.echoMs);
  }

  #take({ hints, all }: Frame): void {
    for (const { name, key, value } of hints) {
      this.#base.meter.counts.received++;
      const member = this.#members.get(name);
      if (member === undefined) this.#base.meter.didMissMember(name);
      else this.#inbox.add({ member, key, value });
    }
    for (const name of all) {
      const member = this.#members.get(name);
      if (member !== undefined) this.#members.sweep(member);
    }
    this.#inbox.serve();
  }

  #knowsAll(nowMs: number): boolean {
    return this.#connection.liveMs(nowMs) > ECHOES_TO_KNOW_ALL * this.#base.options.echoMs;
  }

  #note(origin: string, number: number): Arrival {
    const nowMs = this.#base.timer.now();
    const arrival = this.#origins.note(origin, number, nowMs, this.#knowsAll(nowMs));
    if (arrival === 'jumped') {
      this.#connection.jumped(new Error(`Frames before number ${number} of process ${origin} are missing`));
    }
    return arrival;
  }
}
