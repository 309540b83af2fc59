// A world: one seed plays the time, the network and its engine, and some processes. What must be true
// is checked all the while; the first violation ends it.
import { readFrame } from '../../src/bus/frames.ts';
import { LocalHub } from '../../src/bus/index.ts';
import { Receiver } from '../../src/bus/receiver.ts';
import type { WakeUp } from '../../src/clock/clock.ts';
import { listen } from '../../src/observe/events/index.ts';
import { Random } from '../support/random.ts';
import { act } from './acts.ts';
import { Claims } from './claims.ts';
import { Faults } from './faults.ts';
import type { Stage as Basis, Wait } from './model.ts';
import type { Plan, Planned } from './plan.ts';
import { Process, type World as Stage } from './process.ts';
import { Time } from './time.ts';
import { Waits } from './waits.ts';

export interface Violation {
  readonly what: string;
  readonly atMs: number;
  readonly about: string;
}

/** The numbers of the acts and faults of a plan that are played: all, where none are given. */
export interface Kept {
  readonly acts?: readonly number[];
  readonly faults?: readonly number[];
}

const CHECK_EVERY_MS = 60;
/** Until all is closed, with what a load or a bus may take to end. */
const CLOSING_MS = 20_000;
const LAST_MS = 700;
/** How long the turn may take, besides what its tries take, in which a timeout is found out. */
const TURN_MS = 40;
const CROWD = 800;

export class World implements Stage {
  readonly plan: Plan;
  readonly time = new Time();
  readonly hub: LocalHub;
  readonly waits: Waits;
  readonly claims: Claims;
  readonly #faults: Faults;
  processes: Process[] = [];
  readonly violations: Violation[] = [];
  readonly trace: string[] = [];
  readonly log: Basis['log'];
  isChaos = false;
  isEnding = false;
  settledMs: number = Number.POSITIVE_INFINITY;
  lives = 0;

  constructor(plan: Plan, kept: Kept = {}, traces = false) {
    this.plan = plan;
    if (traces)
      this.log = (process, text) =>
        this.trace.push(`${this.time.nowMs.toFixed(2)} ${process?.index ?? '-'}: ${text}`);
    this.hub = new LocalHub({ clock: this.time, seed: plan.seed * 7 + 2 });
    this.waits = new Waits(this);
    this.claims = new Claims(this, this.waits);
    this.#faults = new Faults(this);
    this.#playAll(plan.acts, kept.acts, (each) => this.#act(each));
    this.#playAll(plan.faults, kept.faults, (each) => this.#faults.play(each, new Random(each.seed)));
    for (const round of plan.rounds) {
      this.time.wakeAt(round.chaosMs, () => {
        this.isChaos = true;
        this.settledMs = Number.POSITIVE_INFINITY;
      });
      this.time.wakeAt(round.calmMs, () => {
        this.isChaos = false;
        this.#faults.heal();
        this.settledMs = round.settledMs;
      });
    }
  }

  violate(what: string, about: object = {}): void {
    const text = JSON.stringify(about, (name, value: unknown) => {
      if (name === 'owner' || name === 'reason') return undefined;
      if (value instanceof Process) return `${value.index}, its bus is ${value.bus.state}`;
      if (value instanceof Error) return value.stack;
      return typeof value === 'number' && !Number.isFinite(value) ? `${value}` : value;
    });
    this.violations.push({ what, atMs: this.time.nowMs, about: text });
    this.log?.((about as Partial<Wait>).process, `!!! ${what}`);
  }

  /** Plays the plan to its end, or to `untilMs`, or to the first violation. */
  run(untilMs = Number.POSITIVE_INFINITY): this {
    const { rounds, config } = this.plan;
    const stop = listen('purgatory:bus:state', ({ bus, state }) => {
      const process = this.processes.find((each) => each.bus === bus);
      if (process !== undefined) this.#stateChanged(process, state);
    });
    const unhear = hearFrames(this);
    try {
      for (let i = 0; i < config.processes; i++) this.processes.push(new Process(this, i));
      this.#checkLater();
      const { endMs } = rounds[rounds.length - 1];
      this.time.runUntil(Math.min(endMs, untilMs), () => this.violations.length > 0);
      if (this.violations.length === 0 && untilMs > endMs) this.#end();
    } finally {
      stop();
      unhear();
      this.isEnding = true;
    }
    return this;
  }

  crash(process: Process, ms: number): void {
    process.crash();
    this.time.after(ms, () => {
      if (!this.isEnding) this.processes[process.index] = new Process(this, process.index);
    });
  }

