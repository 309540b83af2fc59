// The loads of the soak, with their share of the time. Slow imports are made by the process that
// runs the load.
import type { Load } from './load.ts';
import { UNITS } from './models/short-units.ts';

export interface LoadEntry {
  readonly what: string;
  /** Its share of the time, relative to the shares of the others. */
  readonly share: number;
  /**
   * How many units there are, for a load that comes to an end. Their seeds are 0, 1, 2 and so on.
   */
  readonly units?: number;
  /** Flags of Node for its process. */
  readonly flags?: readonly string[];
  import(): Promise<Load>;
}

/** A small stack: few frames, and each call is one frame. */
const SMALL_STACK = ['--no-opt', '--no-sparkplug', '--stack-size=200'];

export const loads: Readonly<Record<string, LoadEntry>> = {
  timer: {
    what: 'a SystemTimer beside a sorted list',
    share: 5,
    import: async () => (await import('./models/timer-walk.ts')).load,
  },
  purgatory: {
    what: 'a Purgatory beside a Map of arrays',
    share: 5,
    import: async () => (await import('./models/purgatory-walk.ts')).load,
  },
  short: {
    what: 'every history of five acts on a Purgatory',
    share: 3,
    units: UNITS,
    import: async () => (await import('./models/short-histories.ts')).load,
  },
  properties: {
    what: 'all models of test/property that have a seed',
    share: 3,
    import: async () => (await import('./properties.ts')).load,
  },
  throws: {
    what: 'a throw of every callback in turn',
    share: 1,
    import: async () => (await import('./faults/throws.ts')).load,
  },
  overflows: {
    what: 'a stack that ends at every depth',
    share: 1,
    flags: SMALL_STACK,
    import: async () => (await import('./faults/overflows.ts')).load,
  },
  frames: {
    what: 'a broker under hostile frames',
    share: 2,
    import: async () => (await import('./broker/frames.ts')).load,
  },
  kills: {
    what: 'a broker under SIGKILL',
    share: 4,
    import: async () => (await import('./broker/kills.ts')).load,
  },
  disk: {
    what: 'a broker whose disk is full',
    share: 1,
    import: async () => (await import('./broker/full-disk.ts')).load,
  },
};
