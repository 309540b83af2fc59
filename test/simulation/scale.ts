// `node --import tsx test/simulation/scale.ts [processes ...]`: what one simulated engine, and each of
// its processes, has to do as they grow in number. The tables of docs/many-processes.md.
//
// Ground rules. Time is simulated, so what is counted is exact, and only microseconds and bytes depend
// on the machine. Each process has a bus with the defaults, and a purgatory. Each key is waited for in
// one process. Frames take up to 2 ms each way.

import { hostSetImmediate } from '../../src/base/host.ts';
import { createBus } from '../../src/bus/bus.ts';
import { frameText } from '../../src/bus/frames.ts';
import { type Bus, LocalHub, type TransportLink } from '../../src/bus/index.ts';
import type { Routing } from '../../src/bus/membership/bus-member.ts';
import { Purgatory } from '../../src/index.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { Random } from '../support/random.ts';
import { runMicrotasks } from './host.ts';
import { Time } from './time.ts';

const HINTS_A_SECOND = 20_000;
const WAITS_A_PROCESS = 20;
const ECHO_MS = 5_000;
/** Until each bus has heard all others: 1.25 x `echoMs`. */
const KNOWN_MS = 6_500;
const NETWORK = { jitterMs: 2 };
const AWAY_MS = 12_000;

interface Member {
  bus: Bus;
  purgatory: Purgatory<string>;
}

interface Totals {
  frames: number;
  received: number;
  tries: number;
  gaps: number;
}

function totalsOf(bus: Bus): Totals {
  const { framesReceived: frames, received, gaps } = bus.snapshot().totals;
  return { frames, received, tries: 0, gaps: Object.values(gaps).reduce((all, many) => all + many, 0) };
}

function sum(a: Totals, b: Totals): Totals {
  return {
    frames: a.frames + b.frames,
    received: a.received + b.received,
    tries: a.tries + b.tries,
    gaps: a.gaps + b.gaps,
  };
}

class Fleet {
  readonly time = Object.assign(new Time(), { isStill: true });
  readonly hub = new LocalHub({ clock: this.time, seed: 1 });
  readonly members: Member[];
  readonly #random = new Random(2);
  readonly #routing: Routing;
  #made = 0;
  tries = 0;
  /** Of the processes that were replaced. */
  #gone: Totals = { frames: 0, received: 0, tries: 0, gaps: 0 };

