// What a job is, and what a place to keep jobs must do.

export interface Job {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed';
  /** In percent. */
  readonly progress: number;
  /**
   * Counts the writes of this job: who has seen one version does not want to see an earlier one.
   */
  readonly version: number;
}

/** Where jobs are kept: all processes read and write the same place. */
export interface JobStore {
  /**
   * The jobs of `ids` that there are. One call reads many: that is what makes a hundred thousand
   * waiters cheap.
   */
  read(ids: readonly string[], options: { signal: AbortSignal }): Promise<ReadonlyMap<string, Job>>;
  /** When it resolves, every process can read it. */
  write(job: Job): Promise<void>;
}
