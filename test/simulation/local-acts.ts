// Work inside one process, and its models: permits, items, replies, idle elements.
import type { Random } from '../support/random.ts';
import { type Actor, codeOf, type Stage } from './model.ts';

const UNITS = 2;
const IDLE_MS = 200;
const ROUNDING_MS = 1e-6;
const TIMEOUTS_MS = [0, 5, 50, 500, 5_000];

/** The order in which promises settle is that of the grants, but for those of one moment. */
class Order {
  #last = 0;
  #lastMs = 0;

  /** Whether `number` comes behind those before it. */
  follows(number: number, nowMs: number): boolean {
    const isBehind = number > this.#last || nowMs === this.#lastMs;
    this.#last = number;
    this.#lastMs = nowMs;
    return isBehind;
  }
}

interface Call {
  readonly deadlineMs: number;
  /** When its reply had arrived. */
  arrivedMs: number | undefined;
  isRead: boolean;
  resolved: boolean | undefined;
}

interface Element {
  readonly arrivesMs: number[];
  lastMs: number;
}

export class LocalModel {
  readonly #world: Stage;
  readonly #process: Actor;
  readonly #held = new Map<string, number>();
  readonly #permits = new Map<string, { made: number; order: Order }>();
  readonly #kept = new Set<number>();
  /** When the lease of an item ends. */
  readonly #leased = new Map<number, number>();
  #itemsMade = 0;
  readonly #calls = new Map<number, Call>();
  #callsMade = 0;
  readonly #elements = new Map<string, Element>();
  #open = 0;

  constructor(world: Stage, process: Actor) {
    this.#world = world;
    this.#process = process;
  }

  leftBehind(): Record<string, number> {
    return { open: this.#open, calls: this.#calls.size, items: this.#kept.size - this.#process.queues.size };
  }

  get #isOrdered(): boolean {
    return this.#world.plan.config.tryMs === 0;
  }

  #violate(what: string, about?: object): void {
    if (!this.#process.isDead) this.#world.violate(what, undefined, about);
  }

  /** The end of a wait that was rejected by its deadline, its abort or a close. */
  #checkRejection(error: unknown, reason: unknown, deadlineMs: number): void {
    const code = codeOf(error);
    if (code === 'ERR_PURGATORY_TIMEOUT') {
      if (this.#process.host.nowMs < deadlineMs - ROUNDING_MS)
        this.#violate('a deadline came early', { error: String(error) });
    } else if (error !== reason && code !== 'ERR_PURGATORY_CLOSED' && code !== 'ERR_PURGATORY_FULL') {
      this.#violate('a wait was rejected', { error: String((error as Error)?.stack ?? error) });
    }
  }

  /** Of a quarter of the waits. */
  abort(random: Random): { signal?: AbortSignal; reason?: unknown } {
    if (!random.chance(0.25)) return {};
    const controller = new AbortController();
    const reason = new Error('aborted');
    this.#process.host.later(random.range(0, 400), () => controller.abort(reason));
    return { signal: controller.signal, reason };
  }

