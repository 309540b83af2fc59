// Ticks: how to get them from milliseconds, and their two int32 halves.
//
// A tick counts tickMs from the clock's origin. It can be as large as a delay, up to 2^53. As one
// number it would be a double, and each digit that a wheel needs would cost a division. In two
// halves, 30 low bits and the rest, a digit costs a shift and a mask. Nothing wraps after 24.8
// days, and nothing has to be rebased.

/** Bits of the low half. With 30, every shift of it is a non-negative int32. */
export const LOW_BITS = 30;
/** How many ticks the low half counts. */
export const LOW_SPAN: number = 2 ** LOW_BITS;

export function highOf(tick: number): number {
  return Math.floor(tick / LOW_SPAN);
}

export function lowOf(tick: number, high: number): number {
  return tick - high * LOW_SPAN;
}

export function tickOf(high: number, low: number): number {
  return high * LOW_SPAN + low;
}

/** The tick that `atMs` is in. */
export function tickAt(atMs: number, tickMs: number): number {
  return tickMs === 1 ? Math.floor(atMs) : dividedDown(atMs, tickMs);
}

/** The first tick that begins at `atMs` or later. */
export function tickFrom(atMs: number, tickMs: number): number {
  return tickMs === 1 ? Math.ceil(atMs) : dividedUp(atMs, tickMs);
}

// Functions of their own, so that V8 inlines the case of the default, 1 ms, into each start.

/** Corrects a quotient that was rounded up to the next integer. */
function dividedDown(atMs: number, tickMs: number): number {
  const tick = Math.floor(atMs / tickMs);
  return tick * tickMs > atMs ? tick - 1 : tick;
}

/** Corrects a quotient that was rounded down to an integer. */
function dividedUp(atMs: number, tickMs: number): number {
  const tick = Math.ceil(atMs / tickMs);
  return tick * tickMs < atMs ? tick + 1 : tick;
}
