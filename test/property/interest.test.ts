// Interest routing against a model: processes on a LocalHub whose subscriptions and acknowledgements
// are late or lost, channels that are left and taken again, cuts in the middle of a resubscription.
//
// This must hold: no wait outlives its condition by PATIENCE_MS in a time without a break. In most
// histories nothing breaks at all, so no sweep helps. A lost acknowledgement is a break that the bus
// notices late, so there a wait may last until it is over.
import { expect } from 'chai';
import fc from 'fast-check';
import { DelayedOperation, ManualClock, Purgatory } from '../../src/index.ts';
import { FaultyHub, type HubFaults } from '../support/faulty-hub.ts';
import { runs } from './runs.ts';

const ECHO_MS = 300;
const PATIENCE_MS = 300;
/** Longer than a connection may take whose acknowledgements are lost again and again. */
const LOST_PATIENCE_MS = 120_000;
const LIVE_WITHIN_MS = 60_000;
const PROCESSES = 4;
const KEYS = 12;

class Wait extends DelayedOperation {
  readonly #isTrue: () => boolean;
  trueMs = Number.POSITIVE_INFINITY;

  constructor(isTrue: () => boolean) {
    super(Number.POSITIVE_INFINITY);
    this.#isTrue = isTrue;
  }

  override tryComplete(): boolean {
    return this.#isTrue() && this.forceComplete();
  }

  override onComplete(): void {
    expect(this.#isTrue(), 'answered though its condition does not hold').to.equal(true);
  }
}

const at = { process: fc.nat(PROCESSES - 1), key: fc.nat(KEYS - 1) };
const calmStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('park' as const), ...at }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('change' as const), ...at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), ...at }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 60 }) }),
  },
);
const breaks = fc.record({ do: fc.constantFrom('cut' as const, 'mend' as const), process: at.process });
const step = fc.oneof({ weight: 12, arbitrary: calmStep }, { weight: 1, arbitrary: breaks });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const faultsOf = {
  duplication: fc.constantFrom(0, 0, 0.3),
  delayMs: fc.constantFrom(0, 3, 20),
  seed: fc.nat(1_000_000),
  subscribeDelayMs: fc.constantFrom(0, 2, 40),
  ackDelayMs: fc.constantFrom(0, 2, 40, 150),
};
const calmFaults = fc.record(faultsOf);
const faults = fc.record({ ...faultsOf, ackLoss: fc.constantFrom(0, 0, 0.2) });

async function run(steps: readonly Step[], options: HubFaults): Promise<void> {
  const clock = new ManualClock();
  const hub = new FaultyHub({ clock, ...options });
  const versions = new Array<number>(KEYS).fill(0);
  const waits: { wait: Wait; key: number; process: number }[] = [];
  const processes = Array.from({ length: PROCESSES }, () => {
    const bus = hub.bus({
      routing: 'interest',
      echoMs: ECHO_MS,
      echoTimeoutMs: 200,
      lingerMs: 30,
      onError: () => {},
    });
    return { bus, purgatory: new Purgatory<string, Wait>('model', { bus, clock, sweepMs: 0 }) };
  });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 4) {
      clock.advance(Math.min(4, left));
      for (let hop = 0; hop < 4; hop++) await Promise.resolve();
    }
  };
  const untilLive = async (): Promise<void> => {
    for (let ms = 0; processes.some(({ bus }) => bus.state !== 'live'); ms += 100) {
      expect(ms).to.be.below(LIVE_WITHIN_MS);
      await pass(100);
    }
  };
  const acts = {
    park: (process: number, key: number): void => {
      const seen = versions[key];
      const wait = new Wait(() => versions[key] > seen);
      processes[process].purgatory.tryCompleteElseWatch(wait, [`${key}`]);
      waits.push({ wait, key, process });
    },
    change: (process: number, key: number): void => {
      versions[key]++;
      for (const { wait, key: its } of waits)
        if (its === key) wait.trueMs = Math.min(wait.trueMs, clock.now());
      processes[process].purgatory.notify(`${key}`);
    },
    cancel: (process: number, key: number): void => {
      for (const each of waits) if (each.process === process && each.key === key) each.wait.cancel();
    },
  };
  const isMet = ({ wait }: (typeof waits)[number]): boolean =>
    !wait.isPending || wait.trueMs === Number.POSITIVE_INFINITY;
  await untilLive();
  await pass(2 * ECHO_MS); // all have heard of all
  for (const each of steps) {
    if (each.do === 'pass') await pass(each.ms);
    else if ('key' in each) acts[each.do](each.process, each.key);
    else hub[each.do](processes[each.process].bus);
    await Promise.resolve();
  }
  hub.mend();
  await untilLive();
  const patienceMs = (options.ackLoss ?? 0) > 0 ? LOST_PATIENCE_MS : PATIENCE_MS;
  for (let ms = 0; ms < patienceMs && !waits.every(isMet); ms += 20) await pass(20);
  try {
    expect(waits.filter((each) => !isMet(each)).map(({ key, process }) => ({ key, process }))).to.deep.equal(
      [],
    );
  } finally {
    for (const { bus, purgatory } of processes) {
      purgatory.close();
      void bus.close();
    }
  }
}

describe('Interest routing, against a model', function () {
  this.timeout(3_600_000);

  it('loses no wake-up on a network that loses nothing, without any break to help', () =>
    fc.assert(fc.asyncProperty(fc.array(calmStep, { maxLength: 40 }), calmFaults, run), runs(450)));

  it('loses no wake-up over cuts in the middle of anything, and lost acknowledgements', () =>
    fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), faults, run), runs(180)));
});
