// Permits of a semaphore, and what must be true of them whenever a turn has left nothing to do: what is
// free, who waits, that nobody waits for what is free, and that nobody was overtaken or passed over.
import type { Permit } from '../../src/waits/semaphore/index.ts';
import type { Random } from '../support/random.ts';
import { CROWD, idleLines, LocalModel, TIMEOUTS_MS } from './local.ts';
import { codeOf } from './model.ts';

export const UNITS = 2;
const KEYS = ['k0', 'k1'];

interface Request {
  readonly number: number;
  readonly units: number;
  readonly deadlineMs: number;
}

/** What is known of a key; the last five since the last check. */
class Line {
  readonly key: string;
  waiting: Request[] = [];
  held = 0;
  /** Of a key in use. */
  units = UNITS;
  served: Request[] = [];
  /** One whose deadline came when nobody was before it. */
  passed: Request | undefined;
  hasMore = false;
  isResized = false;
  isCancelled = false;

  constructor(key: string) {
    this.key = key;
  }
}

export class Permits extends LocalModel {
  readonly #lines = KEYS.map((key) => new Line(key));
  /** Where each key has its own: what it would be told. */
  readonly #own = new Map<string, number>();
  #made = 0;
  #given = 0;

  /** The option `units` of this process. */
  get option(): number | ((key: string) => number) {
    return this.process.index % 2 === 0 ? UNITS : (key) => this.#own.get(key) ?? UNITS;
  }

  act(random: Random): void {
    const line = random.pick(this.#lines);
    this.isTouched = true;
    const kind = random.next();
    if (kind < 0.8)
      for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) this.#acquire(line, random);
    else if (kind < 0.9) this.#tryAcquire(line, random);
    else if (kind < 0.93) this.#resize(line, random.pick([1, UNITS, 3]), random.chance(0.7));
    else if (kind < 0.95) this.#cancel(line);
    else if (kind < 0.98) this.whenIdle(this.process.semaphore);
    else this.#crowd(line, random);
  }

  /** More than two batches wait, and there is enough for all of them for a while. */
  #crowd(line: Line, random: Random): void {
    const timeoutMs = random.pick(TIMEOUTS_MS);
    for (let left = 2 * CROWD; left > 0; left--) this.#acquire(line, random, timeoutMs);
    this.#resize(line, random.pick([UNITS, 3 * CROWD]), true);
    this.later(random.range(0, 100), () => this.#resize(line, UNITS, true));
  }

  #acquire(line: Line, random: Random, timeoutMs = random.pick([5, 50, ...TIMEOUTS_MS])): void {
    const { semaphore } = this.process;
    const { key } = line;
    const units = random.pick([1, 1, 2]);
    const holdsMs = random.range(0, 60);
    const releases = random.chance(0.9) ? 1 : 2;
    const abort = this.abort(random);
    const deadlineMs = this.nowMs + timeoutMs;
    this.#begin(line);
    const isTooMany = units > line.units;
    const request = { number: ++this.#made, units, deadlineMs };
    line.waiting.push(request);
    const label = random.chance(0.2) ? key : undefined;
    this.follow(
      semaphore.acquire({ key, units, timeoutMs, signal: abort.signal, label }),
      () => line.waiting.splice(line.waiting.indexOf(request), 1),
      (permit) => {
        this.#hold(line, request);
        this.later(holdsMs, () => this.#release(line, permit, releases));
      },
      (error) => {
        const isFirst = line.waiting.every(({ number }) => number > request.number);
        if (isFirst && codeOf(error) === 'ERR_PURGATORY_TIMEOUT') line.passed = request;
        const others = isTooMany ? ['ERR_OUT_OF_RANGE'] : [];
        if (line.isCancelled) others.push('ERR_PURGATORY_CANCELLED');
        this.checkRejection(error, abort, deadlineMs, others);
      },
    );
  }

  #tryAcquire(line: Line, random: Random): void {
    const { semaphore } = this.process;
    const { key } = line;
    const units = random.pick([1, 1, 2]);
    const holdsMs = random.range(0, 60);
    this.#begin(line);
    const isFree = semaphore.watchersOf(key) === 0 && units <= semaphore.available(key);
    if (units > line.units || semaphore.isClosed) return;
    const permit = semaphore.tryAcquire({ key, units });
    if ((permit !== undefined) !== isFree)
      this.violate('a try got a permit, or none, wrongly', { key, isFree });
    if (permit === undefined) return;
    this.#hold(line, { number: ++this.#made, units, deadlineMs: this.nowMs });
    this.later(holdsMs, () => this.#release(line, permit, 1));
  }

  /** A key that nobody uses is asked for its units. */
  #begin(line: Line): void {
    const { semaphore } = this.process;
    const isInUse = line.held > 0 || semaphore.watchersOf(line.key) > 0;
    if (!isInUse) line.units = this.#unitsOf(line);
  }

