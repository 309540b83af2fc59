// `node --import tsx test/simulation/scale.ts [processes ...]`: what one simulated engine, and each of
// its processes, has to do as they grow in number. The tables of docs/many-processes.md.
//
// Ground rules. Time is simulated, so what is counted is exact, and only microseconds and bytes depend
// on the machine. Each process has a bus with the defaults, and a purgatory. Each key is waited for in
// one process. Frames take up to 2 ms each way.
import { createBus } from '../../src/bus/bus.ts';
import { frameText } from '../../src/bus/frames.ts';
import { type Bus, LocalHub, type TransportLink } from '../../src/bus/index.ts';
import type { Routing } from '../../src/bus/membership/bus-member.ts';
import { Purgatory } from '../../src/index.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { Random } from '../support/random.ts';
import { inTurn, runMicrotasks } from './host.ts';
import { Time } from './time.ts';

const HINTS_A_SECOND = 20_000;
/** While something happens to the processes: each of these hints must be answered. */
const FEW_HINTS_A_SECOND = 100;
const WAITS_A_PROCESS = 20;
const ECHO_MS = 5_000;
/** Until each bus has heard all others: 1.25 x `echoMs`. */
const KNOWN_MS = 6_500;
const NETWORK = { jitterMs: 2 };
const AWAY_MS = 12_000;
const SWEPT_MS = 2_000;
/** A rolling deploy of more processes is that of so many. */
const MOST_REPLACED = 200;

interface Member {
  bus: Bus;
  purgatory: Purgatory<string>;
}

type Totals = Record<'frames' | 'received' | 'swept' | 'gaps', number>;

function totalsOf(bus: Bus): Totals {
  const { framesReceived: frames, received, swept, gaps } = bus.snapshot().totals;
  return { frames, received, swept, gaps: Object.values(gaps).reduce((all, many) => all + many, 0) };
}

class Fleet {
  readonly time = Object.assign(new Time(), { isStill: true });
  readonly hub = new LocalHub({ clock: this.time, seed: 1 });
  readonly members: Member[];
  readonly #random = new Random(2);
  readonly #routing: Routing;
  #made = 0;
  /** Since when the state of a key has changed, and its wait was not tried. */
  readonly #changedMs = new Map<string, number>();
  /** The longest from a change to the try of its wait. */
  #latestMs = 0;
  /** Those of the processes that were replaced. */
  readonly #gone: Totals[] = [];

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
      const key = `${index} ${n}`;
      const tried = (): undefined => {
        const changedMs = this.#changedMs.get(key) ?? clock.nowMs;
        this.#latestMs = Math.max(this.#latestMs, clock.nowMs - changedMs);
        this.#changedMs.delete(key);
      };
      purgatory.waitFor([key], tried, { timeoutMs: Number.POSITIVE_INFINITY }).catch(() => {});
    }
    return { bus, purgatory };
  }

  /** A process closes, then a new one takes its place. Ends when that is live. */
  replace(index: number): void {
    const { bus, purgatory } = this.members[index];
    purgatory.close();
    void bus.close().then(() => {
      this.#gone.push(totalsOf(bus));
      this.members[index] = this.#open(index);
    });
    while (this.members[index].bus.state !== 'live') this.pass(1, FEW_HINTS_A_SECOND);
  }

  pass(ms: number, hintsASecond = 0): void {
    const endMs = this.time.nowMs + ms;
    const everyMs = 1_000 / hintsASecond;
    const firstMs = Math.ceil(this.time.nowMs / everyMs) * everyMs;
    for (let at = firstMs; hintsASecond > 0 && at < endMs; at += everyMs) {
      this.time.wakeAt(at, () => this.#notify());
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
    if (purgatory.isClosed) return;
    const key = `${waiting} ${this.#made++ % WAITS_A_PROCESS}`;
    if (!this.#changedMs.has(key)) this.#changedMs.set(key, this.time.nowMs);
    purgatory.notify(key);
  }

  /** How many of `what` there were so far. */
  total(what: keyof Totals): number {
    const all = [...this.#gone, ...this.members.map(({ bus }) => totalsOf(bus))];
    return all.reduce((sum, each) => sum + each[what], 0);
  }

  /** Prints what a process has to do in a second, on average, while `go` runs, and what `go` says. */
  measure(what: string, go: () => unknown): void {
    const counted = ['frames', 'received', 'swept', 'gaps'] as const;
    const before = counted.map((each) => this.total(each));
    const { nowMs } = this.time;
    const { length } = this.members;
    const cpu = process.cpuUsage();
    this.#latestMs = 0;
    const note = go();
    const { user, system } = process.cpuUsage(cpu);
    const [frames, received, swept, gaps] = counted.map((each, at) => this.total(each) - before[at]);
    const seconds = (this.time.nowMs - nowMs) / 1_000;
    const share = 1 / seconds / length;
    this.pass(50); // what is under way arrives
    const work = [frames * share, received * share, swept / length, ((user + system) / 1_000) * share];
    const rest = [gaps, this.#latestMs, this.#changedMs.size, `${note ?? ''}`];
    row(length, this.#routing, what, seconds, ...work, ...rest);
  }

  /** Passes the time until every bus is live, by steps of 10 ms, and that of its sweeps. Says how it was. */
  recover(): string {
    const { nowMs } = this.time;
    while (this.members.some(({ bus }) => bus.state !== 'live')) this.pass(10, FEW_HINTS_A_SECOND);
    const liveMs = Math.round(this.time.nowMs - nowMs);
    return `all live after ${liveMs} ms, ${Math.round(this.peakOfSweeps(SWEPT_MS))} tries/s by sweeps`;
  }

  /** The most that all processes try by sweeps in a second, while `ms` pass. */
  peakOfSweeps(ms: number): number {
    const counts: number[] = [];
    for (const endMs = this.time.nowMs + ms; this.time.nowMs < endMs; ) {
      counts.push(this.total('swept'));
      this.pass(100, FEW_HINTS_A_SECOND);
    }
    return Math.max(...counts.slice(10).map((count, index) => count - counts[index]));
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
  const steadyMs = Math.max(100, 40_000 / processes);
  fleet.measure('idle', () => fleet.pass(ECHO_MS));
  fleet.measure('20,000 hints/s', () => fleet.pass(steadyMs, HINTS_A_SECOND));
  const replaced = Math.min(processes, MOST_REPLACED);
  fleet.measure(`a rolling deploy of ${replaced}`, () => {
    const { nowMs } = fleet.time;
    for (let i = 0; i < replaced; i++) fleet.replace(i);
    const deployMs = fleet.time.nowMs - nowMs;
    const { peers } = fleet;
    const peak = fleet.peakOfSweeps(KNOWN_MS + SWEPT_MS);
    return `${(deployMs / replaced).toFixed(1)} ms each, ${peers} peers, ${Math.round(peak)} tries/s by sweeps`;
  });
  fleet.measure('the engine restarts', () => {
    fleet.hub.restart();
    return fleet.recover();
  });
  fleet.measure('a tenth is cut off for 12 s', () => {
    const rack = fleet.members.slice(0, Math.ceil(processes / 10));
    for (const { bus } of rack) fleet.hub.mute(bus);
    fleet.pass(AWAY_MS, FEW_HINTS_A_SECOND);
    for (const { bus } of rack) fleet.hub.mend(bus);
    return fleet.recover();
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

const given = process.argv.slice(2).map(Number);
const HEAD =
  'processes,routing,what,s,frames/s a process,hints/s,swept a process,ms CPU/s,gaps,latest try ms,lost,';
row(...HEAD.split(','));
row(...HEAD.split(',').map(() => '---:'));
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
