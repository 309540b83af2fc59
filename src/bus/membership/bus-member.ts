// The interface between a bus and its members: a Purgatory, a ThresholdPurgatory, SharedWaits. A
// member does not import a bus, and a bus does not know what its members park.
//
// Ground rules for a member. It serves its own process itself, at once: the bus never hands a
// member its own hints. `hinted` and `sweep` are called in a turn of the bus's own, never inside
// `join` or `publish`, and never after `leave`. A hint means "look at this key again", and can be
// late, repeated or wrong: a member decides by the state that it reads. Neither call may throw.
// Ground rules for a bus. `publish` never throws because of the connection's state, and takes O(1).
import { invalidArgType, invalidArgValue, outOfRange } from '../../base/node-errors.ts';
import { cut } from '../../base/text.ts';

/**
 * What a hint carries besides its key: the value of `advance`, or the limit of a `notify` with
 * `atMost`.
 */
export type HintValue = number | bigint;

/** The value of two hints of a key that become one, because neither was sent, or tried, yet. */
export type MergeValues = (
  earlier: HintValue | undefined,
  later: HintValue | undefined,
) => HintValue | undefined;

/** What joins a bus. */
export interface BusMember {
  /**
   * Members of the same name, one in each process, get each other's hints. At most 128 bytes of
   * UTF-8.
   */
  readonly name: string;

  /**
   * Another process published `key`. The member tries the operations that watch it, now. Returns
   * whether any operation watched it.
   *
   * @param value the value that was published with it, if any.
   */
  hinted(key: string, value: HintValue | undefined): boolean;

  /**
   * Its values are states, each until the next. So one that comes behind a later frame of its process
   * is dropped, and its hint says no more than "look again". Default false.
   */
  readonly dropsLateValues?: boolean | undefined;

  /** Default: the later value counts, if there is one. Throws nothing. */
  readonly merge?: MergeValues | undefined;

  /**
   * Hints may have been missed. The member tries everything that is parked now, once, in slices,
   * spread over its `sweepMs`. A call during a sweep makes that sweep go round once more, from
   * where it is.
   *
   * @param ended call it once all operations are tried, with their number. When two calls became
   * one sweep, only the last `ended` is called.
   */
  sweep(ended: (tried: number) => void): void;
}

/**
 * What a member tells a bus with interest routing: the keys that somebody watches. The bus
 * subscribes to those alone.
 *
 * @experimental
 */
export interface KeyInterest {
  /** `key` gets its first watcher. O(length of the key). */
  watched(key: string): void;
  /** `key` has lost its last watcher. O(length of the key). */
  unwatched(key: string): void;
  /**
   * Whether the bus is about to call `hinted` for `key`, because the engine has not acknowledged
   * the subscription yet: within 100 ms. What is read before that may miss a change.
   */
  isHeld(key: string): boolean;
}

/**
 * How a bus sends its hints: to all processes ('broadcast'), or to those where somebody waits
 * ('interest', which is experimental).
 */
export type Routing = 'broadcast' | 'interest';

/** A member's end of the bus. */
export interface Membership {
  /**
   * Only a bus with interest routing has it. A member that tells nothing there gets only the hints
   * that go to all.
   *
   * @experimental
   */
  readonly interest?: KeyInterest | undefined;

  /**
   * Sends a hint to the members of this name in all other processes, soon. Call `checkHintKey`
   * before anything has changed. O(1).
   */
  publish(key: string, value?: HintValue): void;
  /**
   * Calls `hinted` for `key` now, if a hint on it has arrived and waits to be tried: it is before a
   * deadline. O(1) besides. A bus that keeps no hints waiting has none.
   */
  serveHint?(key: string): void;
  /** Ends the membership. What was published before is still sent. A second call does nothing. */
  leave(): void;
}

/** What a member needs of a bus. A `Bus` of `purgatory/bus` has it. */
export interface JoinableBus {
  /** Undefined: 'broadcast'. */
  readonly routing?: Routing | undefined;
  /**
   * Where the sweeps of its members begin, and the jitter of their retries: numbers in [0, 1).
   * Undefined: Math.random.
   */
  readonly random?: (() => number) | undefined;
  /**
   * @throws PurgatoryError ERR_PURGATORY_ALREADY_JOINED: the bus has a member of that name in this
   *   process; ERR_PURGATORY_CLOSED.
   * @throws TypeError ERR_INVALID_ARG_VALUE: the name is longer than 128 bytes.
   */
  join(member: BusMember): Membership;
}

/** The longest key that a bus carries, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1_024;

/**
 * The longest key in JSON, which writes a control character in six bytes: with it the longest name
 * and the longest value, a hint fits in the smallest frame.
 */
const MAX_KEY_JSON_BYTES = 5_120;

/** A string of so many UTF-16 units always fits: each takes at most three bytes, in JSON six. */
const SURELY_FITS = Math.floor(MAX_KEY_BYTES / 3);

/**
 * @throws TypeError ERR_INVALID_ARG_TYPE for no string, ERR_INVALID_ARG_VALUE for one of more than
 *   1,024 bytes, or of more than 5,120 in JSON (control characters). O(1) for short keys.
 */
export function checkHintKey(key: unknown): asserts key is string {
  if (typeof key !== 'string') throw invalidArgType('key', 'of type string for a bus', key);
  if (key.length <= SURELY_FITS) return;
  if (key.length > MAX_KEY_BYTES || Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw invalidArgValue('key', `must be at most ${MAX_KEY_BYTES} bytes long for a bus`, key);
  }
  if (JSON.stringify(key).length > MAX_KEY_JSON_BYTES) {
    throw invalidArgValue('key', 'has too many control characters for a bus', key);
  }
}

/** Of a bigint: far above any offset. */
export const MAX_HINT_DIGITS = 40;

const MAX_HINT_BIGINT: bigint = 10n ** BigInt(MAX_HINT_DIGITS);

/** @throws RangeError ERR_OUT_OF_RANGE for a bigint of more than 40 digits. */
export function checkHintValue(value: HintValue): void {
  if (typeof value === 'bigint' && (value >= MAX_HINT_BIGINT || value <= -MAX_HINT_BIGINT)) {
    throw outOfRange('value', `a bigint of at most ${MAX_HINT_DIGITS} digits for a bus`, cut(`${value}`, 21));
  }
}

/** `bus`, if it can be joined. @throws TypeError ERR_INVALID_ARG_TYPE otherwise. */
export function checkedBus(name: string, bus: JoinableBus): JoinableBus {
  if (typeof bus?.join !== 'function') throw invalidArgType(name, 'a Bus of purgatory/bus', bus);
  return bus;
}
