/** The words that the harness, the workloads and the report share. */

/**
 * The result of one child: one number a metric, in the workload's unit, averaged over all that it
 * ran.
 */
export type Measured = Record<string, number>;

/**
 * The measurements of one system at one size: for each metric a list of values, one value a round.
 */
export interface Measurement {
  system: string;
  size: number;
  metrics: Record<string, number[]>;
  /** Why its process ended without a figure: then it has no further round. */
  failed?: string;
}

/** How much one child is to do. */
export interface Run {
  /** How many timers or operations are resident, or whatever the workload's `sizeLabel` says. */
  size: number;
  /** Do a fifth or less: for `--quick` and for the test that keeps the bench from rotting. */
  quick: boolean;
}

/** One system under one workload, alone in a process of its own. */
export type System = (run: Run) => Measured | Promise<Measured>;

/** What a row must meet. With both given, both. */
export interface Limit {
  /** Ours divided by the peer's. */
  ratio?: number;
  /** Ours, in the metric's unit. */
  value?: number;
}

/** One line of the table: ours at one size and metric, compared with a peer, a figure, or both. */
export interface Row {
  title: string;
  size: number;
  metric: string;
  /** The system measured. Default `purgatory`. */
  system?: string;
  peer?: string;
  /** The size of the peer, if it differs: ours against ours shows how flat a cost is. */
  peerSize?: number;
  /** True where more is better: a throughput. */
  higherIsBetter?: boolean;
  unit?: string;
  bar?: Limit;
  aim?: Limit;
}

export interface Workload {
  /** Also the file name of its results. */
  name: string;
  title: string;
  unit: string;
  sizeLabel: string;
  sizes: { full: readonly number[]; quick: readonly number[] };
  systems: Record<string, System>;
  rows: readonly Row[];
  /** Flags for `node` in the children, `--expose-gc` say. */
  nodeFlags?: readonly string[];
  /**
   * Rounds of a full run without `--rounds`. Default 3. Fewer where a child takes long or its
   * figures hardly vary.
   */
  rounds?: number;
  /** False: `--quick` leaves it out, unless it is named. */
  isQuick?: boolean;
  /** A system can be left out where it would take for ever, or means nothing. */
  runs?: (system: string, size: number) => boolean;
}
