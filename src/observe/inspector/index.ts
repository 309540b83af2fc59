// `purgatory/inspector`: a live picture of purgatories and timers in the browser.
export type * from '../sources.ts';
export { createInspector, type Inspector, type InspectorOptions } from './inspector.ts';
