// Lists of the cells of one memory: rings, each with a sentinel.
//
// Ground rules. A list is a ring of cells: a sentinel and the members. So a cell leaves its list
// without a search, without an allocation, and without the list. A cell has two integers for its
// owner, `a` and `b`. A Slot is the offset of a cell. It is valid until the cell is removed or moves
// (`moveDown`), and nobody keeps one for longer. Only the owner writes the lists.
//
// Layout. Four int32 for each cell (next, prev, a, b), side by side: a cell is in one cache line,
// and the collector sees none of it.
//
// Costs. push, remove, moveTo, splice, moveDown: O(1).
import { mustHold } from '../must-hold.ts';
import { CellMemory, type Slot, STRIDE_BITS } from './cell-memory.ts';

export const NEXT = 0;
export const PREV = 1;
export const A = 2;
export const B = 3;

export abstract class Rings extends CellMemory {
  /** Makes an empty list, whose sentinel has `a` and `b`. O(1) amortised. */
  makeList(a: number, b: number): Slot {
    const slot = this.allocate();
    const cells = this.cells;
    cells[slot + NEXT] = slot;
    cells[slot + PREV] = slot;
    cells[slot + A] = a;
    cells[slot + B] = b;
    return slot;
  }

  /** Adds a new cell with `a` and `b` as the last of `list`. O(1) amortised. */
  push(list: Slot, a: number, b: number): Slot {
    const slot = this.allocate();
    const cells = this.cells;
    const last = cells[list + PREV];
    cells[slot + NEXT] = list;
    cells[slot + PREV] = last;
    cells[slot + A] = a;
    cells[slot + B] = b;
    cells[last + NEXT] = slot;
    cells[list + PREV] = slot;
    return slot;
  }

  /**
   * Takes a cell out of whatever list it is in and gives it back; the owner clears its value,
   * before or at once after. All or nothing: the one call that may overflow the stack comes first.
   * O(1).
   */
  remove(slot: Slot): void {
    this.free.give(slot >> STRIDE_BITS);
    const cells = this.cells;
    const next = cells[slot + NEXT];
    const prev = cells[slot + PREV];
    cells[prev + NEXT] = next;
    cells[next + PREV] = prev;
    this.used--;
  }

  /** Moves a cell from its list to the end of `list`. */
  moveTo(list: Slot, slot: Slot): void {
    const cells = this.cells;
    const next = cells[slot + NEXT];
    const prev = cells[slot + PREV];
    cells[prev + NEXT] = next;
    cells[next + PREV] = prev;
    const last = cells[list + PREV];
    cells[slot + NEXT] = list;
    cells[slot + PREV] = last;
    cells[last + NEXT] = slot;
    cells[list + PREV] = slot;
  }

  /** Moves all of `from`, in order, behind the last of `to`. O(1). */
  splice(from: Slot, to: Slot): void {
    const cells = this.cells;
    const first = cells[from + NEXT];
    if (first === from) return;
    const last = cells[from + PREV];
    const end = cells[to + PREV];
    cells[end + NEXT] = first;
    cells[first + PREV] = end;
    cells[last + NEXT] = to;
    cells[to + PREV] = last;
    cells[from + NEXT] = from;
    cells[from + PREV] = from;
  }

  isEmpty(list: Slot): boolean {
    return this.cells[list + NEXT] === list;
  }

  next(slot: Slot): Slot {
    return this.cells[slot + NEXT] as Slot;
  }

  prev(slot: Slot): Slot {
    return this.cells[slot + PREV] as Slot;
  }

  a(slot: Slot): number {
    return this.cells[slot + A];
  }

  b(slot: Slot): number {
    return this.cells[slot + B];
  }

  setA(slot: Slot, a: number): void {
    this.cells[slot + A] = a;
  }

  setB(slot: Slot, b: number): void {
    this.cells[slot + B] = b;
  }

  /** Moves a cell to where memory stays. The owner must rewrite its slot. O(1). */
  moveDown(slot: Slot): Slot {
    const to = this.allocate(); // first: it may overflow the stack
    const cells = this.cells;
    const next = cells[slot + NEXT];
    const isAlone = next === slot;
    const prev = cells[slot + PREV];
    cells[to + NEXT] = isAlone ? to : next;
    cells[to + PREV] = isAlone ? to : prev;
    cells[to + A] = cells[slot + A];
    cells[to + B] = cells[slot + B];
    if (!isAlone) {
      cells[prev + NEXT] = to;
      cells[next + PREV] = to;
    }
    this.free.give(slot >> STRIDE_BITS);
    this.used--;
    return to;
  }

  /**
   * Throws unless `list` is a sound ring of cells in use. Returns its members in order. For tests:
   * O(members).
   */
  check(list: Slot): Slot[] {
    const members: Slot[] = [];
    let slot = list;
    do {
      const next = this.next(slot);
      mustHold(this.prev(next) === slot, `the ring of ${list} breaks between ${slot} and ${next}`);
      mustHold(!this.free.has(next >> STRIDE_BITS), `the ring of ${list} has the free cell ${next}`);
      if (next !== list) members.push(next);
      mustHold(members.length <= this.used, `the ring of ${list} has more cells than are in use`);
      slot = next;
    } while (slot !== list);
    return members;
  }
}
