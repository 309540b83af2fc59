/**
 * Starts N timers of 1 to 5,000 ms on the host's clock and lets them all fall due: CPU time from the
 * first start to the last expiry, how late half of them ran at least, and the share that ran early.
 * bench/jvm/kafka.sh compares it with Kafka's timer, which only the host's clock can move.
 */
import { SystemTimer, TimerTask } from 'purgatory';
import { cpuNs, nsPerStep } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import { percentile } from './harness/statistics.ts';
import type { Measured, Run, Workload } from './harness/types.ts';

async function startAndExpire({ size, quick }: Run): Promise<Measured> {
  const delays = integers(size, 1, quick ? 500 : 5_000);
  const timer = new SystemTimer();
  const due = new Float64Array(size);
  let lateness = new Float64Array(size);
  let ran = 0;
  // One object a timer, as in KafkaBench.java: a closure has a context and a boxed double besides.
  class Task extends TimerTask {
    readonly index: number;

    constructor(delayMs: number, index: number) {
      super(delayMs);
      this.index = index;
    }

    run(): void {
      lateness[ran++] = performance.now() - due[this.index];
    }
  }
  const round = async (): Promise<Measured> => {
    lateness = new Float64Array(size);
    ran = 0;
    const start = cpuNs();
    await nsPerStep(size, (index) => {
      due[index] = performance.now() + delays[index];
      timer.add(new Task(delays[index], index));
    });
    while (ran < size) await new Promise((resolve) => setTimeout(resolve, 50));
    const ns = (cpuNs() - start) / size;
    const early = lateness.filter((ms) => ms < 0).length;
    return { step: ns, 'p50 lateness': percentile(lateness, 0.5), early: (100 * early) / size };
  };
  await round(); // for the compilers
  return round();
}

export const due: Workload = {
  name: 'due',
  title: 'Start and expire on the host’s clock',
  unit: 'ns',
  sizeLabel: 'timers',
  sizes: { full: [1_000_000], quick: [10_000] },
  isQuick: false,
  systems: { purgatory: startAndExpire },
  rows: [],
};
