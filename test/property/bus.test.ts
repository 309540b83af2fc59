// Several processes on a LocalHub against a model: changes, waits, cuts, silence, faults of the
// network, in any order.
//
// These must hold. No wait is answered unless its condition holds. No wait whose condition holds
// stays parked for longer than sweepMs after its bus is live again. On a network that loses
// nothing and keeps the order of each process, no such wait stays parked once all is quiet, even
// without a gap, and whatever frames a stranger forges.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Bus } from '../../src/bus/bus-options.ts';
import { frameText } from '../../src/bus/frames.ts';
import { LocalHub } from '../../src/bus/transports/local-hub.ts';
import { DelayedOperation, ManualClock, Purgatory } from '../../src/index.ts';
import { listen } from '../../src/observe/events/index.ts';
import { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { runs } from './runs.ts';

const SWEEP_MS = 200;
const ECHO_MS = 300;
const ECHO_TIMEOUT_MS = 150;
/** Short enough for channels to be left and taken again in a history. */
const LINGER_MS = 60;
/** A tick of the timers, and the slices of a sweep. */
const SLACK_MS = 25;
/**
 * The time until a bus that was cut or muted is live again: its timeout, the longest wait between
 * attempts, an echo.
 */
const RECOVERY_MS = ECHO_MS + ECHO_TIMEOUT_MS + 1_000 + ECHO_TIMEOUT_MS;

/** Waits until the version of its key is above the one it has seen. */
class Wait extends DelayedOperation {
  readonly key: string;
  readonly #isTrue: () => boolean;
  /** When the condition came true, as far as somebody published it. */
  trueMs = Number.POSITIVE_INFINITY;

  constructor(key: string, isTrue: () => boolean) {
    super(Number.POSITIVE_INFINITY);
    this.key = key;
    this.#isTrue = isTrue;
  }

  override tryComplete(): boolean {
    return this.#isTrue() && this.forceComplete();
  }

  override onComplete(): void {
    expect(this.#isTrue(), 'answered though its condition does not hold').to.equal(true);
  }
}

interface Process {
  readonly bus: Bus;
  readonly purgatory: Purgatory<string, Wait>;
  readonly offsets: ThresholdPurgatory<string>;
  liveMs: number;
}

interface Faults {
  loss: number;
  duplication: number;
  reordering: number;
  delayMs: number;
  seed: number;
  ackDelayMs: number;
  ackLoss: number;
  /** How many of the processes have interest routing, from the first on. */
  routing: number;
}

class World {
  readonly clock = new ManualClock();
  readonly hub: LocalHub;
  readonly processes: Process[];
  readonly versions = new Map<string, number>();
  readonly waits: { wait: Wait; process: Process }[] = [];
  readonly reached: { answered: boolean; process: Process; key: string; threshold: number }[] = [];
  readonly #stop: () => void;

  constructor(count: number, { routing, seed, ...faults }: Faults, maxPendingKeys: number) {
    this.hub = new LocalHub({ clock: this.clock, seed });
    this.hub.disturb(faults);
    const byBus = new Map<Bus, Process>();
    this.#stop = listen('purgatory:bus:state', ({ bus, state }) => {
      const process = byBus.get(bus);
      if (process !== undefined && state === 'live') process.liveMs = this.clock.now();
    });
    this.processes = Array.from({ length: count }, (_, index) => {
      const bus = this.hub.bus({
        echoMs: ECHO_MS,
        echoTimeoutMs: ECHO_TIMEOUT_MS,
        maxPendingKeys,
        routing: index < routing ? 'interest' : 'broadcast',
        lingerMs: LINGER_MS,
        onError: () => {}, // else a bus that is cut for long warns
      });
      const options = { bus, clock: this.clock, sweepMs: SWEEP_MS };
      const process: Process = {
        bus,
        purgatory: new Purgatory<string, Wait>('versions', options),
        offsets: new ThresholdPurgatory<string>('offsets', {
          ...options,
          current: (key) => this.versions.get(key),
        }),
        liveMs: 0,
      };
      byBus.set(bus, process);
      return process;
    });
  }

  version(key: string): number {
    return this.versions.get(key) ?? 0;
  }

  /** Write, then notify. */
  change(index: number, key: string): void {
    const { purgatory, offsets } = this.processes[index];
    this.versions.set(key, this.version(key) + 1);
    for (const { wait } of this.waits) {
      if (wait.key === key) wait.trueMs = Math.min(wait.trueMs, this.clock.now());
    }
    purgatory.notify(key);
    offsets.advance(key, this.version(key));
  }

  park(index: number, key: string): void {
    const process = this.processes[index];
    const seen = this.version(key);
    const wait = new Wait(key, () => this.version(key) > seen);
    process.purgatory.tryCompleteElseWatch(wait, [key]);
    this.waits.push({ wait, process });
    const threshold = seen + 1;
    const entry = { answered: false, process, key, threshold };
    this.reached.push(entry);
    void process.offsets.awaitAtLeast(key, threshold, { timeoutMs: Number.POSITIVE_INFINITY }).then(
      (result) => {
        expect(result).to.deep.include({ expired: false });
        expect(this.version(key)).to.be.at.least(threshold);
        entry.answered = true;
      },
      () => {},
    );
  }

  /** Lets time pass in steps, with the microtasks of notify and current between them. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 5) {
      this.clock.advance(Math.min(5, left));
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
    this.check();
  }

  check(): void {
    const nowMs = this.clock.now();
    for (const { wait, process } of this.waits) {
      const dueMs = process.liveMs + SWEEP_MS + SLACK_MS;
      if (wait.isPending && process.liveMs > wait.trueMs) {
        expect(nowMs, `${wait.key} is parked since ${wait.trueMs}, live since ${process.liveMs}`).to.be.below(
          dueMs,
        );
      }
    }
    for (const { purgatory, offsets } of this.processes) {
      checkPurgatoryInvariants(purgatory);
      checkPurgatoryInvariants(offsets);
    }
  }

  /** Every bus is live again, `stepMs` after the last look at most. */
  async live(stepMs: number): Promise<void> {
    for (let tries = 0; this.processes.some(({ bus }) => bus.state !== 'live'); tries++) {
      expect(tries).to.be.below(1_000);
      await this.pass(stepMs);
    }
  }

  /** A stranger publishes a frame in the name of `bus`, with any number. */
  forge(bus: Bus, number: number): void {
    this.hub.$publish(frameText('', bus.snapshot().origin, { number, previous: undefined }));
  }

  cancel(index: number, key: string): void {
    for (const { wait, process } of this.waits) {
      if (process === this.processes[index] && wait.key === key) wait.cancel();
    }
  }

  overdue(): string[] {
    const waits = this.waits.filter(({ wait }) => wait.isPending && this.version(wait.key) > 0);
    return [
      ...waits
        .filter(({ wait }) => wait.trueMs < Number.POSITIVE_INFINITY)
        .map(({ wait }) => `wait ${wait.key}`),
      ...this.reached
        .filter(({ answered, key, threshold }) => !answered && this.version(key) >= threshold)
        .map(({ key, threshold }) => `${key} >= ${threshold}`),
    ];
  }

  async end(): Promise<void> {
    this.#stop();
    for (const { purgatory, offsets, bus } of this.processes) {
      purgatory.close();
      offsets.close();
      void bus.close();
    }
  }
}