  /** One after the other: what is to come makes the list of events long. */
  #playAll(all: readonly Planned[], kept: Kept['acts'], play: (planned: Planned) => void): void {
    const ids = kept && new Set(kept);
    const list = ids === undefined ? all : all.filter(({ id }) => ids.has(id));
    const playFrom = (at: number): void => {
      if (at === list.length) return;
      this.time.wakeAt(list[at].atMs, () => {
        playFrom(at + 1);
        play(list[at]);
      });
    };
    playFrom(0);
  }

  #act(planned: Planned): void {
    const random = new Random(planned.seed);
    const process = random.pick(this.processes);
    if (process.host.stands || this.isEnding) return;
    process.host.push(() => {
      if (process.isClosing || process.bus.isClosed) return;
      this.log?.(process, `act ${planned.id}`);
      act(process, random, planned.id);
    });
  }

  #stateChanged(process: Process, state: string): void {
    this.log?.(process, `bus: ${state}`);
    this.time.mix(state.charCodeAt(0) * 7 + process.index);
    if (!process.isMuted) process.deadSinceMs = undefined;
    if (state !== 'live') return;
    this.lives++;
    if (this.isChaos) process.whenLive?.();
    process.whenLive = undefined;
    this.#checkSweep(process);
  }

  /**
   * All that was parked, and true, when the bus became live is tried within `sweepMs`, or twice that:
   * a sweep that begins meanwhile goes on from where the first one is, over what came since, too.
   */
  #checkSweep(process: Process): void {
    const { bus, host, purgatory } = process;
    const { sweepMs, jitterMs, tryMs, tickMs } = this.plan.config;
    const liveMs = this.time.nowMs;
    const parked = [...process.waits].filter(
      ({ owner, kind, trueMs, isSound }) =>
        owner === purgatory && kind !== 'claim' && trueMs !== undefined && trueMs < liveMs && isSound,
    );
    if (parked.length === 0) return;
    const check = (atMs: number): WakeUp =>
      this.time.wakeAt(atMs, () => {
        if (process.isDead || process.bus !== bus || process.purgatory !== purgatory) return;
        const againMs = host.stoodUntilMs + sweepMs + 100;
        if (host.stoodUntilMs > liveMs - 1 && againMs > this.time.nowMs + 40) {
          check(Math.max(this.time.nowMs + 50, againMs));
          return;
        }
        for (const wait of parked) {
          if (wait.ending === undefined)
            this.violate('a wait was not tried by the sweep of a bus that became live', { ...wait, liveMs });
        }
      });
    check(liveMs + 2 * sweepMs + 100 + jitterMs * 10 + tryMs * CROWD + tickMs * 3);
  }

  #checkLater(): void {
    this.time.after(CHECK_EVERY_MS, () => {
      if (this.isEnding) return;
      for (const process of this.processes) this.#checkBus(process);
      this.waits.check();
      this.claims.check();
      this.#checkLater();
    });
  }

  #checkBus(process: Process): void {
    const { host, bus, deadSinceMs } = process;
    if (host.stands) return;
    const { echoMs, echoTimeoutMs, latencyMs, jitterMs, tryMs, tickMs } = this.plan.config;
    const { nowMs } = this.time;
    if (bus.state === 'live' && deadSinceMs !== undefined) {
      const forMs = nowMs - Math.max(deadSinceMs, host.stoodUntilMs);
      const turnMs = TURN_MS + 6 * latencyMs + jitterMs * 4 + tryMs * CROWD + tickMs;
      if (forMs > echoMs + echoTimeoutMs + turnMs)
        this.violate('a bus says live on a dead connection', { process, forMs });
    }
    const wellMs = Math.max(this.settledMs, host.stoodUntilMs) + this.plan.recoveryMs;
    if (bus.state !== 'live' && !bus.isClosed && nowMs > wellMs)
      this.violate('a bus is not live though all is well', { process });
  }

  #end(): void {
    this.isEnding = true;
    const { nowMs } = this.time;
    const isOver = (): boolean => this.violations.length > 0;
    this.time.runUntil(nowMs + LAST_MS, isOver);
    for (const process of this.processes) process.host.push(() => process.close());
    this.time.runUntil(nowMs + LAST_MS + CLOSING_MS, isOver);
    if (isOver()) return;
    for (const process of this.processes) {
      const left = process.leftBehind();
      const isClean = Object.values(left).every((part) => Object.values(part).every((count) => count === 0));
      if (!isClean || process.bus.state !== 'closed')
        this.violate('something was left behind', { process, ...left });
    }
    if (this.claims.lost > 0) this.violate('a claim was lost', { lost: this.claims.lost });
  }
}

/** Notes which waits a hint must answer in the turn in which it is read. Returns what ends that. */
function hearFrames(world: World): () => void {
  const { received } = Receiver.prototype;
  const { config } = world.plan;
  if (config.maxPendingKeys < 1_000) return () => {};
  Receiver.prototype.received = function (text) {
    const process = world.processes.find(({ host }) => host.isRunning);
    if (process?.host.mode === 'reads' && text.includes('"h"') && !process.bus.isClosed)
      noteHints(world.waits, process, text);
    received.call(this, text);
  };
  return () => {
    Receiver.prototype.received = received;
  };
}

function noteHints(waits: Waits, process: Process, text: string): void {
  let frame: ReturnType<typeof readFrame>;
  try {
    frame = readFrame(text);
  } catch {
    return; // forged
  }
  if (frame === undefined || frame.origin === process.origin) return;
  for (const { name, key } of frame.hints) {
    if (name !== 'purgatory') continue;
    for (const wait of waits.on(key)) {
      const isTrue = wait.trueMs !== undefined && wait.isPrompt && wait.kind !== 'claim';
      // Where tries take time, one that was due in the last turn may have expired, and says so later.
      const { tryMs } = process.world.plan.config;
      const mayBeOver = tryMs > 0 && wait.deadlineMs + process.host.suspendedMs <= process.host.lastTurnMs;
      if (isTrue && !mayBeOver && wait.owner === process.purgatory) process.hinted.add(wait);
    }
  }
}
