/// <reference lib="esnext.disposable" preserve="true" />
// A bus as its users see it, and its options.
import { COUNT, checkedFunction, checkedNumber, requiredClock, requiredString } from '../base/checks.ts';
import { debug } from '../base/debug.ts';
import { PurgatoryError } from '../base/errors.ts';
import { invalidArgType, invalidArgValue } from '../base/node-errors.ts';
import {
  type Checked,
  numberOf,
  numberOr,
  optional,
  type Rules,
  readOptions,
  wordOf,
} from '../base/options.ts';
import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import type { BarrierOptions, BarrierResult } from '../timer/barrier.ts';
import type { JoinableBus, Routing } from './membership/bus-member.ts';
import type { BusSnapshot, BusState } from './telemetry/bus-snapshot.ts';
import { MAX_FRAME_BYTES, MIN_FRAME_BYTES, type Transport } from './transport.ts';

/**
 * Carries hints between the processes that use the same engine and prefix. Give it to a purgatory
 * as its option `bus`.
 */
export interface Bus extends JoinableBus {
  /** To whom hints are sent. */
  readonly routing: Routing;
  readonly state: BusState;
  /** Whether the state is `closed`. */
  readonly isClosed: boolean;
  /**
   * Sends what was published before, without waiting for `flushMs`. Resolves when the engine has
   * it; in a gap, that is after the bus is live again. Resolves when the bus is closed, and after
   * `timeoutMs`, with `{ expired: true }` then. What is not sent stays pending. Rejects with the
   * reason of `signal`, and for bad options.
   */
  flush(options?: BarrierOptions): Promise<BarrierResult>;
  /**
   * Ends the bus for good. It first sends what is pending: it waits for a bus that connects, or is
   * in a gap. Then it closes its connections. The user's own client stays open, and purgatories go
   * on without other processes. Resolves within `echoTimeoutMs`, whatever the engine does, and keeps
   * the process alive until then. What could not be sent by then is reported as
   * ERR_PURGATORY_HINTS_LOST. Never rejects. A second call returns the same promise.
   */
  close(): Promise<void>;
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** How the bus is doing, as plain JSON. O(members). */
  snapshot(): BusSnapshot;
}

/** The options of every bus. */
export interface BusOptions {
  /**
   * Processes with the same prefix get each other's hints: letters, digits and `_ . : -`, at most
   * 60. Default 'purgatory'.
   */
  prefix?: string | undefined;
  /**
   * How long hints are gathered before they are sent, in ms: 0 to 1,000. Default 1; Postgres 10.
   */
  flushMs?: number | undefined;
  /**
   * The time between two echoes, by which the bus checks that it hears itself, in ms: from 10. The
   * same in all processes: who was not heard during three echoes counts as silent.
   * Default 5,000.
   */
  echoMs?: number | undefined;
  /** How long an echo may take before the bus is in a gap, in ms: from 10. Default 5,000. */
  echoTimeoutMs?: number | undefined;
  /**
   * The longest pause between two attempts to connect, in ms: 50 to 3,600,000. The pauses begin with
   * 50 ms and double to 1 s. When the engine has been away for half a minute, they grow, by a tenth
   * of that time. While the engine refuses frames, they double up to this. Default 30,000.
   */
  maxPauseMs?: number | undefined;
  /**
   * The number of keys that are kept to be sent, or to be tried. Beyond it, they become one "try
   * everything": from 1. Default 100,000.
   */
  maxPendingKeys?: number | undefined;
  /**
   * To whom hints are sent. 'broadcast': to every process. 'interest', which is experimental: to
   * those where somebody waits, as far as that takes fewer messages. Only Redis and NATS can do it.
   * All processes should say the same: as long as one is known that does not, all is broadcast.
   * Default 'broadcast'.
   */
  routing?: Routing | undefined;
  /**
   * With interest routing: how long a channel stays subscribed after its last wait, in ms: 0 to
   * 3,600,000. Default 60,000.
   *
   * @experimental
   */
  lingerMs?: number | undefined;
  /**
   * Gets what went wrong: the reason of a gap (the same error not twice in a row), a process with
   * another protocol version, an engine that is unfit. Each text names the engine and the prefix.
   * The `code` is one of ours, or that of the client, such as ECONNREFUSED; the `cause` is what the
   * client said. Default: errors that end by themselves are not reported. What somebody must repair
   * is printed as a warning of the process. A new bus that is not live
   * after 5 s, and one that has been in a gap for 30 s, prints a warning with the last error
   * (`PURGATORY_BUS_NOT_LIVE`); so does, once, one with five gaps in a minute
   * (`PURGATORY_BUS_GAPS_OFTEN`).
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Source of time, for tests. Default: the host's. */
  clock?: Clock | undefined;
  /**
   * Numbers in [0, 1), for simulations: the bus and its members draw their jitter from it, and the
   * bus its origin, which names it. Two buses that draw the same origin do not hear each other.
   * Default: Math.random, and node:crypto for the origin.
   */
  random?: (() => number) | undefined;
}

