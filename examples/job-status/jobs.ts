// A job, and the interface of a place that keeps jobs.

export interface Job {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed';
  /** In percent. */
  readonly progress: number;
  /**
   * Counts the writes of this job. A client that has seen one version must not get an earlier one.
   */
  readonly version: number;
}

/** Where jobs are kept: all processes read and write the same place. */
export interface JobStore {
  /**
   * The jobs of `ids` that exist. One call reads many jobs: this makes a hundred thousand waiters
   * cheap.
   */
  read(ids: readonly string[], options: { signal: AbortSignal }): Promise<ReadonlyMap<string, Job>>;
  /** When it resolves, every process can read it. */
  write(job: Job): Promise<void>;
}
