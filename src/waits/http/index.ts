// `purgatory/http`: waits that end when their HTTP client has gone.
export { clientSignal } from './client-signal.ts';
