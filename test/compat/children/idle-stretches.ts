// IdleTimeouts on the system clock, whose host is a simulation: installed before the library is
// imported, it passes for the real one, so touches share their readings, as under no fake clock.
// Time moves in steps of 1/8 ms, at the child's will alone.
import fc from 'fast-check';
import { runs } from '../../property/runs.ts';

interface HostTimer {
  atMs: number;
  readonly run: () => void;
  unref(): void;
}

/** A host whose event loop can be blocked: time passes then, and no timer runs. */
class Host {
  nowMs = 1_000;
  readonly #timers = new Set<HostTimer>();

  install(): void {
    const start = (run: (...args: unknown[]) => void, ms: number, ...args: unknown[]): HostTimer => {
      const timer = { atMs: this.nowMs + Math.max(ms, 1), run: () => run(...args), unref: () => {} };
      this.#timers.add(timer);
      return timer;
    };
    const clear = (timer: HostTimer): void => void this.#timers.delete(timer);
    performance.now = () => this.nowMs;
    Object.assign(process, { hrtime: { bigint: () => BigInt(this.nowMs * 1e6) } });
    Object.assign(globalThis, { setTimeout: start, clearTimeout: clear, clearImmediate: clear });
    Object.assign(globalThis, {
      setImmediate: (run: () => void, ...args: unknown[]) => start(run, 1, ...args),
    });
  }

  block(ms: number): void {
    this.nowMs += ms;
  }

  /** Runs the timers that are due, then those that fall due within `ms`, each at its time. */
  run(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const next = [...this.#timers].reduce((a, b) => (b.atMs < a.atMs ? b : a), {
        atMs: Infinity,
      } as HostTimer);
      if (next.atMs > untilMs) break;
      this.#timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = untilMs;
  }
}

const host = new Host();
host.install();
const { IdleTimeouts } = await import('../../../src/waits/idle/index.ts');

/** What is left of a sum of eighths of a ms when nanoseconds have been rounded. */
const ROUNDING_MS = 1e-3;
/** The tick of the timer, and what setTimeout adds to reach it. */
const TIMER_MS = 3;

interface Touch {
  readonly atMs: number;
  readonly timeoutMs: number;
  readonly blockedMs: number;
}

/**
 * Records every touch, and throws when an element becomes idle early, or later than the class says.
 */
class Watch {
  readonly idle: InstanceType<typeof IdleTimeouts<object>>;
  readonly #touches = new Map<object, Touch>();
  readonly #commonMs: number;
  #blockedMs = 0;
  #failure: unknown;

  constructor(timeoutMs: number) {
    this.#commonMs = timeoutMs;
    this.idle = new IdleTimeouts<object>({
      timeoutMs,
      onIdle: (element) => this.#onIdle(element),
      onError: (error) => {
        this.#failure ??= error;
      },
    });
  }

  touch(element: object, ownMs?: number): void {
    const timeoutMs = ownMs ?? this.#touches.get(element)?.timeoutMs ?? this.#commonMs;
    this.idle.touch(element, ownMs);
    this.#touches.set(element, { atMs: host.nowMs, timeoutMs, blockedMs: this.#blockedMs });
  }

