// `purgatory/inspector`: a live picture of purgatories and timers in the browser.
export type { NamedSources, Source, Sources } from '../live-sources.ts';
export { createInspector, type Inspector, type InspectorOptions } from './inspector.ts';
export type { ObservedBus, ObservedPurgatory, ObservedTimer } from './shown.ts';