  #unitsOf({ key }: Line): number {
    const { units } = this.process.semaphore;
    return Number.isNaN(units) ? (this.#own.get(key) ?? UNITS) : units;
  }

  #hold(line: Line, request: Request): void {
    line.held += request.units;
    line.served.push(request);
    this.#given++;
    if (line.held > line.units && !line.isResized)
      this.violate('a semaphore has given more units than it has', { held: line.held, units: line.units });
  }

  #release(line: Line, permit: Permit, times: number): void {
    line.held -= permit.units;
    line.hasMore = true;
    for (let i = 0; i < times; i++)
      if (permit.release() !== (i === 0)) this.violate('a permit was released twice, or never');
  }

  /** @param isTold where each key has its own: else it hears of it when it is used anew. */
  #resize(line: Line, units: number, isTold: boolean): void {
    const { semaphore } = this.process;
    if (Number.isNaN(semaphore.units)) {
      this.#own.set(line.key, units);
      if (!isTold) return;
      line.units = units;
      line.hasMore = true;
      line.isResized = true;
      semaphore.resize(line.key);
      return;
    }
    for (const each of this.#lines) {
      each.units = units;
      each.hasMore = true;
      each.isResized = true;
    }
    semaphore.resize(units);
  }

  #cancel(line: Line): void {
    line.isCancelled = true;
    this.process.semaphore.cancelForKey(line.key);
  }

  protected override compare(): void {
    const { semaphore } = this.process;
    let held = 0;
    for (const line of this.#lines) {
      held += line.held;
      this.#compareLine(line);
      line.served = [];
      line.passed = undefined;
      line.hasMore = false;
      line.isResized = false;
      line.isCancelled = false;
    }
    if (held === 0 && this.awaitIdle > 0) this.violate('nobody has heard that all units are free');
    const { units } = this.isSampled ? semaphore.snapshot({ top: 0 }) : { units: undefined };
    if (units !== undefined && (units.held !== held || units.given !== this.#given))
      this.violate('the units are not those of the model', { held, given: this.#given, units });
  }

  #compareLine(line: Line): void {
    const { semaphore } = this.process;
    const { key, held, served, passed, waiting } = line;
    const [first] = waiting;
    const isInUse = held > 0 || first !== undefined;
    const units = isInUse ? line.units : this.#unitsOf(line);
    const free = Math.max(units - held, 0);
    const is = { key, free: semaphore.available(key), waiting: semaphore.watchersOf(key) };
    const about = { ...is, model: { free, waiting: waiting.length } };
    if (is.free !== free || is.waiting !== waiting.length)
      this.violate('a line of a semaphore is not that of the model', about);
    if (waiting.some(({ deadlineMs }) => this.isLongOver(deadlineMs)))
      this.violate('somebody waits for units behind his deadline', about);
    if (first !== undefined && first.units <= free)
      this.violate('somebody waits for units that are free', about);
    if (served.some(({ number }) => first !== undefined && number > first.number))
      this.violate('a semaphore is out of order', about);
    if (passed !== undefined && !line.hasMore && passed.units <= free)
      this.violate('a deadline came though there were units', about);
  }

  override leftBehind(): Record<string, number> {
    return { ...super.leftBehind(), lines: idleLines(this.process.semaphore) };
  }
}
