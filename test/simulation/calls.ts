// Calls that wait for replies, and elements that become idle. What has arrived counts: a call whose
// reply had arrived does not expire, and an element does not become idle behind its heartbeat.
import type { Random } from '../support/random.ts';
import { LocalModel } from './local.ts';
import { codeOf, isMine, mine, ROUNDING_MS } from './model.ts';

export const IDLE_MS = 200;

interface Call {
  deadlineMs: number;
  /** When its reply had arrived. */
  arrivedMs?: number;
  /** What `resolve` said of it. */
  resolved?: boolean;
}

interface Element {
  readonly arrivesMs: number[];
  lastMs: number;
  isWatched: boolean;
}

export class Calls extends LocalModel {
  readonly #calls = new Map<number, Call>();
  #made = 0;
  readonly #elements = new Map<string, Element>();

  call(random: Random): void {
    const { replies, host } = this.process;
    const { time } = this.world;
    const id = ++this.#made;
    const timeoutMs = random.pick([0, 5, 20, 100, 1_000]);
    const abort = this.abort(random);
    const call: Call = { deadlineMs: host.nowMs + timeoutMs };
    this.#calls.set(id, call);
    const isLost = random.chance(0.2);
    const tripMs = random.range(0, random.pick([10, 300]));
    const fails = random.chance(0.05);
    const send = (): void => {
      if (fails) throw mine('send');
      if (isLost) return;
      time.after(tripMs, () => {
        call.arrivedMs = time.nowMs;
        host.push(() => {
          call.resolved = replies.resolve(id, id);
          if (call.resolved && !this.#calls.has(id))
            this.violate('a reply was taken for a call that has ended');
        });
      });
    };
    this.isTouched = true;
    if (random.chance(0.2)) this.later(random.range(0, timeoutMs), () => this.#refresh(id, call, timeoutMs));
    this.follow(
      replies.call(id, { timeoutMs, signal: abort.signal }, send),
      () => {
        if (!this.#calls.delete(id)) this.violate('a call has ended twice');
      },
      () => {
        if (call.resolved !== true) this.violate('a call was answered without its reply');
      },
      (error) => {
        if (call.resolved === true) this.violate('a call was rejected behind its reply', { error });
        if (!isMine(error)) this.checkRejection(error, abort, call.deadlineMs);
        const { arrivedMs = Number.POSITIVE_INFINITY, resolved } = call;
        const hadArrived = resolved === undefined && arrivedMs <= host.turnBeganMs;
        if (host.mode === 'reads' && hadArrived && codeOf(error) === 'ERR_PURGATORY_TIMEOUT')
          this.violate('a call has expired though its reply had arrived', { id });
      },
    );
  }

  /** A heartbeat arrives from elsewhere. */
  touch(random: Random): void {
    const { idle, host } = this.process;
    const { time } = this.world;
    const name = `e${random.below(5)}`;
    const element: Element = this.#elements.get(name) ?? { arrivesMs: [], lastMs: 0, isWatched: false };
    this.#elements.set(name, element);
    time.after(random.range(0, 5), () => {
      element.arrivesMs.push(time.nowMs);
      host.push(() => {
        element.arrivesMs.shift();
        element.lastMs = host.nowMs;
        this.isTouched = true;
        if (idle.isClosed) return;
        try {
          idle.touch(name);
        } catch (error) {
          // The timer that it shares is full: then a new element is not tracked.
          if (codeOf(error) !== 'ERR_PURGATORY_FULL' || element.isWatched) throw error;
          return;
        }
        element.isWatched = true;
      });
    });
  }

  becameIdle(name: string): void {
    const { host } = this.process;
    const element = this.#elements.get(name) as Element;
    const { lastMs, arrivesMs } = element;
    this.isTouched = true;
    element.isWatched = false;
    if (host.nowMs < lastMs + IDLE_MS - ROUNDING_MS) this.violate('an element became idle early', { name });
    if (host.mode === 'reads' && arrivesMs.some((atMs) => atMs <= host.turnBeganMs)) {
      this.violate('an element became idle though its heartbeat had arrived', { name });
    }
  }

  #refresh(id: number, call: Call, timeoutMs: number): void {
    const isExpected = this.process.replies.refresh(id, timeoutMs);
    // Promises may settle in a later turn.
    if (this.process.host.isIdle && isExpected !== this.#calls.has(id))
      this.violate('a call was refreshed, or not, wrongly', { id });
    if (isExpected) call.deadlineMs = this.nowMs + timeoutMs;
  }

  protected override compare(): void {
    const { replies, idle } = this.process;
    const elements = [...this.#elements.values()].filter(({ isWatched }) => isWatched).length;
    const is = { calls: replies.size, elements: idle.isClosed ? elements : idle.size };
    if (is.calls !== this.#calls.size || is.elements !== elements)
      this.violate('calls or elements are not those of the model', { ...is, of: this.#calls.size, elements });
    for (const { deadlineMs } of this.#calls.values())
      if (this.isLongOver(deadlineMs)) this.violate('a call waits behind its deadline', { deadlineMs });
  }
}