  constructor(processes: number, routing: Routing) {
    this.#routing = routing;
    this.hub.disturb(NETWORK);
    this.members = Array.from({ length: processes }, (_, index) => this.#open(index));
    this.pass(KNOWN_MS);
  }

  #open(index: number): Member {
    const clock = this.time;
    const bus = this.hub.bus({ routing: this.#routing, onError: () => {} });
    const purgatory = new Purgatory<string>('fleet', { bus, clock });
    for (let n = 0; n < WAITS_A_PROCESS; n++) {
      const tried = (): undefined => {
        this.tries++;
      };
      purgatory.waitFor([`${index} ${n}`], tried, { timeoutMs: Number.POSITIVE_INFINITY }).catch(() => {});
    }
    return { bus, purgatory };
  }

  /** A new process takes the place of another. */
  replace(index: number): void {
    const { bus, purgatory } = this.members[index];
    this.#gone = sum(this.#gone, totalsOf(bus));
    purgatory.close();
    void bus.close();
    this.members[index] = this.#open(index);
    runMicrotasks();
  }

  pass(ms: number, hintsASecond = 0): void {
    const endMs = this.time.nowMs + ms;
    for (let at = this.time.nowMs; hintsASecond > 0 && at < endMs; at += 1_000 / hintsASecond) {
      this.time.at(at, () => this.#notify());
    }
    // The scheduler of a clock that stands still does its work in the call, but for the ends of turns.
    this.time.runUntil(endMs, () => {
      runMicrotasks();
      return false;
    });
  }

  #notify(): void {
    const { length } = this.members;
    const waiting = this.#random.below(length);
    const { purgatory } = this.members[(waiting + 1 + this.#random.below(length - 1)) % length];
    purgatory.notify(`${waiting} ${this.#made++ % WAITS_A_PROCESS}`);
  }

  totals(): Totals {
    const all = this.members.map(({ bus }) => totalsOf(bus)).reduce(sum, this.#gone);
    return { ...all, tries: this.tries };
  }

  /** What a process had to do in a second, on average. */
  during(ms: number, go: () => void): Totals & { us: number } {
    const before = this.totals();
    const cpu = process.cpuUsage();
    go();
    const { user, system } = process.cpuUsage(cpu);
    const after = this.totals();
    const share = 1_000 / ms / this.members.length;
    const each = (of: keyof Totals): number => (after[of] - before[of]) * share;
    return {
      frames: each('frames'),
      received: each('received'),
      tries: each('tries'),
      gaps: after.gaps - before.gaps,
      us: (user + system) * share,
    };
  }

  /** The time until every bus is live, by steps of 10 ms. */
  untilLive(): number {
    const { nowMs } = this.time;
    while (this.members.some(({ bus }) => bus.state !== 'live')) this.pass(10);
    return this.time.nowMs - nowMs;
  }

  get peers(): number {
    return Math.max(...this.members.map(({ bus }) => bus.snapshot().peers));
  }

  close(): void {
    for (const { bus, purgatory } of this.members) {
      purgatory.close();
      void bus.close();
    }
    this.pass(6_000);
  }
}

function row(...cells: readonly (string | number)[]): void {
  const text = cells.map((cell) =>
    typeof cell === 'string' ? cell : cell >= 10 ? Math.round(cell).toLocaleString('en') : cell.toFixed(1),
  );
  console.log(`| ${text.join(' | ')} |`);
}

function measure(processes: number, routing: Routing): void {
  const fleet = new Fleet(processes, routing);
  const say = (what: string, ms: number, go: () => string): void => {
    let note = '';
    const { frames, received, tries, gaps, us } = fleet.during(ms, () => {
      note = go();
    });
    row(processes, routing, what, frames, received, tries, us / 1_000, gaps, note);
  };
  const steadyMs = 40_000 / processes;
  const idle = (): string => {
    fleet.pass(ECHO_MS);
    return '';
  };
  say('idle', ECHO_MS, idle);
  say('20,000 hints/s', steadyMs, () => {
    fleet.pass(steadyMs, HINTS_A_SECOND);
    return '';
  });
  say('a tenth is replaced in 10 s', 10_000, () => {
    const many = Math.ceil(processes / 10);
    for (let i = 0; i < many; i++) {
      fleet.replace(i);
      fleet.pass(10_000 / many);
    }
    return `${fleet.peers} peers are known`;
  });
  say('the engine restarts', 10_000, () => {
    fleet.hub.restart();
    const liveMs = fleet.untilLive();
    fleet.pass(10_000 - liveMs);
    return `all are live after ${Math.round(liveMs)} ms`;
  });
  say('a tenth is cut off for 12 s', AWAY_MS + 10_000, () => {
    const rack = fleet.members.slice(0, Math.ceil(processes / 10));
    for (const { bus } of rack) fleet.hub.mute(bus);
    fleet.pass(AWAY_MS);
    for (const { bus } of rack) fleet.hub.mend(bus);
    const liveMs = fleet.untilLive();
    fleet.pass(10_000 - liveMs);
    return `all are live ${Math.round(liveMs)} ms behind its end`;
  });
  fleet.close();
}

/** A bus that has heard of so many peers: what a flush of one hint costs, and a peer's memory. */
async function ofPeers(peers: number, routing: Routing): Promise<{ us: number; bytes: number }> {
  const time = Object.assign(new Time(), { isStill: true });
  let link: TransportLink | undefined;
  const taken = (): undefined => {};
  const bus = createBus(
    {
      engine: 'stub',
      connect: (given) => {
        link = given;
        given.up();
      },
      publish: (text) => {
        if (!text.includes('"h":')) link?.received(text);
        return undefined;
      },
      publishTo: taken,
      subscribe: taken,
      unsubscribe: taken,
      disconnect: taken,
    },
    { clock: time, routing },
  );
  const purgatory = new Purgatory<string>('fleet', { bus, clock: time });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < peers; n++) {
    link?.received(frameText('', `origin${n}`.padEnd(12), { number: 1, previous: undefined }, routing));
    if (n % 100 === 0) time.runUntil(time.nowMs + 1, () => false);
  }
  time.runUntil(time.nowMs + 2_000, () => false);
  collectGarbage();
  const bytes = (process.memoryUsage().heapUsed - before) / peers;
  const FLUSHES = 2_000;
  const best = Math.min(
    ...Array.from({ length: 5 }, () => {
      const cpu = process.cpuUsage();
      for (let n = 0; n < FLUSHES; n++) {
        purgatory.notify(`${n}`);
        void bus.flush();
      }
      const { user, system } = process.cpuUsage(cpu);
      return (user + system) / FLUSHES;
    }),
  );
  purgatory.close();
  void bus.close();
  return { us: best, bytes };
}

async function inTurn(go: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    hostSetImmediate(() => {
      go();
      resolve();
    });
  });
}

const given = process.argv.slice(2).map(Number);
row('processes', 'routing', 'what', 'frames/s a process', 'hints/s', 'tries/s', 'ms CPU/s', 'gaps', '');
row('---:', '---', '---', '---:', '---:', '---:', '---:', '---:', '---');
for (const processes of given.length > 0 ? given : [20, 200, 2_000]) {
  for (const routing of ['broadcast', 'interest'] as const) await inTurn(() => measure(processes, routing));
}
console.log();
row('peers', 'us a flush: broadcast', 'interest', 'bytes a peer');
row('---:', '---:', '---:', '---:');
for (const peers of [20, 200, 2_000, 10_000]) {
  const broadcast = await ofPeers(peers, 'broadcast');
  const interest = await ofPeers(peers, 'interest');
  row(peers, broadcast.us, interest.us, interest.bytes);
}
