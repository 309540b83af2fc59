// What runs in one simulated process: a bus, and purgatories of all kinds. A crash ends it for good; a
// new one takes its place.
import type { Bus } from '../../src/bus/bus-options.ts';
import type { LocalHub } from '../../src/bus/index.ts';
import { type DelayedOperation, Purgatory, SystemTimer } from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Queues } from '../../src/waits/queues/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { Semaphore } from '../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import type { Claims } from './claims.ts';
import { Host } from './host.ts';
import { LocalModel } from './local-acts.ts';
import { type Actor, codeOf, isMine, mine, type Stage, type Wait } from './model.ts';
import { LOAD_TIMEOUT_MS } from './plan.ts';
import type { Waits } from './waits.ts';

/** The stage with all that work needs. */
export interface World extends Stage {
  readonly hub: LocalHub;
  readonly waits: Waits;
  readonly claims: Claims;
}

export class Process implements Actor {
  readonly world: World;
  readonly index: number;
  readonly host: Host;
  readonly #timer: SystemTimer | undefined;
  bus!: Bus;
  purgatory!: Purgatory<string>;
  thresholds!: ThresholdPurgatory<string>;
  shared!: SharedWaits<number>;
  readonly semaphore: Semaphore;
  readonly queues: Queues<number>;
  readonly replies: Replies<number, number>;
  readonly idle: IdleTimeouts<string>;
  readonly local: LocalModel;
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
      world.random,
    );
    this.host.threw = (error) =>
      world.violate('an uncaught exception', undefined, { error: (error as Error)?.stack ?? error });
    this.host.turnEnded = () => {
      if (this.host.isIdle) world.waits.checkTurn(this);
    };
    const { clock } = this.host;
    const { tickMs, wheelSize, maxPending } = config;
    let made: Pick<Process, 'semaphore' | 'queues' | 'replies' | 'idle' | 'local'> | undefined;
    let timer: SystemTimer | undefined;
    this.host.begin(() => {
      timer = config.sharesTimer ? new SystemTimer({ clock, tickMs, wheelSize, maxPending }) : undefined;
      const time = timer === undefined ? { clock } : { timer };
      made = {
        semaphore: new Semaphore('semaphore', { units: 2, ...time }),
        queues: new Queues<number>('queues', { maxItems: 10, ...time }),
        replies: new Replies<number, number>('replies', time),
        idle: new IdleTimeouts<string>('idle', {
          timeoutMs: 200,
          onIdle: (element) => this.local.becameIdle(element),
          ...time,
        }),
        local: new LocalModel(world, this),
      };
    });
    this.#timer = timer;
    if (made === undefined) throw new Error('a process could not begin');
    ({
      semaphore: this.semaphore,
      queues: this.queues,
      replies: this.replies,
      idle: this.idle,
      local: this.local,
    } = made);
    this.host.begin(() => this.openBus());
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
      maxPendingKeys,
      lingerMs: routing === 'interest' ? lingerMs : undefined,
      onError: (error) => {
        this.world.log(this, `bus: ${codeOf(error)}`);
        if (codeOf(error) === 'ERR_PURGATORY_HINTS_LOST') this.world.waits.lostHintsOf(this);
      },
    });
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
      this.world.violate('onError of a purgatory', undefined, { error: codeOf(error) });
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
        const how = world.random.next();
        const value = world.waits.version(key) || undefined;
        if (how < 0.5) return value;
        if (how < 0.9 || !world.isChaos) return this.after(world.random.range(0, 10), () => value);
        if (how < 0.95) throw mine('current');
        return new Promise(() => {});
      },
    });
  }

  openShared(): void {
    const { world } = this;
    const { maxParked, loadBatch } = world.plan.config;
    this.shared = new SharedWaits<number>('shared', {
      bus: this.bus,
      clock: this.host.clock,
      maxParked,
      loadBatch,
      retry: true,
      loadTimeoutMs: LOAD_TIMEOUT_MS,
      onError: () => {},
      load: (keys) => {
        const how = world.random.next();
        const read = (): Map<string, number> => new Map(keys.map((key) => [key, world.waits.version(key)]));
        const early = world.random.chance(0.5) ? read() : undefined;
        const ms = world.random.range(0, 15);
        if (!world.isChaos || how < 0.85) return this.after(ms, () => early ?? read());
        const fail = (): never => {
          throw mine('load');
        };
        if (how < 0.93) return this.after(ms, fail);
        return how < 0.97 ? fail() : new Promise(() => {});
      },
    });
  }

  /** What another computer answers after `ms`. */
  after<T>(ms: number, read: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.host.later(ms, () => {
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  closeMembers(): void {
    for (const operation of this.purgatory.close()) this.endOperation(operation, 'closed');
    this.thresholds.close();
    this.shared.close();
  }

  endOperation(operation: DelayedOperation, ending: 'closed'): void {
    const wait = this.operations.get(operation);
    if (wait !== undefined && wait.ending === undefined) this.world.waits.end(wait, ending);
  }

  crash(): void {
    this.host.isDead = true;
    this.world.waits.drop(this);
    this.world.hub.cut(this.bus);
  }

  close(): void {
    this.closeMembers();
    this.queues.close();
    this.replies.close();
    this.idle.close();
    this.semaphore.close();
    void this.bus.close();
    this.#timer?.close();
  }

  /** What is left of it after `close`: nothing may be. */
  leftBehind(): Record<string, number> {
    const { purgatory, thresholds, shared, semaphore, queues, replies, idle } = this;
    const members = [purgatory, thresholds, shared];
    const sum = (what: (member: (typeof members)[number]) => number): number =>
      members.reduce((all, member) => all + what(member), 0);
    return {
      waits: this.waits.size,
      host: this.host.leftBehind,
      parked: sum(({ numDelayed }) => numDelayed) + semaphore.numDelayed + queues.numDelayed,
      watched: sum(({ watched }) => watched),
      watchedKeys: sum(({ watchedKeys }) => watchedKeys),
      heldUnits: semaphore.snapshot().units.held,
      replies: replies.size,
      idle: idle.size,
      timer: this.#timer?.size ?? 0,
      ...this.local.leftBehind(),
    };
  }
}
