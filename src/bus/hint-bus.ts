// The bus: what is published here reaches the members of the same name in other processes, over any transport.
//
// Ground rules. It owns its connection, its outbox and its inbox, and a timer of its own that keeps no process alive but for hints that are
// about to be sent. Members are told of hints of OTHER processes only; frames of its own are dropped, but for echoes. Each time it
// becomes live, every member sweeps. In a gap nothing throws: hints wait in the outbox.
//
// One frame is under way at a time. Hints that are published meanwhile are merged by key and go out together, so a slow engine gets
// fewer, fuller frames. A frame that the engine did not take goes back to the outbox.
//
// Costs. publish: O(1). Idle: one frame for each `echoMs`, whatever is parked.
import { randomBytes } from 'node:crypto';
import type { BusMember, HintValue, Membership } from '../bus-member.ts';
import { busClosed, invalidArgType, invalidArgValue, nameJoined, PurgatoryError } from '../errors.ts';
import { throwLater } from '../report-error.ts';
import { rootContext } from '../root-context.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import {
  type Bus,
  type BusOptions,
  type BusState,
  type CheckedBusOptions,
  checkedBusOptions,
  checkedTransport,
} from './bus.ts';
import { BusMeter } from './bus-meter.ts';
import type { BusSnapshot } from './bus-snapshot.ts';
import type { GapCause } from './bus-state.ts';
import { Connection } from './connection.ts';
import { type Frame, frameText, readFrame } from './frames.ts';
import { Inbox } from './inbox.ts';
import { type Arrival, Origins } from './origins.ts';
import { type Batch, Outbox } from './outbox.ts';
import { MAX_FRAME_BYTES, type Transport } from './transport.ts';

const MAX_NAME_BYTES = 128;
const SHOWN_MEMBERS = 100;
/** Frames that an engine without a round trip is given in a turn, before others have theirs. */
const FRAMES_A_TURN = 32;
/** After so many times its `echoMs` a bus has heard every process that was there before. */
const ECHOES_TO_KNOW_ALL = 1.25;
/** A process that was silent for so many times its `echoMs` has ended. */
const ECHOES_TO_FORGET = 100;

export class HintBus implements Bus {
  readonly #engine: string;
  readonly #options: CheckedBusOptions;
  readonly #maxFrameBytes: number;
  readonly #origin = randomBytes(9).toString('base64url');
  readonly #timer: SystemTimer;
  readonly #connection: Connection;
  readonly #meter: BusMeter;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #origins = new Origins();
  readonly #members = new Map<string, BusMember>();
  /** The frame that the engine has not confirmed yet. */
  #underWay: { readonly batch: Batch; readonly sinceMs: number } | undefined;
  #isFlushDue = false;
  #flushed: (() => void)[] = [];
  /** When the sweeps that are under way began. */
  readonly #sweeping = new Map<BusMember, number>();
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #lastError = '';

