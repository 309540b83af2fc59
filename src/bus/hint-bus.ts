// The bus: what is published here reaches the members of the same name in other processes, over any
// transport.
//
// Ground rules. It joins its connection, its sender, its receiver and its members. It has a timer
// of its own, which keeps the process alive only while hints are about to be sent. Members get the
// hints of OTHER processes only. Each time the bus becomes live, every member sweeps. In a gap
// nothing throws.
//
// Costs. Idle: one frame for each `echoMs`, whatever is parked.

import { debugOnce } from '../base/debug.ts';
import { busClosed } from '../base/errors.ts';
import { throwLater } from '../base/report-error.ts';
import type { Clock } from '../clock/clock.ts';
import { rootContext } from '../clock/root-context.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import {
  type Bus,
  type BusOptions,
  type CheckedBusOptions,
  checkedBusOptions,
  checkedTransport,
  checkRouting,
} from './bus.ts';
import type { BusBase } from './bus-base.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { ErrorReporter } from './error-reporter.ts';
import { InterestTable } from './interest/interest-table.ts';
import { checkMemberName, Members } from './members.ts';
import type { BusMember, Membership, Routing } from './membership/bus-member.ts';
import { Receiver } from './receiver.ts';
import { type Routes, Sender } from './sender.ts';
import { BusMeter } from './telemetry/bus-meter.ts';
import type { BusSnapshot, BusState, GapCause } from './telemetry/bus-snapshot.ts';
import { MAX_FRAME_BYTES, type Transport } from './transport.ts';

const SHOWN_MEMBERS = 100;

export class HintBus implements Bus {
  readonly #base: BusBase;
  readonly #errors: ErrorReporter;
  readonly #members: Members;
  readonly #connection: Connection;
  readonly #sender: Sender;
  readonly #receiver: Receiver;
  /** Undefined for a bus that broadcasts. */
  readonly #interest: InterestTable | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: CheckedBusOptions, random: () => number) {
    const { engine, maxFrameBytes = MAX_FRAME_BYTES } = transport;
    const timer = new SystemTimer({ clock: options.clock, onError: throwLater }).unref();
    const base = { engine, options, timer, meter: new BusMeter(this, engine, timer.now()) };
    const connection = new Connection(base, transport, this.#owner, random);
    const members = new Members(base);
    const errors = new ErrorReporter(base);
    const deafCame = (): void => this.#sender.tryEverything();
    const receiver = new Receiver(base, connection, members, (error) => errors.report(error), deafCame);
    const isRouting = options.routing === 'interest';
    // Never more deliveries than a frame for all would cause.
    const routes: Routes = (hints) => isRouting && hints <= receiver.peers && receiver.allRoute;
    this.#base = base;
    this.#connection = connection;
    this.#members = members;
    this.#errors = errors;
    this.#receiver = receiver;
    this.#sender = new Sender(base, connection, Math.min(maxFrameBytes, MAX_FRAME_BYTES), routes);
    if (isRouting) this.#interest = new InterestTable(base, connection, receiver.tryKeys);
    rootContext.runInAsyncScope(connection.open, connection);
  }

  get state(): BusState {
    return this.#isClosed ? 'closed' : this.#connection.state;
  }

