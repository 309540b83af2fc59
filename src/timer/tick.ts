// From milliseconds to ticks. A tick counts tickMs from the clock's origin. It is a whole number in
// a double, and as large as a delay, up to 2^53 and beyond.

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
