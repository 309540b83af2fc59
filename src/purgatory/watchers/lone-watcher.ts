// A lone watcher: an operation that watches one key, and is the only one that watches it. A request
// that waits for its correlation id is one.
//
// Ground rules. It needs no watch list. The head of its key leads to its place, and its cell leads
// to the id of the key. Both stand where the slot of a list or of a watch would stand otherwise, so
// both are numbers below NONE.
import { NONE, type Slot } from '../../slab/slab.ts';

declare const headBrand: unique symbol;
declare const keyBrand: unique symbol;

/** The head of a key with a lone watcher: tells its place. */
export type LoneHead = number & { readonly [headBrand]: true };

/** What the cell of a lone watcher has in place of its first watch: tells the id of its key. */
export type OwnKey = number & { readonly [keyBrand]: true };

/** What a key leads to: its watch list, or its lone watcher. */
export type Head = Slot | LoneHead;

/** What a parked operation leads to: the first of its watches, or its own key. */
export type FirstWatch = Slot | OwnKey;

export const loneHead = (place: Slot): LoneHead => (-2 - place) as LoneHead;

export const placeOf = (head: LoneHead): Slot => (-2 - head) as Slot;

export const ownKey = (id: number): OwnKey => (-2 - id) as OwnKey;

export const idOf = (key: OwnKey): number => -2 - key;

export const isLone = (head: Head): head is LoneHead => head < NONE;

export const isOwnKey = (first: FirstWatch): first is OwnKey => first < NONE;
