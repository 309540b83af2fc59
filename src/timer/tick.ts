// From milliseconds to ticks. A tick counts tickMs from the clock's origin. It is a whole number in
// a double, and as large as a delay, up to 2^53 and beyond.

/** The tick that `atMs` is in. */
export function tickAt(atMs: number, tickMs: number): number {
  return tickMs === 1 ? Math.floor(atMs) : dividedDown(atMs, tickMs);
}

/** The first tick that begins at `atMs` or later. */
export function tickFrom(atMs: number, tickMs: number): number {
  return tickMs === 1 ? Math.ceil(atMs) : -dividedDown(-atMs, tickMs);
}

/**
 * Corrects a quotient that was rounded up to the next integer. A function of its own, so that V8
 * inlines the case of the default, 1 ms, into each start.
 */
function dividedDown(atMs: number, tickMs: number): number {
  const tick = Math.floor(atMs / tickMs);
  return tick * tickMs > atMs ? tick - 1 : tick;
}
