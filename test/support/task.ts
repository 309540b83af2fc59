// Timer tasks whose work is a closure, and the set-up for tests of a timer.
import { ManualClock, SystemTimer, type Timer, TimerTask } from '../../src/index.ts';

/** A {@link TimerTask} that calls its closure, and counts the calls. */
export class Task extends TimerTask {
  readonly label: string;
  readonly #work: (task: Task) => void;
  runs = 0;

  constructor(delayMs: number, work: (task: Task) => void = () => {}, label = '') {
    super(delayMs);
    this.#work = work;
    this.label = label;
  }

  override run(): void {
    this.runs++;
    this.#work(this);
  }
}

export type TimerOptions = NonNullable<ConstructorParameters<typeof SystemTimer>[0]>;

/** A timer, and the clock by which a test moves it. */
export function manual(options: TimerOptions = {}): { clock: ManualClock; timer: SystemTimer } {
  const clock = new ManualClock();
  return { clock, timer: new SystemTimer({ ...options, clock }) };
}

export interface Bench<T extends Timer = SystemTimer> {
  readonly clock: ManualClock;
  readonly timer: T;
  /** `label@time` of each run, in order. */
  readonly log: string[];
  /** Adds a task that logs itself, then does `work`. */
  add(label: string, delayMs: number, work?: (task: Task) => void): Task;
  /** Moves the clock to `atMs` and runs what is due by then. */
  runTo(atMs: number): void;
}

/** A timer on a manual clock; it keeps a log of what ran when. */
export function bench(options: TimerOptions = {}, startMs = 0): Bench {
  return benchOf((each) => new SystemTimer({ tickMs: 1, wheelSize: 4, ...each }), options, startMs);
}

/** As `bench`, with the timer that `make` makes of `options` and the clock. */
export function benchOf<T extends Timer>(
  make: (options: TimerOptions) => T,
  options: TimerOptions,
  startMs: number,
): Bench<T> {
  const clock = new ManualClock(startMs);
  const timer = make({ ...options, clock });
  const log: string[] = [];
  return {
    clock,
    timer,
    log,
    add(label, delayMs, work) {
      const task = new Task(
        delayMs,
        (self) => {
          log.push(`${label}@${clock.now()}`);
          work?.(self);
        },
        label,
      );
      timer.add(task);
      return task;
    },
    runTo(atMs) {
      clock.advance(atMs - clock.now());
      if (options.reaper === false) timer.advanceClock();
    },
  };
}