type Optional = 'onError' | 'random';

/** The options with their defaults. */
export type CheckedBusOptions = Checked<BusOptions, Optional>;

const UNFIT = 'ERR_PURGATORY_BUS_UNFIT';
const PREFIX = /^[\w.:-]{1,60}$/;
const ECHO_MS = { min: 10, max: 3_600_000 } as const;
const FRAME_BYTES = { ...COUNT, min: MIN_FRAME_BYTES } as const;
const BUS_OPTIONS: Rules<Checked<BusOptions, 'flushMs' | 'clock' | Optional>> = {
  prefix: (name, value = 'purgatory') => {
    const prefix = requiredString(name, value);
    if (PREFIX.test(prefix)) return prefix;
    throw invalidArgValue(name, 'must be 1 to 60 letters, digits, or of "_.:-"', prefix);
  },
  routing: wordOf('broadcast', 'interest'),
  lingerMs: numberOr(60_000, { min: 0, max: 3_600_000 }),
  flushMs: optional(numberOf({ min: 0, max: 1_000 })),
  echoMs: numberOr(5_000, ECHO_MS),
  echoTimeoutMs: numberOr(5_000, ECHO_MS),
  maxPauseMs: numberOr(30_000, { min: 50, max: 3_600_000 }),
  maxPendingKeys: numberOr(100_000, { min: 1, max: 10_000_000, integer: true }),
  clock: optional(requiredClock),
  onError: checkedFunction,
  random: checkedFunction,
};

/**
 * @param own the defaults of this bus.
 * @throws TypeError, RangeError (Node's codes) for a bad option.
 */
export function checkedBusOptions(
  options: BusOptions | undefined,
  own: { readonly flushMs?: number; readonly clock?: Clock; readonly random?: () => number } = {},
): CheckedBusOptions {
  if (options instanceof Promise)
    throw invalidArgType('options', 'an object, and no promise of one', options);
  const checked = readOptions('a bus', options, BUS_OPTIONS);
  const {
    flushMs = own.flushMs ?? 1,
    clock = own.clock ?? systemClock,
    random = own.random,
    routing,
  } = checked;
  if (options?.lingerMs !== undefined && routing === 'broadcast') {
    debug("lingerMs is given without routing: 'interest': nothing reads it");
  }
  return { ...checked, flushMs, clock, random };
}

/** @throws TypeError, RangeError (Node's codes) for a value that is not a transport. */
export function checkTransport(transport: Transport): void {
  if (!areFunctions(transport?.connect, transport?.publish, transport?.disconnect)) {
    const expected = 'a Transport, with the methods connect, publish and disconnect';
    throw invalidArgType('transport', expected, transport);
  }
  checkedNumber('transport.maxFrameBytes', transport.maxFrameBytes, MAX_FRAME_BYTES, FRAME_BYTES);
}

/** @throws TypeError ERR_INVALID_ARG_VALUE: interest routing over an engine that cannot do it. */
export function checkRouting(routing: Routing, transport: Transport): void {
  const { subscribe, unsubscribe, publishTo } = transport;
  if (routing === 'broadcast' || areFunctions(subscribe, unsubscribe, publishTo)) return;
  const rule = `must be 'broadcast' over ${transport.engine}: only Redis and NATS can route by interest`;
  throw invalidArgValue('options.routing', rule, routing);
}

/** Whether `value` may make a connection: a class cannot be called. */
export function isMaker(value: unknown): boolean {
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
}

/** For what is no client, or makes none. A url may have a password, which is not for a log. */
export function wrongSource(name: string, expected: string, value: unknown): TypeError {
  const shown = typeof value === 'string' ? value.replace(/\/\/.*@/, '//***@') : value;
  return invalidArgType(name, expected, shown);
}

function areFunctions(...methods: unknown[]): boolean {
  return methods.every((method) => typeof method === 'function');
}

/** Whether the engine cannot serve a bus now. */
export function isUnfit(error: unknown): boolean {
  return Object(error).code === UNFIT;
}

/** Whether trying again is no use: the transport says so, or the user's function returns no client. */
export function isRefusal(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === 'ERR_PURGATORY_BUS_REFUSED' || code === 'ERR_INVALID_RETURN_VALUE';
}

/**
 * For an engine that cannot serve a bus now, which somebody may have to repair: no permission, a
 * replica. The bus is in a gap, says why, and tries again.
 *
 * @param cause what the engine or its client said.
 */
export function unfit(message: string, cause?: unknown): PurgatoryError {
  return new PurgatoryError(UNFIT, message, cause === undefined ? {} : { cause });
}

/**
 * The error by which a transport says that trying again is no use: its connection was closed for
 * good. The bus reports it and closes. What may pass, such as a missing permission, is any other
 * error.
 *
 * @param cause what the engine or its client said.
 */
export function refusal(message: string, cause?: unknown): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_BUS_REFUSED', message, cause === undefined ? {} : { cause });
}