  acquire(random: Random): void {
    const { semaphore, host } = this.#process;
    const { time } = this.#world;
    const key = `k${random.below(2)}`;
    const units = random.pick([1, 1, 2]);
    const timeoutMs = random.pick(TIMEOUTS_MS);
    const { signal, reason } = this.abort(random);
    const deadlineMs = host.nowMs + timeoutMs;
    const line = this.#permits.get(key) ?? { made: 0, order: new Order() };
    this.#permits.set(key, line);
    const number = ++line.made;
    const holdsMs = random.range(0, 60);
    this.#open++;
    semaphore.acquire({ key, units, timeoutMs, signal }).then(
      (permit) => {
        if (this.#process.isDead) return;
        this.#open--;
        if (!line.order.follows(number, time.nowMs) && this.#isOrdered)
          this.#violate('a semaphore is out of order', { number });
        const held = (this.#held.get(key) ?? 0) + units;
        this.#held.set(key, held);
        if (held > UNITS) this.#violate('a semaphore has given more units than it has', { held });
        host.later(holdsMs, () => {
          this.#held.set(key, (this.#held.get(key) ?? 0) - units);
          if (!permit.release()) this.#violate('a permit was released twice');
        });
      },
      (error: unknown) => {
        this.#open--;
        this.#checkRejection(error, reason, deadlineMs);
      },
    );
  }

  put(random: Random): void {
    const key = `q${random.below(2)}`;
    const number = ++this.#itemsMade;
    this.#kept.add(number); // a wait may take it in the call
    try {
      this.#process.queues.put(key, number);
    } catch (error) {
      this.#kept.delete(number);
      if (codeOf(error) !== 'ERR_PURGATORY_FULL')
        this.#violate('an item was refused', { error: String(error) });
    }
  }

  take(random: Random): void {
    const { queues, host } = this.#process;
    const key = `q${random.below(2)}`;
    const timeoutMs = random.pick(TIMEOUTS_MS);
    const { signal, reason } = this.abort(random);
    const deadlineMs = host.nowMs + timeoutMs;
    const givesBack = random.chance(0.2);
    const holdsMs = random.range(0, 40);
    this.#open++;
    queues.take([key], { timeoutMs, signal }).then(
      (taken) => {
        if (this.#process.isDead) return;
        this.#open--;
        if (taken.expired) {
          if (host.nowMs < deadlineMs - ROUNDING_MS) this.#violate('a take has expired early');
          return;
        }
        const number = taken.value;
        if (!this.#kept.delete(number) || this.#isOut(number))
          this.#violate('an item was given twice', { number });
        if (givesBack) {
          host.later(holdsMs, () => {
            this.#kept.add(number);
            queues.putBack(taken);
          });
        }
      },
      (error: unknown) => {
        this.#open--;
        this.#checkRejection(error, reason, deadlineMs);
      },
    );
  }

  /** An item that comes back unless its work is done in time. */
  lease(random: Random): void {
    const { queues, host } = this.#process;
    const timeoutMs = random.pick(TIMEOUTS_MS);
    const leaseMs = random.pick([5, 50, 500]);
    const { signal, reason } = this.abort(random);
    const deadlineMs = host.nowMs + timeoutMs;
    const worksMs = random.range(0, leaseMs * 1.5);
    const isDone = random.chance(0.7);
    this.#open++;
    queues.lease([`q${random.below(2)}`], { timeoutMs, leaseMs, signal }).then(
      (lease) => {
        if (this.#process.isDead) return;
        this.#open--;
        if (lease.expired) {
          if (host.nowMs < deadlineMs - ROUNDING_MS) this.#violate('a lease has expired early');
          return;
        }
        const number = lease.value;
        const endMs = host.nowMs + leaseMs;
        if (!this.#kept.has(number)) this.#violate('an item was leased that is gone', { number });
        if (this.#isOut(number)) this.#violate('an item was given to two at once', { number });
        this.#leased.set(number, endMs);
        host.later(worksMs, () => {
          const isOut = isDone ? lease.ack() : lease.nack();
          if (isOut && isDone) this.#kept.delete(number);
          if (isOut) this.#leased.delete(number);
          const isSurelyOut = host.nowMs < endMs - ROUNDING_MS && !signal?.aborted && !queues.isClosed;
          if (!isOut && isSurelyOut) this.#violate('a lease was over before its time', { number });
        });
        signal?.addEventListener('abort', () => this.#leased.delete(number));
      },
      (error: unknown) => {
        this.#open--;
        this.#checkRejection(error, reason, deadlineMs);
      },
    );
  }

  #isOut(number: number): boolean {
    return (this.#leased.get(number) ?? Number.NEGATIVE_INFINITY) > this.#process.host.nowMs + ROUNDING_MS;
  }

  call(random: Random): void {
    const { replies, host } = this.#process;
    const { time } = this.#world;
    const id = ++this.#callsMade;
    const timeoutMs = random.pick([0, 5, 20, 100, 1_000]);
    const { signal, reason } = this.abort(random);
    const call: Call = {
      deadlineMs: host.nowMs + timeoutMs,
      arrivedMs: undefined,
      isRead: false,
      resolved: undefined,
    };
    this.#calls.set(id, call);
    const isLost = random.chance(0.2);
    const tripMs = random.range(0, random.pick([10, 300]));
    const send = (): void => {
      if (isLost) return;
      time.after(tripMs, () => {
        call.arrivedMs = time.nowMs;
        host.push(() => {
          call.isRead = true;
          call.resolved = replies.resolve(id, id);
          if (call.resolved && !this.#calls.has(id))
            this.#violate('a reply was taken for a call that has ended');
        });
      });
    };
    const ended = (): void => {
      if (!this.#calls.delete(id)) this.#violate('a call has ended twice');
    };
    replies.call(id, { timeoutMs, signal }, send).then(
      () => {
        ended();
        if (call.resolved !== true) this.#violate('a call was answered without its reply');
      },
      (error: unknown) => {
        ended();
        if (call.resolved === true)
          this.#violate('a call was rejected behind its reply', { error: String(error) });
        this.#checkRejection(error, reason, call.deadlineMs);
        const hadArrived = call.arrivedMs !== undefined && !call.isRead && call.arrivedMs <= host.turnBeganMs;
        if (host.mode === 'reads' && hadArrived && codeOf(error) === 'ERR_PURGATORY_TIMEOUT') {
          this.#violate('a call has expired though its reply had arrived', { id });
        }
      },
    );
  }

  /** A heartbeat arrives from elsewhere. */
  touch(random: Random): void {
    const { idle, host } = this.#process;
    const { time } = this.#world;
    const name = `e${random.below(5)}`;
    const element: Element = this.#elements.get(name) ?? { arrivesMs: [], lastMs: 0 };
    this.#elements.set(name, element);
    time.after(random.range(0, 5), () => {
      element.arrivesMs.push(time.nowMs);
      host.push(() => {
        element.arrivesMs.shift();
        element.lastMs = host.nowMs;
        if (!idle.isClosed) idle.touch(name);
      });
    });
  }

  becameIdle(name: string): void {
    const { host } = this.#process;
    const { lastMs, arrivesMs } = this.#elements.get(name) as Element;
    if (host.nowMs < lastMs + IDLE_MS - ROUNDING_MS) this.#violate('an element became idle early', { name });
    if (host.mode === 'reads' && arrivesMs.some((atMs) => atMs <= host.turnBeganMs)) {
      this.#violate('an element became idle though its heartbeat had arrived', { name });
    }
  }
}