  constructor(transport: Transport, options: CheckedBusOptions, random: () => number) {
    const { clock, maxPendingKeys } = options;
    this.#engine = transport.engine;
    this.#options = options;
    this.#maxFrameBytes = Math.min(transport.maxFrameBytes ?? MAX_FRAME_BYTES, MAX_FRAME_BYTES);
    this.#timer = new SystemTimer({ clock, onError: throwLater }).unref();
    this.#meter = new BusMeter(this, this.#engine, this.#timer.now());
    this.#outbox = new Outbox(maxPendingKeys);
    this.#inbox = new Inbox(maxPendingKeys, this.#timer, {
      tried: (someoneWatched) => {
        if (!someoneWatched) this.#meter.forNobody++;
      },
      overflowed: (keys, members) => {
        this.#meter.didOverflow('in', keys);
        for (const member of members) this.#sweep(member);
      },
    });
    this.#connection = new Connection(
      transport,
      {
        echoed: (ms) => this.#echoed(ms),
        becameLive: () => this.#becameLive(),
        broke: (cause, error, wasLive) => this.#broke(cause, error, wasLive),
        refused: (error) => this.#refused(error),
        received: (text) => rootContext.runInAsyncScope(this.#received, this, text),
      },
      options,
      this.#origin,
      this.#timer,
      random,
    );
    rootContext.runInAsyncScope(this.#connection.open, this.#connection);
  }

  get state(): BusState {
    return this.#isClosed ? 'closed' : this.#connection.state;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  join(member: BusMember): Membership {
    const { name } = member;
    if (typeof name !== 'string') throw invalidArgType('name', 'of type string', name);
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
      throw invalidArgValue('name', `must be at most ${MAX_NAME_BYTES} bytes long for a bus`, name);
    }
    if (this.#isClosed) throw busClosed();
    if (this.#members.has(name)) throw nameJoined(name);
    this.#members.set(name, member);
    return {
      publish: (key, value) => {
        if (this.#members.get(name) === member) this.#publish(name, key, value);
      },
      leave: () => {
        if (this.#members.get(name) !== member) return;
        this.#members.delete(name);
        this.#inbox.drop(member);
        this.#didSweep(member, 0);
      },
    };
  }

  async flush(): Promise<void> {
    if (this.#isClosed || this.#isSent()) return;
    const flushed = new Promise<void>((resolve) => {
      this.#flushed.push(resolve);
    });
    this.#send();
    await flushed;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close(this.#sendLast());
    return this.#closing;
  }

  snapshot(): BusSnapshot {
    const nowMs = this.#timer.now();
    const meter = this.#meter;
    return {
      engine: this.#engine,
      prefix: this.#options.prefix,
      origin: this.#origin,
      state: this.state,
      nowMs,
      sinceMs: meter.sinceMs,
      members: [...this.#members.keys()].slice(0, SHOWN_MEMBERS),
      peers: this.#origins.size,
      pendingKeys: this.#outbox.size,
      echo: meter.echo.snapshot(),
      lastGap: meter.lastGap && { ...meter.lastGap },
      lastSweep: meter.lastSweep && { ...meter.lastSweep },
      totals: meter.totals(nowMs),
    };
  }

  get #isLive(): boolean {
    return this.#connection.state === 'live';
  }

  #publish(name: string, key: string, value: HintValue | undefined): void {
    const { size } = this.#outbox;
    const lost = this.#outbox.add(name, key, value);
    this.#meter.published++;
    if (lost > 0) this.#meter.didOverflow('out', lost);
    else if (this.#outbox.size === size) this.#meter.merged++;
    this.#sendSoon();
  }

  #sendSoon(delayMs = this.#options.flushMs): void {
    if (this.#isFlushDue || this.#underWay !== undefined || !this.#isLive) return;
    this.#isFlushDue = true;
    this.#timer.ref(); // hints that are published just before the process would end are sent
    this.#timer.schedule(this.#sendDue, delayMs);
  }

  readonly #sendDue = (): void => {
    this.#isFlushDue = false;
    this.#timer.unref();
    this.#send();
  };

  /** Sends frame after frame, one at a time, for as long as they are full or somebody waits for them. */
  #send(): void {
    for (let frames = 0; frames < FRAMES_A_TURN; frames++) if (!this.#sendFrame()) return;
    this.#sendSoon(0);
  }

  /** True when the engine has taken the frame within the call, and the next one is due at once. */
  #sendFrame(): boolean {
    if (this.#underWay !== undefined || !this.#isLive || this.#outbox.isEmpty) return false;
    const batch = this.#outbox.take(this.#maxFrameBytes);
    const isFull = !this.#outbox.isEmpty;
    const underWay = { batch, sinceMs: this.#timer.now() };
    this.#underWay = underWay;
    this.#meter.framesSent++;
    const text = frameText(this.#origin, this.#connection.nextNumber(), batch.body);
    let isInCall = true;
    let isNextDue = false;
    this.#connection.publish(text, (error) => {
      if (this.#underWay !== underWay) return;
      if (error !== undefined) {
        this.#connection.fail('publish', error.reason);
        return;
      }
      this.#underWay = undefined;
      if (this.#isSent()) this.#resolveFlushed();
      else if (!isFull && this.#flushed.length === 0) this.#sendSoon();
      else if (isInCall) isNextDue = true;
      else this.#send();
    });
    isInCall = false;
    return isNextDue;
  }

  #isSent(): boolean {
    return this.#underWay === undefined && this.#outbox.isEmpty;
  }

  #resolveFlushed(): void {
    const flushed = this.#flushed;
    this.#flushed = [];
    for (const resolve of flushed) resolve();
  }

  #received(text: string): void {
    let frame: Frame;
    try {
      frame = readFrame(text);
    } catch (error) {
      this.#meter.framesDropped++;
      this.#report(error);
      return;
    }
    const { origin, number } = frame;
    if (origin === this.#origin) {
      this.#connection.returned(number);
      return;
    }
    this.#meter.framesReceived++;
    const arrival = origin === undefined ? 'inOrder' : this.#note(origin, number);
    if (arrival === 'repeated') {
      this.#meter.framesDropped++;
      return;
    }
    const isLate = arrival === 'late';
    for (const { name, key, value } of frame.hints) {
      const member = this.#members.get(name);
      if (member === undefined) continue;
      this.#meter.received++;
      // A late hint must not take the place of a younger one that is pending.
      if (!isLate) this.#inbox.add(member, key, value);
      else if (!member.hinted(key, value, true)) this.#meter.forNobody++;
    }
    for (const name of frame.all) {
      const member = this.#members.get(name);
      if (member !== undefined) this.#sweep(member);
    }
    this.#inbox.serve();
  }

  /** A hole before a frame is a gap. */
  #note(origin: string, number: number): Arrival {
    const nowMs = this.#timer.now();
    const knowsAll = this.#connection.liveMs(nowMs) > ECHOES_TO_KNOW_ALL * this.#options.echoMs;
    const arrival = this.#origins.note(origin, number, nowMs, knowsAll);
    if (arrival === 'jumped') {
      this.#connection.jumped(new Error(`Frames before number ${number} of process ${origin} are missing`));
    }
    return arrival;
  }

  #echoed(ms: number): void {
    this.#meter.framesSent++;
    this.#meter.didEcho(ms);
    const nowMs = this.#timer.now();
    this.#origins.forget(nowMs - ECHOES_TO_FORGET * this.#options.echoMs);
    const underWay = this.#underWay;
    if (underWay !== undefined && nowMs - underWay.sinceMs > this.#options.echoTimeoutMs) {
      this.#connection.fail('publish', new Error('The engine did not confirm a frame'));
    }
  }

  #becameLive(): void {
    this.#lastError = '';
    this.#meter.didChange('live', this.#timer.now());
    this.#send();
    for (const member of [...this.#members.values()]) this.#sweep(member);
  }

  #broke(cause: GapCause, error: unknown, wasLive: boolean): void {
    if (wasLive) this.#meter.didChange('gap', this.#timer.now(), cause, error);
    if (cause !== 'sequence') this.#origins.clear();
    if (this.#underWay !== undefined && cause !== 'sequence') {
      const lost = this.#outbox.restore(this.#underWay.batch);
      this.#underWay = undefined;
      if (lost > 0) this.#meter.didOverflow('out', lost);
    }
    this.#report(error);
  }

  #refused(error: unknown): void {
    this.#report(error);
    this.#closing ??= this.#close(Promise.resolve());
  }

  /** An error is reported once, however often it comes, until the bus is live again. */
  #report(error: unknown): void {
    const text = String(error);
    if (text === this.#lastError) return;
    this.#lastError = text;
    const { onError } = this.#options;
    if (onError === undefined) {
      if (error instanceof PurgatoryError) process.emitWarning(error);
      return;
    }
    try {
      onError(error);
    } catch (thrown) {
      throwLater(thrown);
    }
  }

  #sweep(member: BusMember): void {
    const nowMs = this.#timer.now();
    this.#meter.willSweep(nowMs, this.#sweeping.size === 0);
    if (!this.#sweeping.has(member)) this.#sweeping.set(member, nowMs);
    member.sweep((tried) => this.#didSweep(member, tried));
  }

  #didSweep(member: BusMember, tried: number): void {
    const beganMs = this.#sweeping.get(member);
    if (beganMs === undefined) return;
    this.#sweeping.delete(member);
    const nowMs = this.#timer.now();
    this.#meter.didSweep(member.name, tried, nowMs - beganMs, nowMs, this.#sweeping.size === 0);
  }

  async #close(lastSent: Promise<void>): Promise<void> {
    this.#isClosed = true;
    this.#members.clear();
    this.#inbox.clear();
    await lastSent;
    const gone = this.#connection.close();
    this.#outbox.clear();
    this.#underWay = undefined;
    this.#timer.close();
    this.#meter.didChange('closed', this.#timer.now());
    this.#resolveFlushed();
    await gone;
  }

  /** Sends what is pending while the bus is live, for `echoTimeoutMs` at most. */
  async #sendLast(): Promise<void> {
    if (!this.#isLive || this.#isSent()) return;
    await new Promise<void>((resolve) => {
      this.#flushed.push(resolve);
      this.#timer.schedule(resolve, this.#options.echoTimeoutMs);
      this.#send();
    });
  }
}

/**
 * A bus over a transport: for authors of transports. `transport.connect` is called before this returns.
 *
 * @throws TypeError, RangeError (Node's codes) for a bad transport or option.
 */
export function createBus(transport: Transport, options?: BusOptions): Bus {
  checkedTransport(transport);
  return new HintBus(transport, checkedBusOptions(options, transport), Math.random);
}
