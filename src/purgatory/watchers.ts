// Who watches which key. A key knows its oldest watch, an operation its youngest; each watch is one
// of one operation on one key, in a ring of its key, in the order of parking:
//
//      key: oldest, count ──► watch ◄─► watch ◄─► watch ◄─► the oldest again
//    operation: youngest ───────────────► └─► its next watch, on another key
//
// A watch leads to both ends by one number, key XOR place: who comes from one of them finds the
// other. A lone watcher, alone on its only key, needs no watch: key and operation lead to each
// other by numbers below NONE, until another comes. What is removed moves the passes under way
// along. park, remove: O(keys of the operation).
import { COLUMN_1, COLUMN_2, NONE, Slab, type Slot } from '../slab/slab.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import { type CountedKey, MAX_COPIED, OWN, ParkedLists, STAMP } from './parked-lists.ts';
import { Pass } from './passes.ts';

/** The columns of a key: its oldest watch, or its lone watcher, and how many watch it. */
export const OLDEST: number = COLUMN_1;
const COUNT = COLUMN_2;
/** The columns of a watch: key XOR place, and the watch that its operation got before this one. */
const LINK = COLUMN_1;
const OLDER = COLUMN_2;
/** In the cells that `compact` has left behind, of keys and of watches. */
const MOVED_TO = COLUMN_2;
/** The column of an operation: its youngest watch, or its key if it is a lone watcher. */
const YOUNGEST = OWN;

/** Keys that a snapshot looks at, at most. Of more keys, each snapshot takes the next ones. */
const MAX_SAMPLE = 4_096;

/** From a key to its lone watcher, and back: each holds the other one's slot like this. */
const lone = (slot: number): Slot => (-2 - slot) as Slot;

export class Watchers<K> extends ParkedLists<K> {
  /** @internal */
  keySlab: Slab<K> = new Slab<K>();
  /** @internal */
  watches: Slab = new Slab();
  readonly #slots = new Map<K, Slot>();
  #loneWatchers = 0;
  /** The passes that it moves along: those whose operations are tried, from the outermost in. */
  readonly nested: Pass<K>[] = [];
  /** And those that last for turns, by key. One that is over, or has yet to begin, stands still. */
  readonly held: Map<K, Pass<K>> = new Map();
  /** Where the next sample of keys begins. */
  #sampled = 0;
  /** What `loneWatcher` has read ahead: kept, so that the compiler does not drop the reading. */
  prefetched: number = 0;

  override get keys(): number {
    return this.#slots.size;
  }

  override get pairs(): number {
    return this.watches.inUse + this.#loneWatchers;
  }

  override park(operation: DelayedOperation, keys: readonly K[], stamp: number): void {
    const place = this.add(operation, stamp);
    let youngest = NONE;
    for (let i = 0; i < keys.length; i++) {
      let slot = this.#slots.get(keys[i]);
      if (slot === undefined) {
        if (keys.length === 1) {
          slot = this.#addKey(keys[i], lone(place), 1);
          this.operations.cells[place + YOUNGEST] = lone(slot);
          this.#loneWatchers++;
          return;
        }
        slot = this.#addKey(keys[i], NONE, 0);
      } else if (i > 0 && this.#isYoungest(slot, place)) {
        continue; // a key that is given twice
      }
      youngest = this.#watch(slot, place, youngest);
      this.operations.cells[place + YOUNGEST] = youngest; // for each key: the next one may be refused
    }
  }

