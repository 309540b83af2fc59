// Ticks: from milliseconds, and as two int32 halves, which is how a wheel reckons without limits and without doubles.
//
// A tick counts tickMs from the clock's origin and can be as large as a delay may be (2^53). In one number it would be a
// double, and the digits that a wheel needs would cost a division each. In two halves, 30 low bits and the rest, each digit is
// a shift and a mask, for ever: nothing wraps after 24.8 days and nothing is ever rebased.

/** Bits of the low half: with 30, any shift of it stays a non-negative int32. */
export const LOW_BITS = 30;
/** Ticks that the low half counts before the high half goes on by one. */
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

/** The tick that `atMs` lies in. */
export function tickAt(atMs: number, tickMs: number): number {
  return tickMs === 1 ? Math.floor(atMs) : dividedDown(atMs, tickMs);
}

/** The first tick that begins at `atMs` or later. */
export function tickFrom(atMs: number, tickMs: number): number {
  return tickMs === 1 ? Math.ceil(atMs) : dividedUp(atMs, tickMs);
}

// Functions of their own: a start inlines the ticks of 1 ms, the default, and what it does not need must not stand in the way.

/** The correction is for a quotient that was rounded up to the next integer. */
function dividedDown(atMs: number, tickMs: number): number {
  const tick = Math.floor(atMs / tickMs);
  return tick * tickMs > atMs ? tick - 1 : tick;
}

/** The correction is for a quotient that was rounded down to an integer. */
function dividedUp(atMs: number, tickMs: number): number {
  const tick = Math.ceil(atMs / tickMs);
  return tick * tickMs < atMs ? tick + 1 : tick;
}
