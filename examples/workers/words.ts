// The messages between a worker and its primary, and the output once all are ready.

export interface Ready {
  readonly port: number;
  readonly pid: number;
  /** The address of the inspector of this process. */
  readonly inspector: string | undefined;
}

export interface Word {
  /** The worker serves. */
  readonly ready?: Ready;
  /** The worker cannot serve, for this reason. */
  readonly refused?: string;
  /** The primary wants it to end. */
  readonly stop?: true;
}

/** The processes in the order of their numbers. */
export function announce(processes: readonly Ready[], help: (url: string) => string): void {
  const url = `http://127.0.0.1:${processes[0].port}`;
  console.log(`ready ${url}\n${help(url)}`);
  for (const [i, { pid, inspector }] of processes.entries()) {
    if (processes.length > 1) console.log(`worker ${i + 1} is process ${pid}`);
    if (inspector !== undefined) console.log(`inspector of process ${pid}: ${inspector}`);
  }
}