  remove(element: object): void {
    if (this.idle.remove(element) !== this.#touches.delete(element)) throw new Error('remove disagrees');
  }

  block(ms: number): void {
    host.block(ms);
    this.#blockedMs += ms;
  }

  #latenessMs(): number {
    return Math.min(Math.max(this.#commonMs / 50, 2), 128) + TIMER_MS + ROUNDING_MS;
  }

  #onIdle(element: object): void {
    const touch = this.#touches.get(element);
    if (touch === undefined) throw new Error('an element that is not tracked became idle');
    this.#touches.delete(element);
    const lateMs = host.nowMs - touch.atMs - touch.timeoutMs;
    if (lateMs < -ROUNDING_MS) throw new Error(`idle ${-lateMs} ms early, of ${touch.timeoutMs}`);
    const hostMs = this.#blockedMs - touch.blockedMs;
    if (lateMs > this.#latenessMs() + hostMs)
      throw new Error(`idle ${lateMs} ms late, of ${touch.timeoutMs}`);
  }

  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    IdleTimeouts.check(this.idle);
    if (this.idle.size !== this.#touches.size) throw new Error('size disagrees');
    for (const [element, { atMs, timeoutMs, blockedMs }] of this.#touches) {
      const overMs = (this.idle.remainingMs(element) as number) - (atMs + timeoutMs - host.nowMs);
      const hostMs = this.#blockedMs - blockedMs;
      if (
        overMs < -ROUNDING_MS ||
        overMs > this.#latenessMs() + hostMs + Math.max(0, host.nowMs - atMs - timeoutMs)
      ) {
        throw new Error(`remainingMs is ${overMs} ms too large`);
      }
    }
  }

  /** Runs until all are idle. */
  end(): void {
    while (this.idle.size > 0) host.run(60_000);
    this.check();
    this.idle.close();
  }
}

const eighths = (maxMs: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: maxMs * 8 }).map((n) => n / 8);
const timeout = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 10_000, max: 100_000 }));
const element = fc.nat(19);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('touch'), element, ms: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('own'), element, ms: timeout }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), element, ms: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('block'), element, ms: eighths(80) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run'), element, ms: eighths(60) }) },
);

const history = fc.array(step, { maxLength: 200, size: 'max' });

fc.assert(
  fc.property(timeout, history, (timeoutMs, steps) => {
    const watch = new Watch(timeoutMs);
    const elements = Array.from({ length: 20 }, () => ({}));
    for (const each of steps) {
      const target = elements[each.element];
      if (each.do === 'touch') watch.touch(target);
      else if (each.do === 'own') watch.touch(target, each.ms);
      else if (each.do === 'remove') watch.remove(target);
      else if (each.do === 'block') watch.block(each.ms);
      else host.run(each.ms);
      watch.check();
    }
    watch.end();
  }),
  runs(200),
);

/** Touches one element every `everyMs` for `ms`, so that the stretches go round their ring. */
function beat(watch: Watch, ms: number, everyMs = 1): void {
  const busy = {};
  for (let passed = 0; passed < ms; passed += everyMs) {
    watch.touch(busy);
    host.run(everyMs);
  }
}

/** An element whose timeout is much longer than a turn of the ring: touched seldom, then silent. */
function outlastTheRing(): void {
  const watch = new Watch(50);
  const seldom = {};
  watch.touch(seldom, 20_000);
  for (const ms of [300, 7_000, 11_000, 25_000]) {
    beat(watch, ms);
    watch.check();
    watch.touch(seldom);
  }
  watch.end();
}

/** The stretches become short while an element waits for a look that was planned for long ones. */
function shortenTheStretches(): void {
  const watch = new Watch(20_000);
  const once = {};
  watch.touch(once);
  host.run(100);
  watch.touch(once);
  host.run(100);
  watch.touch({}, 50);
  beat(watch, 19_000);
  watch.end();
}

/**
 * The same with a touch that one look has left as the number of its stretch, half a ring before.
 */
function shortenAfterALook(): void {
  const watch = new Watch(20_000);
  const once = {};
  watch.touch(once, 130_000);
  beat(watch, 40_000, 32);
  watch.touch(once);
  beat(watch, 90_000, 32);
  watch.touch({}, 50);
  beat(watch, 39_000);
  watch.check();
  watch.end();
}

/** However long the timeout, a touch is noted to the tenth of a second or so. */
function timeOutInMinutes(): void {
  const watch = new Watch(600_000);
  for (const ms of [1, 10, 500]) {
    const element = {};
    for (let touches = 0; touches < 10; touches++) {
      watch.touch(element);
      host.run(ms);
    }
    host.run(1_000);
    watch.check();
  }
  watch.end();
}

outlastTheRing();
shortenTheStretches();
shortenAfterALook();
timeOutInMinutes();
console.log('ok');