  /** @throws RangeError from 2^24 keys on, as a Map does. */
  #addKey(key: K, oldest: Slot, watchers: number): Slot {
    const slot = this.keySlab.makeList(oldest, watchers);
    this.keySlab.setValue(slot, key);
    try {
      this.#slots.set(key, slot);
    } catch (error) {
      this.keySlab.cells[slot + COUNT] = 0;
      this.keySlab.remove(slot);
      throw error;
    }
    this.interest?.watched(key as string);
    return slot;
  }

  /** Adds a watch behind the others of a key; `next` is the next one of the same operation. */
  #watch(keySlot: Slot, place: Slot, next: Slot): Slot {
    const watches = this.watches;
    const keys = this.keySlab;
    let oldest = keys.cells[keySlot + OLDEST] as Slot;
    if (oldest < NONE) oldest = this.#joinLone(keySlot, lone(oldest));
    const count = keys.cells[keySlot + COUNT];
    if (count === 0) return this.#watchFirst(keySlot, place, next);
    const watch = watches.push(oldest, keySlot ^ place, next);
    keys.cells[keySlot + COUNT] = count + 1; // behind what memory may be refused to
    return watch;
  }

  #watchFirst(keySlot: Slot, place: Slot, next: Slot): Slot {
    const keys = this.keySlab;
    try {
      const watch = this.watches.makeList(keySlot ^ place, next);
      keys.cells[keySlot + OLDEST] = watch;
      keys.cells[keySlot + COUNT] = 1;
      return watch;
    } catch (error) {
      this.#drop(keySlot);
      throw error;
    }
  }

  /** Gives a lone watcher a watch. */
  #joinLone(keySlot: Slot, place: Slot): Slot {
    const watch = this.watches.makeList(keySlot ^ place, NONE);
    this.keySlab.cells[keySlot + OLDEST] = watch;
    this.operations.cells[place + YOUNGEST] = watch;
    this.#loneWatchers--;
    return watch;
  }

  #isYoungest(keySlot: Slot, place: Slot): boolean {
    const oldest = this.keySlab.cells[keySlot + OLDEST] as Slot;
    return oldest >= 0 && (this.watches.cells[this.watches.prev(oldest) + LINK] ^ keySlot) === place;
  }

  override remove(operation: DelayedOperation): number | undefined {
    const operations = this.operations;
    const place = operation.$place as Slot;
    if (operations.value(place) !== operation) return undefined;
    const stamp = operations.cells[place + STAMP];
    const youngest = operations.cells[place + YOUNGEST] as Slot;
    operations.remove(place);
    if (youngest < NONE) {
      this.#loneWatchers--;
      this.#drop(lone(youngest));
      return stamp;
    }
    for (let watch = youngest; watch !== NONE; ) watch = this.#unwatch(watch, place);
    return stamp;
  }

  /** Takes a watch off its key. Returns the next one of the operation. */
  #unwatch(watch: Slot, place: Slot): Slot {
    const watches = this.watches;
    const keys = this.keySlab;
    const keySlot = (watches.cells[watch + LINK] ^ place) as Slot;
    const next = watches.cells[watch + OLDER] as Slot;
    if (this.nested.length > 0) for (const pass of this.nested) this.#movePass(pass, watch);
    if (this.held.size > 0) this.#moveHeld(keys.value(keySlot) as K, watch);
    const left = keys.cells[keySlot + COUNT] - 1;
    if (left === 0) {
      this.#drop(keySlot);
    } else {
      keys.cells[keySlot + COUNT] = left;
      if (keys.cells[keySlot + OLDEST] === watch) keys.cells[keySlot + OLDEST] = watches.next(watch);
    }
    watches.remove(watch);
    return next;
  }

  #drop(slot: Slot): void {
    const keys = this.keySlab;
    const key = keys.value(slot) as K;
    this.#slots.delete(key);
    keys.cells[slot + COUNT] = 0;
    keys.remove(slot);
    this.interest?.unwatched(key as string);
  }

  /** The cell of `key`, if an operation watches it. Valid until a change. */
  find(key: K): Slot | undefined {
    return this.#slots.get(key);
  }

  /** How many watch the key at `slot`. */
  sizeOf(slot: Slot): number {
    return this.keySlab.cells[slot + COUNT];
  }

  override watchersOf(key: K): number {
    const slot = this.#slots.get(key);
    return slot === undefined ? 0 : this.keySlab.cells[slot + COUNT];
  }

  /** The lone watcher of the key at `slot`, if there is one. */
  loneWatcher(slot: Slot): DelayedOperation | undefined {
    const head = this.keySlab.cells[slot + OLDEST];
    if (head >= 0) return undefined;
    const place = lone(head);
    // What its end needs is read ahead: with very many keys both are far away in memory, and so
    // they are fetched at the same time (`npm run bench -- string-keys`).
    this.prefetched = this.keySlab.value(slot) === undefined ? 0 : this.operations.cells[place + STAMP];
    return this.operations.value(place);
  }

  /** `pass` begins, over the operations that watch its key, at `slot`, now. */
  begin(pass: Pass<K>, slot: Slot): void {
    let next = this.keySlab.cells[slot + OLDEST] as Slot;
    if (next < NONE) next = this.#joinLone(slot, lone(next));
    pass.keySlot = slot;
    pass.nextSlot = next;
    pass.lastSlot = this.watches.prev(next);
    pass.watchers = this.keySlab.cells[slot + COUNT];
  }

  /** The next operation of a pass that is not over: it is still parked. */
  nextOf(pass: Pass<K>): DelayedOperation {
    const watches = this.watches;
    const watch = pass.nextSlot;
    const next = watches.next(watch);
    const place = (watches.cells[watch + LINK] ^ pass.keySlot) as Slot;
    pass.nextSlot = watch === pass.lastSlot ? NONE : next;
    return this.operations.value(place) as DelayedOperation;
  }

  #moveHeld(key: K, removed: Slot): void {
    const pass = this.held.get(key);
    if (pass !== undefined && !pass.isOver) this.#movePass(pass, removed);
  }

  #movePass(pass: Pass<K>, removed: Slot): void {
    const watches = this.watches;
    if (pass.nextSlot === removed) pass.nextSlot = removed === pass.lastSlot ? NONE : watches.next(removed);
    if (pass.lastSlot === removed) pass.lastSlot = watches.prev(removed);
  }

  override operationsOf(key: K, max: number): DelayedOperation[] {
    const slot = this.#slots.get(key);
    if (slot === undefined) return [];
    const only = this.loneWatcher(slot);
    if (only !== undefined) return [only];
    const operations: DelayedOperation[] = [];
    const pass = new Pass(key);
    this.begin(pass, slot);
    while (!pass.isOver && operations.length < max) operations.push(this.nextOf(pass));
    return operations;
  }

  override keysOf(operation: DelayedOperation, max: number): K[] {
    const place = this.placeOf(operation);
    const slots = place === NONE ? [] : this.#slotsOf(place).slice(0, max);
    return slots.map((slot) => this.keySlab.value(slot) as K);
  }

  /** The keys that the operation at `place` watches, in the order in which they were given. */
  #slotsOf(place: Slot): Slot[] {
    const youngest = this.operations.cells[place + YOUNGEST] as Slot;
    if (youngest < NONE) return [lone(youngest)];
    const slots: Slot[] = [];
    for (let watch = youngest; watch !== NONE; watch = this.watches.cells[watch + OLDER] as Slot) {
      slots.push((this.watches.cells[watch + LINK] ^ place) as Slot);
    }
    return slots.reverse();
  }

  override countedKeys(): CountedKey[] {
    const keys = this.keySlab;
    const counted: CountedKey[] = [];
    const length = keys.valueSpan;
    const start = this.#sampled;
    for (let i = 0; i < length && i < MAX_SAMPLE; i++) {
      const index = (start + i) % length;
      const slot = keys.slotAt(index);
      if (keys.cells[slot + COUNT] > 0)
        counted.push({ key: keys.value(slot), watchers: keys.cells[slot + COUNT] });
      this.#sampled = index + 1;
    }
    return counted;
  }

  override allKeys(): IterableIterator<K> {
    return this.#slots.keys();
  }

  override get isSparse(): boolean {
    const { operations } = this;
    const spare = operations.spare + this.keySlab.spare + this.watches.spare;
    return spare > 0 && operations.inUse + this.keySlab.inUse + this.watches.inUse <= MAX_COPIED;
  }

  /** Parks all anew. The old cells say where each key and each watch is now. */
  override compact(): void {
    const oldKeys = this.keySlab;
    const old = this.watches;
    const operations = new Slab<DelayedOperation>(this.size);
    const keys = new Slab<K>(this.keys);
    const watches = new Slab(old.inUse);
    this.keySlab = keys;
    this.watches = watches;
    for (const [key, from] of this.#slots) {
      const slot = keys.makeList(NONE, 0);
      keys.setValue(slot, key);
      this.#slots.set(key, slot);
      oldKeys.cells[from + MOVED_TO] = slot;
    }
    this.moveTo(operations, (own, from, to) => {
      if (own < NONE) {
        const keySlot = oldKeys.cells[lone(own) + MOVED_TO] as Slot;
        keys.cells[keySlot + OLDEST] = lone(to);
        keys.cells[keySlot + COUNT] = 1;
        return lone(keySlot);
      }
      let youngest = NONE;
      let last = NONE;
      for (let watch = own as Slot; watch !== NONE; ) {
        const next = old.cells[watch + OLDER] as Slot;
        const moved = this.#watch(
          oldKeys.cells[(old.cells[watch + LINK] ^ from) + MOVED_TO] as Slot,
          to,
          NONE,
        );
        if (last === NONE) youngest = moved;
        else watches.cells[last + OLDER] = moved;
        old.cells[watch + MOVED_TO] = moved;
        last = moved;
        watch = next;
      }
      return youngest;
    });
    for (const pass of this.held.values()) {
      if (pass.isOver) continue;
      pass.keySlot = oldKeys.cells[pass.keySlot + MOVED_TO] as Slot;
      pass.nextSlot = old.cells[pass.nextSlot + MOVED_TO] as Slot;
      pass.lastSlot = old.cells[pass.lastSlot + MOVED_TO] as Slot;
    }
  }
}