const QUIET = {
  loss: 0,
  duplication: 0,
  reordering: 0,
  delayMs: 2,
  seed: 1,
  ackDelayMs: 2,
  ackLoss: 0,
};
const PROCESSES = 3;
const process = fc.nat(PROCESSES - 1);
const key = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), process, key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('park' as const), process, key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), process, key }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 700 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), process }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mute' as const), process }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('mend' as const), process }) },
);
const forgedNumber = fc.oneof(
  fc.integer({ min: -5, max: 60 }),
  fc.constantFrom(500, 1_000, Number.MAX_SAFE_INTEGER),
);
type Step =
  | (typeof step extends fc.Arbitrary<infer S> ? S : never)
  | { do: 'forge'; process: number; number: number };

async function take(world: World, each: Step): Promise<void> {
  if (each.do === 'change') world.change(each.process, each.key);
  else if (each.do === 'park') world.park(each.process, each.key);
  else if (each.do === 'cancel') world.cancel(each.process, each.key);
  else if (each.do === 'pass') await world.pass(each.ms);
  else if (each.do === 'forge') world.forge(world.processes[each.process].bus, each.number);
  else world.hub[each.do](world.processes[each.process].bus);
  await Promise.resolve();
  world.check();
}

const lossy = fc.record({
  loss: fc.constantFrom(0, 0, 0.05, 0.3),
  duplication: fc.constantFrom(0, 0.3),
  reordering: fc.constantFrom(0, 0.3),
  delayMs: fc.constantFrom(0, 3, 40),
  seed: fc.nat(1_000_000),
  ackDelayMs: fc.constantFrom(0, 2, 30),
  ackLoss: fc.constantFrom(0, 0, 0, 0.05),
  routing: fc.constantFrom(0, PROCESSES, PROCESSES, PROCESSES - 1),
});
/** What a transport promises: a frame that is overtaken counts as lost. */
const lossless = lossy.map((faults) => ({ ...faults, loss: 0, ackLoss: 0, reordering: 0 }));

