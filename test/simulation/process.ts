// What runs in one simulated process: a bus, and purgatories of all kinds. A crash ends it for good; a
// new one takes its place.

import { noise } from '../../src/base/random.ts';
import type { Bus } from '../../src/bus/bus-options.ts';
import type { LocalHub } from '../../src/bus/index.ts';
import { type DelayedOperation, Purgatory, SystemTimer } from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { Calls, IDLE_MS } from './calls.ts';
import type { Claims } from './claims.ts';
import { Host } from './host.ts';
import { Items, MOST_ITEMS } from './items.ts';
import { Loads } from './loads.ts';
import { type Actor, codeOf, isMine, mine, type Stage, type Wait } from './model.ts';
import { Permits } from './permits.ts';
import { LOAD_TIMEOUT_MS } from './plan.ts';
import { RECHECK_MS, type Waits } from './waits.ts';

/** The stage with all that work needs. */
export interface World extends Stage {
  readonly hub: LocalHub;
  readonly waits: Waits;
  readonly claims: Claims;
  readonly processes: readonly Process[];
  crash(process: Process, ms: number): void;
}

export class Process implements Actor {
  readonly world: World;
  readonly index: number;
  readonly host: Host;
  #timer: SystemTimer | undefined;
  bus!: Bus;
  /** The name of the bus in its frames. */
  origin = '';
  purgatory!: Purgatory<string>;
  thresholds!: ThresholdPurgatory<string>;
  shared!: SharedWaits<number>;
  semaphore!: Semaphore;
  queues!: Queues<number>;
  replies!: Replies<number, number>;
  idle!: IdleTimeouts<string>;
  readonly permits: Permits;
  readonly items: Items;
  readonly calls: Calls;
  readonly waits = new Set<Wait>();
  readonly answers = new Set<Wait>();
  readonly hinted = new Set<Wait>();
  readonly operations = new Map<DelayedOperation, Wait>();
  /** Since when its connection carries nothing. */
  deadSinceMs: number | undefined;
  isMuted = false;
  isClosing = false;
  /** A fault that waits for the bus to be live. */
  whenLive: (() => void) | undefined;

  constructor(world: World, index: number) {
    const { config } = world.plan;
    this.world = world;
    this.index = index;
    this.host = new Host(
      world.time,
      config.modes[index % config.modes.length],
      config.jitterMs,
      noise(world.plan.seed, index),
    );
    this.host.threw = (error) => world.violate('an uncaught exception', { error });
    this.permits = new Permits(world, this);
    this.items = new Items(world, this);
    this.calls = new Calls(world, this);
    this.host.turnEnded = () => {
      if (!this.host.isIdle) return;
      world.waits.checkTurn(this);
      this.permits.check();
      this.items.check();
      this.calls.check();
    };
    this.host.begin(() => this.#openLocal());
    this.host.begin(() => this.openBus());
  }

  /** What needs no bus. */
  #openLocal(): void {
    const { tickMs, wheelSize, maxPending, sharesTimer } = this.world.plan.config;
    const { clock } = this.host;
    this.#timer = sharesTimer ? new SystemTimer({ clock, tickMs, wheelSize, maxPending }) : undefined;
    const time = this.#timer === undefined ? { clock } : { timer: this.#timer };
    this.semaphore = new Semaphore('semaphore', { units: this.permits.option, ...time });
    this.queues = new Queues<number>('queues', { maxItems: MOST_ITEMS, ...time });
    this.replies = new Replies<number, number>('replies', time);
    const onIdle = (element: string): void => this.calls.becameIdle(element);
    this.idle = new IdleTimeouts<string>('idle', { timeoutMs: IDLE_MS, onIdle, ...time });
  }

  get isDead(): boolean {
    return this.host.isDead;
  }

  openBus(): void {
    const { config } = this.world.plan;
    const routing =
      config.routing === 'mixed' ? (['broadcast', 'interest'] as const)[this.index % 2] : config.routing;
    const { echoMs, echoTimeoutMs, flushMs, maxPauseMs, maxPendingKeys, lingerMs } = config;
    const { clock } = this.host;
    this.bus = this.world.hub.bus({
      clock,
      routing,
      echoMs,
      echoTimeoutMs,
      flushMs,
      maxPauseMs,
      // Who keeps few gets what another keeps many of.
      maxPendingKeys: this.index % 2 === 0 ? maxPendingKeys : 100_000,
      lingerMs: routing === 'interest' ? lingerMs : undefined,
      onError: (error) => {
        this.world.log?.(this, `bus: ${codeOf(error)}`);
        if (codeOf(error) !== 'ERR_PURGATORY_HINTS_LOST') return;
        this.world.waits.lostHintsOf(this);
        if (this.world.isEnding) this.world.violate('hints were lost by a close on a sound network');
      },
    });
    this.origin = this.bus.snapshot().origin;
    this.deadSinceMs = undefined;
    this.isMuted = false;
    this.isClosing = false;
    this.openPurgatory();
    this.openThresholds();
    this.openShared();
  }

