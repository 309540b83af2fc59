// The connection of a bus: connect, receive the own echo, be live; break, pause, connect again.
//
// Ground rules. It owns the transport, the state, the origin and the numbers of frames. `live`
// means that an echo has come back that was published after the engine had acknowledged the
// subscription. The next echo follows `echoMs` after the last one was sent. One that does not come
// back within `echoTimeoutMs` is a gap. After a break it connects again, for ever, unless the
// transport refuses: after 50 ms at first, doubling to 1 s. When the engine has been away for half a
// minute, the pauses grow with that time, by a tenth of it. While the engine refuses frames, the
// pauses double on, though echoes come back. `maxPauseMs` is the longest. What stopped this process,
// such as a frozen machine, may have stopped the engine or the network, too. So a timeout that runs
// late by more than STALL_MS starts again.
import { randomBytes } from 'node:crypto';
import { backoffMs } from '../base/backoff.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import type { BusContext } from './bus-context.ts';
import { isRefusal } from './bus-options.ts';
import { frameText, GOODBYE } from './frames.ts';
import type { BusState, GapCause } from './telemetry/bus-snapshot.ts';
import { MAX_FRAME_BYTES, type Transport, type TransportLink } from './transport.ts';

/** What the connection reports to its bus, which it cannot import: a circle. */
export interface ConnectionOwner {
  /** The subscription is acknowledged. `ready` is called when what else is needed is, too. */
  isUp(ready: () => void): void;
  /** An echo has come back after `ms`. */
  echoed(ms: number): void;
  becameLive(): void;
  /**
   * It is not live, and tries again, unless the error is a refusal. `wasLive`: it was until now. Else
   * it is another error before it becomes live.
   */
  broke(cause: GapCause, error: unknown, wasLive: boolean): void;
  received(text: string): void;
}

/** Called when the engine has done what it was asked for, unless the connection has broken. */
export type Done = () => void;

/** Asks the engine. Returns undefined when it has done so, or a promise that is fulfilled then. */
type Call = () => Promise<unknown> | undefined;

/** A frame that was published. */
interface Published {
  readonly number: number;
  readonly atMs: number;
}

/** What the engine was asked for. */
interface Asked {
  readonly sinceMs: number;
  readonly what: string | undefined;
}

/** The clients have limits of their own, which should come first. */
const CONNECT_TIMEOUT_MS = 15_000;
/** With the jitter, 1 s: how long a pause doubles. */
const SHORT_PAUSE_MS = 800;
/** When the engine has been away for so long, pauses grow by a share of the time that it is away. */
const SHORT_AWAY_MS = 30_000;
const PAUSE_SHARE = 0.1;
const STALL_MS = 250;
/**
 * A bus that has been live for so many times its `echoMs` has heard every process that was there
 * before. One that was silent for so long may be unknown.
 */
export const ECHOES_TO_KNOW_ALL = 1.25;

export class Connection {
  /** Distinguishes this bus of this process from all others. */
  readonly origin: string;
  readonly transport: Transport;
  readonly #owner: ConnectionOwner;
  readonly #base: BusContext;
  readonly #random: () => number;
  #state: BusState = 'connecting';
  #liveSinceMs = 0;
  #number = 0;
  /** The last frame with hints. */
  #hints: Published = { number: 0, atMs: 0 };
  /** The last one that the engine has taken: what came after it is lost with the connection. */
  #taken: Published = this.#hints;
  /** When it last published anything; -Infinity: not since it connected. */
  #publishedMs: number = Number.NEGATIVE_INFINITY;
  /** The link of the last `connect`. Undefined between two attempts. */
  #link: TransportLink | undefined;
  /** What the engine has not done yet, the oldest first. */
  readonly #asked = new Set<Asked>();
  /** Since an echo came back. */
  #failures = 0;
  /** Frames that the engine refused, since it took hints, or an echo while the bus was live. */
  #refusals = 0;
  /** When the first of the failures came. */
  #awaySinceMs = 0;
  /** The number of the echo that has not come back yet. 0 for none. */
  #echo = 0;
  #echoSentMs = 0;
  #deadline: TimerTask | undefined;
  /** The task for the next echo, or for the next attempt. */
  #next: TimerTask | undefined;

  constructor(base: BusContext, transport: Transport, owner: ConnectionOwner) {
    const { random } = base.options;
    const bytes = random === undefined ? randomBytes(9) : Array.from({ length: 9 }, () => random() * 256);
    this.origin = Buffer.from(bytes).toString('base64url');
    this.#base = base;
    this.transport = transport;
    this.#owner = owner;
    this.#random = random ?? Math.random;
  }

