// The search of the page: who waits on a key, and what an operation waits for.
//
// Ground rules. It only reads a purgatory, and keeps operations by weak reference only. An
// operation that is shown gets an id, and the latest MAX_IDS ids are known. A key that is exactly
// the text is found at once. A search for part of a key looks at all keys, for SLICE_MS of real
// time a turn and at MAX_LOOKED keys in all, so that it blocks nobody. The latest search wins: an
// earlier one ends.
import { hostTurn } from '../../base/host.ts';
import { keyText } from '../../base/text.ts';
import { systemClock } from '../../clock/system-clock.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { type OldOperation, oldOperation } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { LiveSources } from '../live-sources.ts';
import type { ObservedPurgatory } from '../sources.ts';
import { type AskedOperation, type Found, type FoundKey, MAX_FOUND, type ShownOperation } from './frame.ts';
import type { Host } from './host.ts';

const MAX_IDS = 2_000;
const SLICE_MS = 4;
const LOOKED_A_READING = 64;
const MAX_LOOKED = 2_000_000;

type Parked = NonNullable<ObservedPurgatory['$parked']>;

/** A key of a purgatory: the key itself, not its shown text. */
interface Match {
  readonly name: string;
  readonly purgatory: ObservedPurgatory;
  readonly parked: Parked;
  readonly key: unknown;
}

export class Lookup {
  readonly #host: Host;
  readonly #shown: LiveSources;
  readonly #ids = new WeakMap<DelayedOperation, number>();
  readonly #operations = new Map<number, [WeakRef<DelayedOperation>, WeakRef<ObservedPurgatory>]>();
  #lastId = 0;
  #searches = 0;

  constructor(host: Host, shown: LiveSources) {
    this.#host = host;
    this.#shown = shown;
  }

  /** The id with which `operation` can be asked for. */
  idOf(operation: DelayedOperation, purgatory: ObservedPurgatory): number {
    const known = this.#ids.get(operation);
    if (known !== undefined && this.#operations.has(known)) return known;
    const id = ++this.#lastId;
    this.#ids.set(operation, id);
    this.#operations.set(id, [new WeakRef(operation), new WeakRef(purgatory)]);
    if (this.#operations.size > MAX_IDS) this.#operations.delete(id - MAX_IDS);
    return id;
  }

  /**
   * @param only the name of the only purgatory to search.
   * @param searches whether to find keys that contain the text as well.
   */
  async find(text: string, only: string | undefined, searches: boolean): Promise<Found> {
    const found = this.#open(only)
      .flatMap((each) => keysSpelled(text).map((key) => ({ ...each, key })))
      .filter(({ parked, key }) => parked.lists.watchersOf(key) > 0)
      .slice(0, MAX_FOUND);
    const exact = found.length;
    const isWhole = searches ? await this.#search(text, only, found) : true;
    const [first] = found;
    const operations = first?.parked.lists.operationsOf(first.key, MAX_FOUND) ?? [];
    return {
      text,
      wallMs: this.#host.wallNow(),
      keys: found.map(foundKey),
      exact,
      isWhole,
      operations: operations.map((operation) => this.#asShown(operation, first)),
    };
  }

  operation(id: number): AskedOperation {
    const [operation, purgatory] = this.#operations.get(id) ?? [];
    const asked = operation?.deref();
    const found = this.#open().find((each) => each.purgatory === purgatory?.deref());
    if (asked === undefined || !found?.parked.keeps(asked)) return null;
    const keys = found.parked.lists.keysOf(asked, MAX_FOUND + 1);
    const watches = keys.slice(0, MAX_FOUND).map((key) => foundKey({ ...found, key }));
    const more = keys.length - watches.length;
    return { ...this.#asShown(asked, found), wallMs: this.#host.wallNow(), watches, more };
  }

  #open(only?: string): Omit<Match, 'key'>[] {
    return this.#shown.look().purgatories.flatMap(([name, purgatory]) => {
      const parked = purgatory.$parked;
      const isAsked = only === undefined || name === only;
      return isAsked && parked !== undefined ? [{ name, purgatory, parked }] : [];
    });
  }

  /**
   * Adds keys that contain the text to `found`, up to MAX_FOUND. False when it ended before it had
   * looked at all: at MAX_LOOKED keys, or for a later search.
   */
  async #search(text: string, only: string | undefined, found: Match[]): Promise<boolean> {
    const search = ++this.#searches;
    const contains = containing(text);
    let endMs = systemClock.now() + SLICE_MS;
    let looked = 0;
    for (const each of this.#open(only)) {
      for (const key of each.parked.lists.allKeys()) {
        if (++looked % LOOKED_A_READING === 0 && systemClock.now() >= endMs) {
          await hostTurn();
          if (search !== this.#searches || looked > MAX_LOOKED) return false;
          endMs = systemClock.now() + SLICE_MS;
        }
        if (!contains(key) || each.parked.lists.watchersOf(key as never) === 0) continue;
        if (found.some((match) => match.purgatory === each.purgatory && match.key === key)) continue;
        if (found.push({ ...each, key }) >= MAX_FOUND) return true;
      }
    }
    return true;
  }

  #asShown(operation: DelayedOperation, { name, purgatory, parked }: Omit<Match, 'key'>): ShownOperation {
    const nowMs = parked.meter.now();
    const id = this.idOf(operation, purgatory);
    return shownOperation(oldOperation(operation, parked.lists, nowMs), nowMs, name, id);
  }
}

/** @param id null where the purgatory does not show its operations. */
export function shownOperation(
  old: OldOperation,
  nowMs: number,
  purgatory: string,
  id: number | null,
): ShownOperation {
  return { ...old, id, purgatory, leftMs: old.deadlineMs === null ? null : old.deadlineMs - nowMs };
}

/**
 * The keys that `text` can stand for: a string, a number, or a bigint (with or without its `n`).
 */
function keysSpelled(text: string): unknown[] {
  const keys: unknown[] = [text];
  if (`${Number(text)}` === text) keys.push(Number(text));
  if (/^-?\d{1,100}n?$/.test(text)) keys.push(BigInt(text.replace('n', '')));
  return keys;
}

/**
 * Whether a key contains `text`, whatever the case of its letters. A text that was cut is the
 * beginning of a key.
 */
function containing(text: string): (key: unknown) => boolean {
  const part = text.toLowerCase();
  const spell = (key: unknown): string => (typeof key === 'string' ? key : keyText(key)).toLowerCase();
  if (part.endsWith('…')) {
    const beginning = part.slice(0, -1);
    return (key) => spell(key).startsWith(beginning);
  }
  return (key) => spell(key).includes(part);
}

function foundKey({ name, parked, key }: Match): FoundKey {
  return { purgatory: name, key: keyText(key), watchers: parked.lists.watchersOf(key) };
}