  /** The options of a purgatory on the bus. */
  get #options() {
    const { tickMs, wheelSize, sweepMs, maxParked, maxPending } = this.world.plan.config;
    const { bus } = this;
    const time =
      this.#timer === undefined
        ? { clock: this.host.clock, tickMs, wheelSize, maxPending }
        : { timer: this.#timer };
    return { bus, sweepMs, maxParked, ...time };
  }

  openPurgatory(): void {
    const onError = (error: unknown): void => {
      if (isMine(error) || this.isDead) return;
      this.world.violate('onError of a purgatory', { error });
    };
    this.purgatory = new Purgatory<string>('purgatory', { ...this.#options, onError });
  }

  openThresholds(): void {
    const { world } = this;
    this.thresholds = new ThresholdPurgatory<string>('thresholds', {
      ...this.#options,
      loadTimeoutMs: LOAD_TIMEOUT_MS,
      onError: () => {},
      current: (key) => {
        const how = this.noise(key, 1);
        const value = world.waits.version(key) || undefined;
        if (how < 0.5) return value;
        if (how < 0.9 || !world.isChaos) return this.after(10 * this.noise(key, 2), () => value);
        if (how < 0.95) throw mine('current');
        return new Promise(() => {});
      },
    });
  }

  openShared(): void {
    const { bus, host, world } = this;
    const { maxParked, loadBatch } = world.plan.config;
    const loads = new Loads(this);
    this.shared = new SharedWaits<number>('shared', {
      bus,
      clock: host.clock,
      maxParked,
      loadBatch,
      concurrency: loads.concurrency,
      recheckMs: [RECHECK_MS],
      retry: true,
      loadTimeoutMs: LOAD_TIMEOUT_MS,
      onError: () => {},
      load: (keys, { signal }) => loads.load(keys, signal),
    });
  }

  /** What another computer decides about `key` now. */
  noise(key: string, salt: number): number {
    return noise(this.world.plan.seed, this.index, this.world.time.nowMs, Number(key.slice(1)), salt);
  }

  /** What another computer answers after `ms`. */
  async after<T>(ms: number, read: () => T): Promise<T> {
    await new Promise<void>((resolve) => this.host.later(ms, resolve));
    return read();
  }

  closePurgatory(): void {
    for (const operation of this.purgatory.close()) {
      const wait = this.operations.get(operation);
      if (wait !== undefined && wait.ending === undefined) this.world.waits.end(wait, 'closed');
    }
  }

  closeMembers(): void {
    this.closePurgatory();
    this.thresholds.close();
    this.shared.close();
  }

  crash(): void {
    this.host.isDead = true;
    this.world.waits.drop(this);
    this.world.hub.cut(this.bus);
  }

  close(): void {
    if (!this.purgatory.isClosed) this.purgatory.notify('last');
    this.closeMembers();
    this.queues.close();
    this.replies.close();
    this.idle.close();
    this.semaphore.close();
    void this.bus.close();
    this.#timer?.close();
  }

  /** What is left of it after `close`: nothing may be. */
  leftBehind(): Record<string, Record<string, number>> {
    const { semaphore, queues, replies, idle } = this;
    const sum = (what: 'numDelayed' | 'watched' | 'watchedKeys'): number =>
      this.purgatory[what] + this.thresholds[what] + this.shared[what];
    const left = {
      waits: this.waits.size,
      host: this.host.leftBehind,
      parked: sum('numDelayed') + semaphore.numDelayed + queues.numDelayed,
      watched: sum('watched'),
      watchedKeys: sum('watchedKeys'),
      heldUnits: semaphore.snapshot().units.held,
      replies: replies.size,
      idle: idle.size,
      timer: this.#timer?.size ?? 0,
    };
    const { permits, items, calls } = this;
    return {
      left,
      permits: permits.leftBehind(),
      items: items.leftBehind(),
      calls: calls.leftBehind(),
    };
  }
}
