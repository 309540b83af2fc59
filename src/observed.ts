// The types of sources that are public: `purgatory/metrics` and `purgatory/inspector` export the
// same ones, from here.
export type {
  NamedSources,
  ObservedBus,
  ObservedPurgatory,
  ObservedTimer,
  Source,
  Sources,
} from './sources.ts';