  get state(): BusState {
    return this.#state;
  }

  /** For how long it has been live, in ms. 0: it is not. */
  get liveMs(): number {
    return this.#state === 'live' ? this.#base.timer.now() - this.#liveSinceMs : 0;
  }

  /** It has been live for so long that it has heard of every process. */
  get knowsAll(): boolean {
    return this.#isLong(this.liveMs);
  }

  get maxFrameBytes(): number {
    return Math.min(this.transport.maxFrameBytes ?? MAX_FRAME_BYTES, MAX_FRAME_BYTES);
  }

  open(): void {
    const link: TransportLink = {
      up: () => {
        if (link === this.#link) this.#up(link);
      },
      received: (text) => {
        if (link === this.#link) this.#owner.received(text);
      },
      down: (error) => {
        if (link === this.#link) this.fail('connection', error);
      },
      retry: () => {
        if (this.#link === undefined && this.#next?.cancel()) this.open();
      },
    };
    this.#link = link;
    this.#expect(CONNECT_TIMEOUT_MS, 'connection', 'The engine did not acknowledge the subscription');
    try {
      this.transport.connect(link);
    } catch (error) {
      link.down(error);
    }
  }

  /** Publishes hints in a frame with the next number. */
  publish(body: string, done: Done): void {
    const text = this.#numbered(body);
    this.#sendHints(this.#number, () => this.transport.publish(text), done);
  }

  /** A frame with the next number. After a break or a silence it says which hints were before. */
  #numbered(body: string): string {
    const { timer, options } = this.#base;
    const nowMs = timer.now();
    const wasAway = this.#number > 0 && this.#isLong(nowMs - this.#publishedMs);
    const { number, atMs } = this.#hints;
    const previous = wasAway ? { number, ageMs: nowMs - atMs } : undefined;
    this.#publishedMs = nowMs;
    return frameText(body, this.origin, { number: ++this.#number, previous }, options.routing);
  }

  #isLong(ms: number): boolean {
    return ms > ECHOES_TO_KNOW_ALL * this.#base.options.echoMs;
  }

  /** Says that this process will be silent. Settles when the engine has that, or has refused it. */
  async goodbye(): Promise<unknown> {
    if (this.#publishedMs === Number.NEGATIVE_INFINITY) return undefined; // nobody has heard of it
    return this.transport.publish(this.#numbered(GOODBYE));
  }

  /**
   * As `publish`, for the processes that have subscribed to `channel`. Its frame has no number. So its
   * hints count as those of the frame before, or of the first, as 0 stands for none: a process that
   * missed them can tell by their time alone.
   */
  publishTo(channel: string, body: string, done: Done): void {
    const text = frameText(body, this.origin);
    this.#sendHints(this.#hints.number || 1, () => this.transport.publishTo?.(channel, text), done);
  }

  #sendHints(number: number, call: Call, done: Done): void {
    const hints = { number, atMs: this.#base.timer.now() };
    this.#hints = hints;
    const taken = (): void => {
      this.#taken = hints;
      this.#refusals = 0;
      done();
    };
    this.#ask('publish', 'confirm a frame', call, taken);
  }

  /** Subscribes or unsubscribes. Before it is live, each command has `echoTimeoutMs`, as an echo has. */
  command(what: 'subscribe' | 'unsubscribe', channels: readonly string[], done: Done): void {
    const doWhat = 'acknowledge a subscription';
    if (this.#state !== 'live' && this.#echo === 0)
      this.#expect(this.#base.options.echoTimeoutMs, 'connection', `The engine did not ${doWhat}`);
    this.#ask('connection', doWhat, () => this.transport[what]?.(channels), done);
  }

  /**
   * Drops the connection when the call fails.
   *
   * @param what the engine must do in time, in words. Undefined: it may take any time.
   */
  #ask(cause: GapCause, what: string | undefined, call: Call, done?: Done): void {
    const link = this.#link;
    if (link === undefined) return; // it has broken since
    const failed = (reason: unknown): void => {
      if (link === this.#link) this.fail(cause, reason);
    };
    const asked = { sinceMs: this.#base.timer.now(), what };
    const ended = (): void => {
      this.#asked.delete(asked);
      if (link === this.#link) done?.();
    };
    let taken: Promise<unknown> | undefined;
    try {
      taken = call();
    } catch (reason) {
      failed(reason);
      return;
    }
    if (taken === undefined) {
      ended();
      return;
    }
    if (what !== undefined) this.#asked.add(asked);
    taken.then(ended, failed);
  }

  /** Drops the connection when the engine has not done in time what it was asked for. */
  #checkAsked(nowMs: number): void {
    const [oldest] = this.#asked;
    if (oldest === undefined || nowMs - oldest.sinceMs <= this.#base.options.echoTimeoutMs) return;
    this.fail('connection', new Error(`The engine did not ${oldest.what}`));
  }

  /** A frame of this bus has come back. */
  returned(number: number): void {
    if (this.#echo === 0 || number !== this.#echo) return;
    const link = this.#link;
    this.#echo = 0;
    this.#deadline?.cancel();
    this.#failures = 0;
    if (this.#state === 'live') this.#refusals = 0;
    const nowMs = this.#base.timer.now();
    this.#next = this.#base.timer.schedule(
      () => this.#echoAgain(),
      Math.max(0, this.#echoSentMs + this.#base.options.echoMs - nowMs),
    );
    this.#owner.echoed(nowMs - this.#echoSentMs);
    if (this.#state === 'live' || link !== this.#link) return;
    this.#state = 'live';
    this.#liveSinceMs = nowMs;
    this.#owner.becameLive();
  }

  /** It is live, and a frame of another process is missing: a gap, though it may be sound. */
  jumped(error: unknown): void {
    const link = this.#link;
    this.#state = 'gap';
    this.#next?.cancel();
    this.#owner.broke('sequence', error, true);
    if (link === this.#link) this.#sendEcho();
  }

  /** Drops the connection, and connects again later, unless the error is a refusal. */
  fail(cause: GapCause, error: unknown): void {
    this.#abandon();
    const wasLive = this.#state === 'live';
    if (wasLive) this.#state = 'gap';
    if (cause === 'publish') this.#refusals++;
    if (!isRefusal(error)) this.#next = this.#base.timer.schedule(() => this.open(), this.#pauseMs());
    this.#owner.broke(cause, error, wasLive);
  }

  #pauseMs(): number {
    const { timer, options } = this.#base;
    const nowMs = timer.now();
    if (this.#failures++ === 0) this.#awaySinceMs = nowMs;
    const random = this.#random();
    return Math.min(
      options.maxPauseMs,
      Math.max(
        backoffMs(this.#failures, random, SHORT_PAUSE_MS),
        backoffMs(this.#refusals, random, options.maxPauseMs),
        (nowMs - this.#awaySinceMs - SHORT_AWAY_MS) * PAUSE_SHARE * (1 + random / 4),
      ),
    );
  }

  /** Ends it for good. */
  close(): Promise<unknown> {
    this.#state = 'closed';
    return this.#abandon(false);
  }

  #up(link: TransportLink): void {
    this.#owner.isUp(() => {
      if (link === this.#link) this.#sendEcho();
    });
  }

  /**
   * In a task, so the answers have been read that had arrived: they may come by another socket than
   * the echo.
   */
  #echoAgain(): void {
    const link = this.#link;
    this.#checkAsked(this.#base.timer.dueMs);
    if (link !== this.#link) return;
    this.#ask('connection', 'say that it is fit', () => this.transport.check?.());
    if (link === this.#link) this.#sendEcho();
  }

  #sendEcho(): void {
    this.#echo = this.#number + 1;
    this.#echoSentMs = this.#base.timer.now();
    this.#expect(this.#base.options.echoTimeoutMs, 'echo', 'The echo of this bus did not come back');
    const text = this.#numbered('');
    this.#ask('publish', undefined, () => this.transport.publish(text)); // an echo confirms itself
  }

  /** Fails unless the awaited event comes within `ms`. */
  #expect(ms: number, cause: GapCause, message: string): void {
    this.#deadline?.cancel();
    const deadlineMs = this.#base.timer.now() + ms;
    this.#deadline = this.#base.timer.schedule(() => {
      if (this.#base.timer.now() > deadlineMs + STALL_MS) this.#expect(ms, cause, message);
      else this.fail(cause, this.transport.whySilent?.() ?? new Error(`${message} within ${ms} ms`));
    }, ms);
  }

  #abandon(isToConnect = true): Promise<unknown> {
    this.#link = undefined;
    this.#echo = 0;
    this.#hints = this.#taken;
    this.#publishedMs = Number.NEGATIVE_INFINITY;
    this.#asked.clear();
    this.#deadline?.cancel();
    this.#next?.cancel();
    // The errors of a client that is being closed are of no interest.
    const gone = async (): Promise<unknown> => this.transport.disconnect(isToConnect);
    return gone().catch(() => {});
  }
}
