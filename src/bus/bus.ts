/// <reference lib="esnext.disposable" preserve="true" />
// The bus: what is published here reaches the members of the same name in other processes, over any
// transport.
//
// Ground rules. It joins its connection, its sender and its receiver. It has a timer of its own,
// which keeps the process alive only while hints are about to be sent. Members get the hints of
// OTHER processes only. Each time the bus becomes live, every member sweeps. In a gap nothing throws.
//
// Costs. Idle: one frame for each `echoMs`, whatever is parked.

import { requiredString } from '../base/checks.ts';
import { debugOnce } from '../base/debug.ts';
import { ASYNC_DISPOSE, nameDispose } from '../base/dispose.ts';
import { closed } from '../base/errors.ts';
import { invalidArgValue } from '../base/node-errors.ts';
import type { Clock } from '../clock/clock.ts';
import { inRootContext } from '../clock/root-context.ts';
import type { BarrierOptions, BarrierResult } from '../timer/barrier.ts';
import { BusContext } from './bus-context.ts';
import {
  type Bus,
  type BusOptions,
  type CheckedBusOptions,
  checkedBusOptions,
  checkRouting,
  checkTransport,
  isRefusal,
  isUnfit,
} from './bus-options.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { InterestTable } from './interest/interest-table.ts';
import type { BusMember, Membership, Routing } from './membership/bus-member.ts';
import { Receiver } from './receiver.ts';
import { hintsLost, Sender } from './sender.ts';
import type { BusSnapshot, BusState } from './telemetry/bus-snapshot.ts';
import type { Transport } from './transport.ts';

const SHOWN_MEMBERS = 100;
const MAX_NAME_BYTES = 128;

export class HintBus implements Bus {
  readonly #base: BusContext;
  readonly #connection: Connection;
  readonly #receiver: Receiver;
  readonly #sender: Sender;
  /** Undefined for a bus that broadcasts. */
  readonly #interest: InterestTable | undefined;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: CheckedBusOptions) {
    const base = new BusContext(this, transport.engine, options);
    const connection = new Connection(base, transport, this.#owner);
    this.#base = base;
    this.#connection = connection;
    this.#receiver = new Receiver(base, connection, () => this.#sender.tryEverything());
    this.#sender = new Sender(base, connection, this.#receiver);
    if (this.routing === 'interest') this.#interest = new InterestTable(base, connection, this.#receiver);
    inRootContext(connection.open, connection);
  }

  get state(): BusState {
    return this.isClosed ? 'closed' : this.#connection.state;
  }

  get routing(): Routing {
    return this.#base.options.routing;
  }

  get random(): (() => number) | undefined {
    return this.#base.options.random;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  join(member: BusMember): Membership {
    const { name } = member;
    requiredString('name', name);
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
      throw invalidArgValue('name', `must be at most ${MAX_NAME_BYTES} bytes long for a bus`, name);
    }
    if (this.isClosed) throw closed('The bus');
    const { engine } = this.#base;
    const receiver = this.#receiver;
    receiver.join(member);
    return {
      interest: this.#interest?.join(member),
      publish: (key, value) => {
        if (receiver.has(member)) this.#sender.publish({ member, key, value });
        else debugOnce(this, 'closed', 'bus "%s" is closed: no other process hears of "%s"', engine, name);
      },
      serveHint: (key) => receiver.serveHint(member, key),
      leave: () => {
        if (receiver.has(member)) receiver.leave(member);
      },
    };
  }

  flush(options?: BarrierOptions): Promise<BarrierResult> {
    return this.#sender.flush(options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  static {
    nameDispose(HintBus, ASYNC_DISPOSE);
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
      members: this.#receiver.memberNames.slice(0, SHOWN_MEMBERS),
      peers: this.#receiver.peers,
      doubt: this.#receiver.doubt,
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
    isUp: (ready) => {
      if (this.#interest === undefined) ready();
      else inRootContext(this.#interest.restore, this.#interest, ready);
    },
    echoed: (ms) => {
      const { meter } = this.#base;
      meter.counts.framesSent++;
      meter.didEcho(ms);
      this.#receiver.echoed();
    },
    becameLive: () => {
      this.#base.becameLive();
      this.#base.meter.didChange('live', this.#base.timer.now());
      this.#sender.send();
      this.#receiver.becameLive();
    },
    broke: (cause, error, wasLive) => {
      if (wasLive) {
        this.#base.fellIntoGap();
        this.#base.meter.didChange('gap', this.#base.timer.now(), cause, error);
      }
      if (cause !== 'sequence') {
        this.#receiver.forgetAll();
        this.#sender.restore(cause === 'publish' ? error : undefined);
        this.#interest?.lost();
      }
      if (isUnfit(error)) this.#sender.tryEverything(); // what it has taken may have reached nobody
      this.#base.report(error);
      if (!isRefusal(error)) return;
      this.#sender.close(); // that error says it all
      this.#closing ??= this.#close();
    },
    received: (text) => inRootContext(this.#receiver.received, this.#receiver, text),
  };

  async #close(): Promise<void> {
    this.#receiver.close();
    const { options, timer, meter } = this.#base;
    const { clock, echoTimeoutMs } = options;
    const endMs = clock.now() + echoTimeoutMs;
    await settledBy(clock, endMs, this.#sender.flush());
    await settledBy(clock, endMs, this.#connection.goodbye());
    const gone = this.#connection.close();
    const lost = this.#sender.close();
    const why = `the bus was closed, and they could not be sent within ${echoTimeoutMs} ms`;
    if (lost.length > 0) this.#base.report(hintsLost(why, lost));
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
  checkTransport(transport);
  const checked = checkedBusOptions(options, { flushMs: transport.flushMs });
  checkRouting(checked.routing, transport);
  return new HintBus(transport, checked);
}

/**
 * Resolves when `work` has settled, and at `atMs` by `clock` at the latest. Never rejects. Keeps
 * the process alive until then: the sockets of an engine's client might not do so.
 */
function settledBy(clock: Clock, atMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const wakeUp = clock.wakeAt(atMs, () => resolve());
    const settled = (): void => {
      wakeUp.cancel();
      resolve();
    };
    work.then(settled, settled);
  });
}
