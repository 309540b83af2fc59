// `purgatory/http`: waits that end when their client has gone.
export { clientSignal } from './client-signal.ts';
export { type ClosingEmitter, closeSignal } from './close-signal.ts';
