// The states of a bus, and the causes of a gap.

/**
 * Where a bus is. `connecting`: not live yet. `live`: its own echo has come back over the engine.
 * `gap`: it may miss hints, and it keeps the hints that it is to publish. `closed`: for good.
 */
export type BusState = 'connecting' | 'live' | 'gap' | 'closed';

/**
 * Why a bus may have missed hints. `connection`: it failed or broke. `echo`: an echo did not come
 * back in time. `publish`: the engine did not take a frame. `sequence`: a frame of another process
 * is missing.
 */
export type GapCause = 'connection' | 'echo' | 'publish' | 'sequence';