describe('Processes on a bus, against a model', () => {
  it('never answer wrongly, and answer all at the latest sweepMs after the next live', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        lossy,
        fc.constantFrom(1, 3, 1_000),
        async (steps, faults, max) => {
          const world = new World(PROCESSES, faults, max);
          try {
            for (const each of steps) await take(world, each);
            world.hub.mend();
            // Whatever the network has lost, one more gap makes it good.
            world.hub.cut();
            world.hub.mend();
            await world.live(200);
            await world.pass(SWEEP_MS + SLACK_MS + 4 * faults.delayMs);
            expect(
              world.waits.filter(
                ({ wait, process }) =>
                  wait.isPending &&
                  process.liveMs > wait.trueMs &&
                  process.bus.state === 'live' &&
                  world.clock.now() - process.liveMs > SWEEP_MS + SLACK_MS,
              ),
            ).to.deep.equal([]);
          } finally {
            await world.end();
          }
        },
      ),
      runs(150),
    );
  });

  it('on a network that loses nothing, answer all without any gap to help, and also after gaps', async () => {
    const calm = fc.oneof(
      fc.record({ do: fc.constantFrom('change' as const, 'park' as const), process, key }),
      fc.record({ do: fc.constantFrom('change' as const, 'park' as const, 'cancel' as const), process, key }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 100 }) }),
      fc.record({ do: fc.constant('forge' as const), process, number: forgedNumber }),
    );
    const gaps = fc.oneof(fc.constant([]), fc.array(step, { minLength: 1, maxLength: 30 }));
    await fc.assert(
      fc.asyncProperty(gaps, fc.array(calm, { maxLength: 60 }), lossless, async (before, steps, faults) => {
        const world = new World(PROCESSES, faults, 1_000);
        try {
          await world.live(20);
          for (const each of before) await take(world, each);
          world.hub.mend();
          await world.live(20);
          for (const each of steps) await take(world, each);
          const sweepMs = before.length > 0 ? SWEEP_MS : 0;
          await world.pass(4 * faults.delayMs + faults.ackDelayMs + 2 * SLACK_MS + sweepMs);
          expect(world.overdue()).to.deep.equal([]);
        } finally {
          await world.end();
        }
      }),
      runs(450),
    );
  });

  it('survive a cut, or silence, at every possible step, mended at every possible later one', async () => {
    const script: Step[] = [
      { do: 'park', process: 0, key: 'a' },
      { do: 'park', process: 1, key: 'b' },
      { do: 'pass', ms: 7 },
      { do: 'change', process: 1, key: 'a' },
      { do: 'park', process: 0, key: 'b' },
      { do: 'pass', ms: 1 },
      { do: 'change', process: 0, key: 'b' },
      { do: 'pass', ms: 320 },
      { do: 'park', process: 1, key: 'a' },
      { do: 'change', process: 0, key: 'a' },
      { do: 'pass', ms: 3 },
      { do: 'change', process: 1, key: 'b' },
    ];
    for (const routing of [0, 2]) {
      for (const fault of routing > 0 ? (['cut'] as const) : (['cut', 'mute'] as const)) {
        for (const victims of routing > 0 ? [[0], [1]] : [[0], [1], [0, 1]]) {
          for (let from = 0; from <= script.length; from++) {
            for (let to = from; to <= script.length; to++) {
              const world = new World(2, { ...QUIET, routing }, 1_000);
              // Numbers tell of a loss once the processes have heard of each other.
              await world.pass(2 * ECHO_MS);
              for (let at = 0; at <= script.length; at++) {
                if (at === from) for (const index of victims) world.hub[fault](world.processes[index].bus);
                if (at === to) world.hub.mend();
                if (at < script.length) await take(world, script[at]);
              }
              await world.pass(RECOVERY_MS + SWEEP_MS + SLACK_MS);
              expect(world.overdue(), `${fault} of ${victims} from ${from} to ${to}`).to.deep.equal([]);
              await world.end();
            }
          }
        }
      }
    }
  });
});