  get routing(): Routing {
    return this.#base.options.routing;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  join(member: BusMember): Membership {
    const { name } = member;
    checkMemberName(name);
    if (this.#isClosed) throw busClosed();
    const members = this.#members;
    const { engine } = this.#base;
    members.add(member);
    return {
      interest: this.#interest?.join(member),
      publish: (key, value) => {
        if (members.has(member)) this.#sender.publish({ member, key, value });
        else debugOnce(this, 'closed', 'bus "%s" is closed: no other process hears of "%s"', engine, name);
      },
      leave: () => {
        if (!members.has(member)) return;
        members.remove(member);
        this.#receiver.drop(member);
        this.#interest?.leave(member);
      },
    };
  }

  async flush(): Promise<void> {
    if (!this.#isClosed) await this.#sender.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close(this.state === 'live' ? this.#sender.flush() : Promise.resolve());
    return this.#closing;
  }

  snapshot(): BusSnapshot {
    const { engine, options, timer, meter } = this.#base;
    const nowMs = timer.now();
    return {
      engine,
      prefix: options.prefix,
      origin: this.#connection.origin,
      state: this.state,
      nowMs,
      sinceMs: meter.sinceMs,
      members: this.#members.names.slice(0, SHOWN_MEMBERS),
      peers: this.#receiver.peers,
      routing: this.routing,
      subscriptions: this.#interest?.subscriptions ?? 0,
      acknowledgementsPending: this.#interest?.pending ?? 0,
      pendingKeys: this.#sender.pendingKeys,
      echo: meter.echo.snapshot(),
      lastGap: meter.lastGap && { ...meter.lastGap },
      lastError: meter.lastError && { ...meter.lastError },
      lastSweep: meter.lastSweep && { ...meter.lastSweep },
      totals: meter.totals(nowMs),
    };
  }

  readonly #owner: ConnectionOwner = {
    echoed: (ms) => this.#echoed(ms),
    isUp: (ready) => {
      if (this.#interest === undefined) ready();
      else rootContext.runInAsyncScope(this.#interest.restore, this.#interest, ready);
    },
    becameLive: () => this.#becameLive(),
    broke: (cause, error, wasLive) => this.#broke(cause, error, wasLive),
    refused: (error) => this.#refused(error),
    received: (text) => rootContext.runInAsyncScope(this.#receiver.received, this.#receiver, text),
  };

  #echoed(ms: number): void {
    const { meter, timer } = this.#base;
    meter.counts.framesSent++;
    meter.didEcho(ms);
    this.#receiver.forgetEnded(timer.now());
  }

  #becameLive(): void {
    this.#errors.becameLive();
    this.#base.meter.didChange('live', this.#base.timer.now());
    this.#sender.send();
    this.#members.sweepAll();
  }

  #broke(cause: GapCause, error: unknown, wasLive: boolean): void {
    if (wasLive) this.#base.meter.didChange('gap', this.#base.timer.now(), cause, error);
    if (cause !== 'sequence') {
      this.#receiver.forgetAll();
      this.#sender.restore();
      this.#interest?.lost();
    }
    if (this.#isClosed) this.#sender.close(); // close() sends only while the bus is live
    this.#errors.report(error);
  }

  #refused(error: unknown): void {
    this.#errors.report(error);
    this.#closing ??= this.#close(Promise.resolve());
  }

  async #close(lastSent: Promise<void>): Promise<void> {
    this.#isClosed = true;
    this.#members.clear();
    this.#receiver.clear();
    const { options, timer, meter } = this.#base;
    const { clock, echoTimeoutMs } = options;
    const endMs = clock.now() + echoTimeoutMs;
    await settledBy(clock, endMs, lastSent);
    const gone = this.#connection.close();
    this.#sender.close();
    this.#interest?.lost();
    timer.close();
    meter.didChange('closed', timer.now());
    await settledBy(clock, endMs, gone);
  }
}

/**
 * A bus over a transport: for authors of transports. `transport.connect` is called before this
 * returns.
 *
 * @throws TypeError, RangeError (Node's codes) for a bad transport or option.
 */
export function createBus(transport: Transport, options?: BusOptions): Bus {
  checkedTransport(transport);
  const checked = checkedBusOptions(options, transport);
  checkRouting(checked.routing, transport);
  return new HintBus(transport, checked, Math.random);
}

/**
 * Resolves when `work` has settled, and at `atMs` by `clock` at the latest. Never rejects. Keeps
 * the process alive until then: the sockets of an engine's client might not do so.
 */
function settledBy(clock: Clock, atMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const wakeUp = clock.wakeAt(atMs, resolve);
    const settled = (): void => {
      wakeUp.cancel();
      resolve();
    };
    work.then(settled, settled);
  });
}
