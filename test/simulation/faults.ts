// What goes wrong, each for a while: on the network, at the engine, in a process.

import { frameText } from '../../src/bus/frames.ts';
import type { HubFaults } from '../../src/bus/index.ts';
import type { Random } from '../support/random.ts';
import { type FaultKind, LONGEST_FAULT_MS, type Planned } from './plan.ts';
import type { Process, World } from './process.ts';

interface Fault {
  readonly world: World;
  readonly process: Process;
  readonly random: Random;
  readonly ms: number;
}

export class Faults {
  readonly #world: World;
  /** What the network does when all is well. */
  readonly #sound: Readonly<Record<string, number>>;
  /** What it does now. */
  #network: HubFaults = {};

  constructor(world: World) {
    this.#world = world;
    this.#sound = { jitterMs: world.plan.config.latencyMs };
    this.#disturb(this.#sound);
  }

  play(planned: Planned, random: Random): void {
    const world = this.#world;
    const { config } = world.plan;
    const kind = random.pick(config.faults);
    const process = random.pick(world.processes);
    const ms = random.pick([random.range(0, 20), random.range(0, 500), random.range(0, LONGEST_FAULT_MS)]);
    world.log?.(process, `fault ${planned.id}: ${kind} for ${ms.toFixed(1)} ms`);
    world.time.mix(kind.length);
    this.#begin(kind, { world, process, random, ms });
  }

  /** Ends all that is not to outlast the chaos. Stops, crashes and held links end by themselves. */
  heal(): void {
    this.#network = {};
    this.#disturb(this.#sound);
    this.#mend();
  }

  #begin(kind: FaultKind, fault: Fault): void {
    const { world, process, random, ms } = fault;
    const { hub } = world;
    if (kind === 'loss' || kind === 'reordering' || kind === 'ackLoss')
      this.#disturbFor(ms, { [kind]: random.range(0, 0.5) });
    else if (kind === 'duplication') this.#disturbFor(ms, { [kind]: random.next() });
    else if (kind === 'refusal') this.#disturbFor(ms, { refusal: 1 });
    else if (kind === 'slow')
      this.#disturbFor(ms, { jitterMs: world.plan.config.latencyMs * random.range(1, 21) });
    else if (kind === 'stall') {
      // A bus that was blind tells by its clock what it has missed: "Over several processes" in the contract.
      process.host.freeze(ms, random.chance(0.4) && !world.plan.config.faults.includes('blindness'));
    } else if (kind === 'forgery') this.#forge(process, random);
    else if (kind === 'split') {
      hub.split(world.processes.filter((each) => !each.isDead && random.chance(0.5)).map(({ bus }) => bus));
      this.#world.time.after(ms, () => this.#mend());
    } else if (kind === 'engine') this.#restart(random, ms);
    else if (process.isDead) return;
    else if (kind === 'crash') world.crash(process, ms);
    else if (kind === 'member') process.host.push(() => reopenMember(process, random));
    else if (kind === 'bus') process.host.push(() => this.#reopenBus(process));
    else this.#disconnect(kind, fault);
  }

  /** Blindness: the frames that follow are lost, before it has heard of their processes again. */
  #disconnect(kind: FaultKind, { world, process, random, ms }: Fault): void {
    const { bus } = process;
    const mends = random.chance(0.7);
    if (kind === 'blindness') {
      process.whenLive = () => this.#disturbFor(ms / 10, { loss: 1 });
      world.hub.cut(bus);
      this.#mend(process);
      return;
    }
    if (kind === 'halfOpen') {
      world.hub.hold(bus, random.pick(['in', 'out', 'both']));
      if (bus.state === 'live') process.deadSinceMs ??= world.time.nowMs;
      if (!mends) return;
    } else if (kind === 'partition') {
      world.hub.mute(bus);
      process.isMuted = true;
      process.deadSinceMs ??= world.time.nowMs;
    } else world.hub.cut(bus);
    this.#world.time.after(ms, () => {
      if (!process.isDead && process.bus === bus) this.#mend(process);
    });
  }

  #restart(random: Random, ms: number): void {
    const { hub, processes, time } = this.#world;
    const silent = random.chance(0.3);
    if (random.chance(0.5)) {
      hub.restart({ silent });
      if (silent)
        for (const each of processes) if (each.bus.state === 'live') each.deadSinceMs ??= time.nowMs;
      return;
    }
    hub.cut();
    this.#world.time.after(ms, () => this.#mend());
  }

  /** Frames in the name of a process, rubbish, hints of nobody. */
  #forge(process: Process, random: Random): void {
    const { hub, plan } = this.#world;
    const { origin } = process;
    const number = random.pick([random.range(-5, 60) | 0, 1_000, Number.MAX_SAFE_INTEGER]);
    const key = `k${random.below(plan.config.keys)}`;
    const body = `,"h":{"purgatory":["${key}"],"nobody":["${key}"]}`;
    const numbered = { number, previous: undefined };
    hub.$publish(
      random.pick([
        frameText('', origin, numbered),
        frameText(body, origin, numbered),
        frameText(body, `stranger${random.below(3)}`, numbered, 'interest'),
        frameText(body),
        'rubbish',
      ]),
    );
  }

  #mend(process?: Process): void {
    this.#world.hub.mend(process?.bus);
    for (const each of process === undefined ? this.#world.processes : [process]) {
      each.isMuted = false;
      each.deadSinceMs = undefined;
    }
  }

  #reopenBus(process: Process): void {
    const { bus, world } = process;
    if (process.isClosing) return;
    // Nothing follows a last hint that is lost together with the goodbye.
    if ((this.#network.loss ?? 0) > 0) world.waits.lostHintsOf(process);
    process.isClosing = true;
    process.closeMembers();
    void bus.close().then(() => {
      if (process.isDead) return;
      if (bus.state !== 'closed') world.violate('a bus that was closed is not', { process });
      if (!world.isEnding) process.openBus();
    });
  }

  #disturbFor(ms: number, faults: HubFaults): void {
    this.#disturb(faults);
    const off = Object.fromEntries(Object.keys(faults).map((name) => [name, this.#sound[name] ?? 0]));
    this.#world.time.after(ms, () => this.#disturb(off));
  }

  #disturb(faults: HubFaults): void {
    this.#network = { ...this.#network, ...faults };
    this.#world.hub.disturb(this.#network);
  }
}

function reopenMember(process: Process, random: Random): void {
  if (process.bus.isClosed || process.isClosing) return;
  const which = random.below(3);
  if (which === 0) {
    process.closePurgatory();
    process.openPurgatory();
  } else if (which === 1) {
    process.thresholds.close();
    process.openThresholds();
  } else {
    process.shared.close();
    process.openShared();
  }
}
