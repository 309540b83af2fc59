// What lies below a bus: an engine that hands every text that one process publishes to all that are
// connected, its publisher included.
//
// Ground rules for an author. A transport knows one channel and texts, and nothing of purgatories,
// hints, echoes or sequences: the bus above it does the rest, so about 100 lines are enough. It
// never retries and keeps no time: it says that a connection is lost, and the bus calls `connect`
// again. A text may be lost, repeated or late; it must not be cut or changed. Nothing that a client
// does may become an unhandled rejection or an 'error' event without a listener. Run the cases of
// `purgatory/bus/conformance` over it.

/** An engine's connection for one bus. Make a bus of it with `createBus`. */
export interface Transport {
  /** The name of the engine for people: snapshots, errors. */
  readonly engine: string;
  /**
   * The longest text that the engine takes, in bytes of UTF-8: at least 7,500. A bus sends at most
   * 16,000.
   */
  readonly maxFrameBytes?: number;
  /** The default of `flushMs` for this engine, in ms. Default 1. */
  readonly flushMs?: number;

  /**
   * Connects and subscribes. Calls `link.up()` once the ENGINE has acknowledged the subscription,
   * then `link.received` for each text; calls `link.down(error)` once when it fails or breaks. Is
   * called again after `disconnect`, with a link of its own. A throw counts as `down`.
   */
  connect(link: TransportLink): void;

  /**
   * Hands `text` to the engine. Returns undefined, or a promise that is fulfilled, when the engine
   * has it. It may be called several times before the first is settled; order must hold among them.
   */
  publish(text: string): Promise<unknown> | undefined;

  /**
   * Gives up what `connect` has made, whatever its state, so that nothing of it keeps the process
   * alive. The link is not looked at any more. The user's own client stays open. A bus that is
   * closed waits for the promise.
   */
  disconnect(): Promise<unknown> | undefined;
}

/** What a transport tells its bus; all calls are safe at any time, and from inside `connect`. */
export interface TransportLink {
  /** The engine has acknowledged the subscription. */
  up(): void;
  /** A text has come, from this process or another. */
  received(text: string): void;
  /**
   * The connection failed or broke. An error made by {@link refusal} ends the bus: nothing is tried
   * again.
   */
  down(error: unknown): void;
  /**
   * To be called after `down`, where a transport happens to know that the engine is back: the bus
   * tries at once.
   */
  retry(): void;
}

/** What a text is at most, in bytes of UTF-8, where the engine takes that much. */
export const MAX_FRAME_BYTES = 16_000;
