/**
 * The floor under the other workloads: the cost of each part that no design can do without,
 * measured alone. A start reads the clock and makes a task. An event on a string key looks the key
 * up in a Map. With a million resident, every cell and every task that is read in random order is a
 * cache miss.
 */
import { ManualClock, SystemTimer, systemClock, TimerTask } from 'purgatory';
import { cpuNs } from './harness/measure.ts';
import { shuffled } from './harness/random.ts';
import type { Run, System, Workload } from './harness/types.ts';

const resident = 1_000_000;
const keyCount = 100_000;

/**
 * Nanoseconds a step of `pass`, which does `steps` of them. The least of five passes, because this
 * is a floor.
 */
function floor(prepare: () => { steps: number; pass: () => unknown }): System {
  return (_: Run) => {
    const { steps, pass } = prepare();
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      const start = cpuNs();
      if (pass() === undefined) throw new Error('a pass must use what it computes');
      least = Math.min(least, (cpuNs() - start) / steps);
    }
    return { step: least };
  };
}

class Task extends TimerTask {
  override run(): void {}
}

const times = (steps: number, step: (index: number) => number): { steps: number; pass: () => number } => ({
  steps,
  pass: () => {
    let sum = 0;
    for (let index = 0; index < steps; index++) sum += step(index);
    return sum;
  },
});

export const limits: Workload = {
  name: 'limits',
  title: 'What no design can do without',
  unit: 'ns',
  sizeLabel: 'nothing',
  sizes: { full: [1], quick: [1] },
  systems: {
    'performance.now()': floor(() => times(2_000_000, () => performance.now())),
    'systemClock.now()': floor(() => times(2_000_000, () => systemClock.now())),
    'make a task': floor(() => {
      const last: Task[] = new Array(1024);
      return times(2_000_000, (index) => {
        last[index & 1023] = new Task(index);
        return 1;
      });
    }),
    'start and cancel, without the host’s clock': floor(() => {
      const timer = new SystemTimer({ clock: new ManualClock(), reaper: false });
      // One task stays, due before all others. A timer that is empty, or must look earlier, has
      // more to do.
      timer.schedule(() => {}, 0.5);
      return times(2_000_000, (index) => {
        const task = new Task(1 + (index & 0xffff));
        timer.add(task);
        return task.cancel() ? 1 : 0;
      });
    }),
    'Map of 100k string keys: set, get, delete in random order': floor(() => {
      const keys = Array.from(
        { length: keyCount },
        (_, index) => `topic-${index >> 4}-partition-${index & 15}`,
      );
      const events = Array.from(shuffled(keyCount), (index) => keys[index]);
      const map = new Map<string, number>();
      return {
        steps: keyCount,
        pass: () => {
          let sum = 0;
          for (let index = 0; index < keyCount; index++) map.set(keys[index], index);
          for (const key of events) {
            sum += map.get(key)!;
            map.delete(key);
          }
          return sum;
        },
      };
    }),
    'follow a list through 1M cells in random order': floor(() => {
      const order = shuffled(resident);
      const cells = new Int32Array(resident * 4);
      for (let index = 0; index < resident; index++)
        cells[order[index] * 4] = order[(index + 1) % resident] * 4;
      return {
        steps: resident,
        pass: () => {
          let slot = 0;
          for (let step = 0; step < resident; step++) slot = cells[slot];
          return slot;
        },
      };
    }),
    'read 1M tasks in random order': floor(() => {
      const tasks = Array.from({ length: resident }, (_, index) => new Task(index));
      const order = shuffled(resident);
      return times(resident, (index) => tasks[order[index]].delayMs);
    }),
  },
  rows: [],
  rounds: 1,
  isQuick: false,
};
