// The host, as the inspector sees it: the time, intervals, and how the thread of the event loop
// spent the time.
//
// Ground rules. A fake clock that a test has installed moves none of it: an hour that it jumps over
// is no hour without news. What is measured here is the process itself. Tests of the inspector hand
// in a host of their own.
// Source, Linux: Documentation/scheduler/sched-stats.rst, schedstat of a thread. Elsewhere it is
// the CPU time of the whole process, and the system does not say how long it waited.
import { readFileSync } from 'node:fs';
import { HostDate, host as hostAtImport, hostPerformance } from '../../base/host.ts';

export interface Host {
  /** In ms, since some beginning. */
  now(): number;
  /** In ms, since 1970. */
  wallNow(): number;
  /** Calls `run` every `ms`, and keeps no process alive. Returns a function that ends it. */
  every(ms: number, run: () => void): () => void;
  /** For how long, in ms, the thread has been on a CPU, and has waited for one. Null: unknown. */
  spent(): readonly [ranMs: number, waitedMs: number | null];
}

export const host: Host = {
  now: hostPerformance.now.bind(hostPerformance),
  wallNow: HostDate.now.bind(HostDate),
  every(ms, run) {
    const interval = hostAtImport.setInterval(run, ms).unref();
    return () => hostAtImport.clearInterval(interval);
  },
  spent() {
    try {
      const [ranNs, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
      if (ranNs > 0) return [ranNs / 1e6, waitedNs / 1e6];
    } catch {
      // There is no such file.
    }
    const { user, system } = process.cpuUsage();
    return [(user + system) / 1000, null];
  },
};
