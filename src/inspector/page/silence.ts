// When the server says nothing: for how long, and how long it was once it speaks again. Pure.
//
// A frame comes every quarter of a second. A server whose process is stopped, or whose event loop is blocked, keeps its connections: nothing but
// the silence tells.
import type { Frame, HostTime } from '../frame.ts';

/** From so many ms on a silence is told. */
const SILENT_MS = 2000;

/** A silence that is over. */
export interface Hang {
  readonly forMs: number;
  /** The end of it: the server's time of the first frame after it. */
  readonly atMs: number;
  readonly wallMs: number;
  /** How the process spent it; undefined: it went on, and only its frames did not come. */
  readonly host: HostTime | undefined;
}

interface Heard {
  readonly frames: readonly Frame[];
  readonly heardMs: number | undefined;
  readonly openedMs: number;
  readonly nowMs: number;
}

/** How long nothing was heard while the page listened. */
export function silenceOf({ heardMs, openedMs, nowMs }: Omit<Heard, 'frames'>): number {
  return nowMs - Math.max(heardMs ?? openedMs, openedMs);
}

export function isSilent(heard: Omit<Heard, 'frames'>): boolean {
  return silenceOf(heard) >= SILENT_MS;
}

/** The silence that ends with `frame` now; undefined when it was none, or the page did not listen all the time. */
export function hangOf(heard: Heard, frame: Frame): Hang | undefined {
  const { frames, heardMs, openedMs } = heard;
  const last = frames.at(-1);
  if (last === undefined || heardMs === undefined || heardMs < openedMs || !isSilent(heard)) return undefined;
  const stoodMs = frame.atMs - last.atMs;
  const { atMs, wallMs, host } = frame;
  return stoodMs >= SILENT_MS
    ? { forMs: stoodMs, atMs, wallMs, host }
    : { forMs: silenceOf(heard), atMs, wallMs, host: undefined };
}
