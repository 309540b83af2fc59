/**
 * The process in which one scheme is measured. `child SCHEME SIZE...` prints one line of JSON for
 * each size: nanoseconds a step, by metric.
 *
 * All run on a manual clock and without a reaper, so the figures are of the scheme and not of a
 * host timer. n timers are pending. Their delays are uniform from 1 to 60,000 ticks: under the
 * interval of scheme 4, and 117 rotations of the hashed wheels.
 *   start, stop   stops 64 timers and starts them again, the two timed apart. They are the same 64,
 *                 so that only the search grows, and not the number of cache misses
 *   tick          one tick passes, in which one timer falls due that is not started again. The
 *                 others are 30,000 ticks ahead or more, so that none moves down a level meanwhile
 *   mixed         stops a random one and starts it again. Every tenth step a tick passes, and what
 *                 falls due starts again. This includes the cache misses, and the n / 30,000 timers
 *                 that fall due in each tick
 */
import { ManualClock, type Timer, TimerTask } from 'purgatory';
import { integers, shuffled } from '../harness/random.ts';
import { median } from '../harness/statistics.ts';
import { contenders, type Metric } from './contenders.ts';

const LONGEST = 60_000;
/** A metric is run for this long, in this many batches at least. */
const BUDGET_MS = 100;
const LEAST_ROUNDS = 7;
/** When a step takes longer than this, ten times the size is not tried: it is O(n). */
const ABSURD_NS = 1e6;

class Task extends TimerTask {
  /** Where the timer is started again from `run`. */
  timer: Timer | undefined;

  override run(): void {
    this.timer?.add(this);
  }
}

interface Load {
  clock: ManualClock;
  timer: Timer;
  tasks: Task[];
}

/**
 * A timer with `size` tasks. They are added in the order of delay where that avoids a search for
 * each: the lists of 2 and 5 would take hours.
 */
function load(size: number, shortest = 1): Load {
  const clock = new ManualClock();
  const timer = contender.make({ clock, reaper: false });
  const delays = integers(size, shortest, LONGEST);
  if (hasSearch) delays.sort();
  const tasks = Array.from(delays, (delay) => new Task(delay));
  for (const task of tasks) timer.add(task);
  return { clock, timer, tasks };
}

type Measured = Partial<Record<Metric, number>>;

/** Runs `batch` again and again. It returns nanoseconds a step, by metric. Returns the medians. */
function measure(batch: () => Measured): Measured {
  const seen: Partial<Record<string, number[]>> = {};
  const end = performance.now() + BUDGET_MS;
  for (let round = 0; round < LEAST_ROUNDS || performance.now() < end; round++) {
    for (const [metric, ns] of Object.entries(batch())) {
      seen[metric] ??= [];
      seen[metric].push(ns);
    }
  }
  return Object.fromEntries(Object.entries(seen).map(([metric, values]) => [metric, median(values!)]));
}

function nsEach(count: number, step: (index: number) => void): number {
  const start = process.hrtime.bigint();
  for (let index = 0; index < count; index++) step(index);
  return Number(process.hrtime.bigint() - start) / count;
}

function startAndStop(size: number): Measured {
  const { timer, tasks } = load(size);
  const hot = Array.from(shuffled(size).subarray(0, Math.min(size >> 1, 64)), (index) => tasks[index]);
  return measure(() => {
    const stop = nsEach(hot.length, (index) => timer.remove(hot[index]));
    const start = nsEach(hot.length, (index) => timer.add(hot[index]));
    return { start, stop };
  });
}

function tick(size: number): Measured {
  const { clock, timer, tasks } = load(size, LONGEST / 2);
  const ticks = Math.min(64, size);
  return measure(() => {
    for (const task of tasks) timer.remove(task);
    for (const task of tasks) timer.add(task);
    for (let delayMs = ticks; delayMs > 0; delayMs--) timer.add(new Task(delayMs));
    const step = (): void => {
      clock.advance(1);
      timer.advanceClock();
    };
    return { tick: nsEach(ticks, step) };
  });
}

function mixed(size: number): Measured {
  const { clock, timer, tasks } = load(size);
  for (const task of tasks) task.timer = timer;
  const order = shuffled(size);
  let at = 0;
  const step = (index: number): void => {
    const task = tasks[order[at]];
    at = at + 1 === size ? 0 : at + 1;
    timer.remove(task);
    timer.add(task);
    if (index % 10 !== 9) return;
    clock.advance(1);
    timer.advanceClock();
  };
  return measure(() => ({ mixed: nsEach(size > 10_000 ? 40 : 400, step) }));
}

const [, , name, ...sizes] = process.argv;
const contender = contenders[name];
if (contender === undefined) throw new Error(`no scheme ${name}`);
const hasSearch = contender.ledger.start === 'O(n)' || contender.ledger.start === 'O(n / wheelSize)';
for (const workload of [startAndStop, tick, mixed]) workload(1_000);
const tooSlow = new Set<unknown>();
for (const size of sizes.map(Number)) {
  const ns: Measured = {};
  for (const workload of [startAndStop, tick, mixed]) {
    if (tooSlow.has(workload)) continue;
    const measured = workload(size);
    Object.assign(ns, measured);
    if (Object.values(measured).some((value) => value > ABSURD_NS)) tooSlow.add(workload);
  }
  console.log(JSON.stringify({ size, ns }));
}
