// How long the server has been silent, and how long a silence was once it has ended. Pure.
//
// A frame comes every quarter of a second. A server whose process is stopped, or whose event loop
// is blocked, keeps its connections. Only the silence shows that it hangs.
import type { Frame, HostTime, Second } from '../../frame.ts';
import { type HeldUp, heldUpAt } from './standstill.ts';

/** From this length on, in ms, a block of the event loop is told as a silence of the server. */
export const SILENT_MS = 2000;

/** A silence that has ended. */
export interface Hang {
  readonly forMs: number;
  /** Its end: the server's time of the first frame after it. */
  readonly atMs: number;
  readonly wallMs: number;
  /** What the process did meanwhile. Undefined: it went on, and only its frames did not arrive. */
  readonly host: HostTime | undefined;
  /** The events that were under way when it began. */
  readonly heldUp: readonly HeldUp[];
  /** It ended before this page listened: the server's history tells it. */
  readonly isRecorded?: boolean;
}

/** What the server sent, as far as this page has it. */
export interface Told {
  readonly frames: readonly Frame[];
  readonly seconds: readonly Second[];
  /** The last silence of the server whose end this page has seen. */
  readonly hang: Hang | undefined;
}

/** When the page heard of the server, by the page's clock. */
export interface Heard {
  /** When the last frame arrived, and since when this page listens. */
  readonly heardMs: number | undefined;
  readonly openedMs: number;
  readonly nowMs: number;
}

/** How long no frame arrived while the page listened. */
export function silenceOf({ heardMs, openedMs, nowMs }: Heard): number {
  return nowMs - Math.max(heardMs ?? openedMs, openedMs);
}

export function isSilent(heard: Heard): boolean {
  return silenceOf(heard) >= SILENT_MS;
}

/**
 * The silence that `frame` ends now. Undefined when there was none, or when the page did not listen
 * all the time.
 */
export function hangOf(heard: Heard & Pick<Told, 'frames'>, frame: Frame): Hang | undefined {
  const { frames, heardMs, openedMs } = heard;
  const last = frames.at(-1);
  if (last === undefined || heardMs === undefined || heardMs < openedMs || !isSilent(heard)) return undefined;
  const stoodMs = frame.atMs - last.atMs;
  const { atMs, wallMs, host } = frame;
  return stoodMs >= SILENT_MS
    ? { forMs: stoodMs, atMs, wallMs, host, heldUp: heldUpAt(frame) }
    : { forMs: silenceOf(heard), atMs, wallMs, host: undefined, heldUp: [] };
}

/**
 * The last silence: the one that this page heard, or a later one of the server's history, which
 * this page did not hear because it was opened afterwards or was hidden. `frames` is not empty.
 */
export function latestHang({ frames, seconds, hang }: Told): Hang | undefined {
  const second = seconds.findLast(({ host }) => host.blockedMs >= SILENT_MS);
  if (second === undefined) return hang;
  const { wallMs, host } = second;
  const last = frames[frames.length - 1];
  const atMs = last.atMs - (last.wallMs - wallMs);
  // The second of a silence ends up to a second after it.
  if (hang !== undefined && hang.atMs > atMs - SILENT_MS) return hang;
  return { forMs: host.blockedMs, atMs, wallMs, host, heldUp: heldUpAt(second), isRecorded: true };
}
