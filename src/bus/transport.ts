// The engine below a bus. It hands every text that one process publishes to all processes that are
// connected, the publisher included.
//
// Ground rules for an author. A transport knows one channel and texts. It knows nothing of
// purgatories, hints, echoes or sequences: the bus above it does the rest. So about 100 lines are
// enough. It never retries and keeps no time. It reports that a connection is lost, and the bus
// calls `connect` again. A text may be lost, or come twice. It must not be cut, changed, or overtaken
// by a later one of the same process: that looks like a loss. A connection may be half open, silent
// and never closed: then the next `connect` needs another one, for both directions. No rejection of
// a client is unhandled, and no 'error' event without a listener. Run the cases of
// `purgatory/bus/conformance` over it.

/** An engine's connection for one bus. Make a bus of it with `createBus`. */
export interface Transport {
  /** The name of the engine that people read: in snapshots and errors. */
  readonly engine: string;
  /**
   * The longest text that the engine takes, in bytes: at least 7,500. A bus sends at most 16,000,
   * all of them ASCII. It is read before each frame, as an engine may change it.
   */
  readonly maxFrameBytes?: number | undefined;
  /** The default of `flushMs` for this engine, in ms. Default 1. */
  readonly flushMs?: number | undefined;

  /**
   * Connects and subscribes. Calls `link.up()` once the ENGINE has acknowledged the subscription,
   * then `link.received` for each text. Calls `link.down(error)` once when the connection fails or
   * breaks. After `disconnect` it is called again, with a new link. A throw counts as `down`.
   */
  connect(link: TransportLink): void;

  /**
   * Hands `text` to the engine. Returns undefined when the engine has it, or a promise that is
   * fulfilled then. It may be called several times before the first promise is settled. The engine
   * must keep the order of these calls. With interest routing the promise is indispensable: a routed
   * frame has no number, so one that is lost with its connection is sent again only where the engine
   * has not confirmed it.
   */
  publish(text: string): Promise<unknown> | undefined;

  /**
   * Optional, for interest routing (experimental), with `unsubscribe` and `publishTo`. Subscribes
   * to more channels, which belong to this one: names of at most 5 digits, 512 at most in a call.
   * Their texts go to `link.received` too. Returns undefined when the ENGINE has acknowledged all
   * of them, or a promise that is fulfilled then. Called between `up` and `down`, once at a time:
   * the bus waits for the last promise, of `unsubscribe` too. A rejection breaks the connection.
   *
   * @experimental
   */
  readonly subscribe?: ((channels: readonly string[]) => Promise<unknown> | undefined) | undefined;

  /** Optional: the reverse of `subscribe`, under the same rules. @experimental */
  readonly unsubscribe?: ((channels: readonly string[]) => Promise<unknown> | undefined) | undefined;

  /** Optional: as `publish`, to one of those channels. One order holds for both. @experimental */
  readonly publishTo?: ((channel: string, text: string) => Promise<unknown> | undefined) | undefined;

  /**
   * Optional: after an acknowledgement, keys are tried again after these times, in ms. For an
   * engine of several servers, where it says nothing of the others. Default none.
   *
   * @experimental
   */
  readonly settleMs?: readonly number[] | undefined;

  /**
   * Optional: whether the engine can still carry a bus, where it may stop to without a break, as a
   * primary does that becomes a replica. Called with each echo of a bus that is live. A rejection
   * breaks the connection.
   */
  readonly check?: (() => Promise<unknown> | undefined) | undefined;

  /**
   * Optional: what may explain that a subscription is not acknowledged in time, or that an echo does
   * not come back: an error that is reported in place of that. Throws nothing.
   */
  readonly whySilent?: (() => unknown) | undefined;

  /**
   * Closes what `connect` has made, whatever its state, so that it does not keep the process alive.
   * The link is not used any more. The user's own client stays open. A bus that closes waits for
   * the promise, for at most `echoTimeoutMs`.
   *
   * @param isToConnect what is still good may be kept: `connect` follows or, where the bus ends, a
   * `disconnect` without this.
   */
  disconnect(isToConnect?: boolean): Promise<unknown> | undefined;
}

/** What a transport reports to its bus. All calls are safe at any time, and inside `connect`. */
export interface TransportLink {
  /** The engine has acknowledged the subscription. */
  up(): void;
  /** A text has come, from this process or another. */
  received(text: string): void;
  /**
   * The connection failed or broke. The bus tries again, whatever the error: a permission that is
   * missing may be given. Only one made by {@link refusal} ends it.
   */
  down(error: unknown): void;
  /**
   * Optional, after `down`: the transport knows that the engine is back. The bus connects at once.
   */
  retry(): void;
}

/** The longest text in bytes, where the engine takes that much. */
export const MAX_FRAME_BYTES = 16_000;

/** What an engine must take, in bytes: enough for any one hint. */
export const MIN_FRAME_BYTES = 7_500;
