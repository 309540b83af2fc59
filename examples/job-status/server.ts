// Jobs that are started, and awaited, by HTTP on any process.
//
// Ground rules. A job runs in the process that accepted it. Its state is in the store, which all
// processes read. A process first writes, then calls `changed`: the hint goes out once the write
// can be read. A waiter reads nothing: in each process, `load` reads a job once for all its
// waiters.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from 'purgatory/bus';
import { SharedWaits } from 'purgatory/shared';
import { timeoutSignal } from 'purgatory/timers';
import { type Answer, type Exchange, JsonServer, Refused } from '../workers/json-server.ts';
import type { Job, JobStore } from './jobs.ts';

export interface JobServerOptions {
  readonly store: JobStore;
  /** Informs the other processes of changes. Without it, this process is alone. */
  readonly bus?: Bus | undefined;
  /** The name of this process in its answers. */
  readonly worker?: string | undefined;
}

const MAX_SECONDS = 3_600;
const MAX_WAIT_MS = 60_000;
const LOAD_MS = 5_000;
const GRACE_MS = 1_000;
const STEPS = 10;
const ID = /^[0-9a-f-]{36}$/;

export class JobServer {
  readonly waits: SharedWaits<Job>;
  readonly #store: JobStore;
  readonly #stopped = new AbortController();
  readonly #server: JsonServer;

  constructor({ store, bus, worker = `${process.pid}` }: JobServerOptions) {
    this.#store = store;
    this.#server = new JsonServer((exchange) => this.#answer(exchange), {
      headers: { 'x-worker': worker },
      graceMs: GRACE_MS,
    });
    this.waits = new SharedWaits<Job>('jobs', {
      ...(bus === undefined ? {} : { bus }),
      maxParked: 100_000,
      // A store that hangs must not hold the jobs of this load for ever.
      load: async (ids, { signal }) => {
        using deadline = timeoutSignal(LOAD_MS, { signal });
        return await Promise.race([store.read(ids, { signal: deadline }), aborted(deadline)]);
      },
      retry: true,
      onError: (error, ids) => console.error(`${ids.length} jobs could not be read: ${error}`),
    });
  }

  /** Listens on the loopback interface; returns the port. */
  listen(port: number): Promise<number> {
    return this.#server.listen(port);
  }

  /** Answers all waiters with 503, stops the jobs of this process, and ends. */
  close(): Promise<void> {
    this.waits.close();
    this.#stopped.abort();
    return this.#server.close();
  }

  async #answer({ request, url, signal }: Exchange): Promise<Answer> {
    const { pathname, searchParams } = url;
    const [, jobs, id = '', ...more] = pathname.split('/');
    if (jobs !== 'jobs' || more.length > 0) throw new Refused(404, `no ${pathname} here`);
    if (request.method === 'POST' && id === '') return [201, await this.#post(searchParams)];
    if (request.method === 'GET' && ID.test(id)) return await this.#get(id, searchParams, signal);
    throw new Refused(404, `no ${request.method} ${pathname} here`);
  }

  /** Starts a job and answers at once, with its first version. */
  async #post(query: URLSearchParams): Promise<Job> {
    const ms = number(query, 'seconds', 2, MAX_SECONDS) * 1_000;
    const job: Job = { id: randomUUID(), state: 'running', progress: 0, version: 1 };
    await this.#write(job);
    this.#run(job, ms).catch((error) => {
      if (!this.#stopped.signal.aborted) console.error(`job ${job.id}: ${error}`);
    });
    return job;
  }

  /** The work: it takes its time and says how far it has got. */
  async #run(job: Job, ms: number): Promise<void> {
    const { signal } = this.#stopped;
    for (let step = 1; step <= STEPS; step++) {
      await sleep(ms / STEPS, undefined, { signal });
      const state = step === STEPS ? 'done' : 'running';
      await this.#write({ ...job, state, progress: (100 * step) / STEPS, version: job.version + step });
    }
  }

  async #write(job: Job): Promise<void> {
    await this.#store.write(job);
    this.waits.changed(job.id); // after the write: who is told must be able to read it
  }

  /**
   * The job once it has ended or, with `state=any`, once it has the version `version`. A client
   * that has written or seen a version and asks for it never gets an earlier state, whichever
   * process answers. At the deadline: the job as it is, with status 202.
   */
  async #get(id: string, query: URLSearchParams, signal: AbortSignal): Promise<Answer> {
    const least = number(query, 'version', 0, Number.MAX_SAFE_INTEGER);
    const timeoutMs = number(query, 'wait', 25_000, MAX_WAIT_MS);
    const isAny = query.get('state') === 'any';
    const result = await this.waits.waitUntil(
      id,
      (job) => {
        if (job === undefined) return least === 0 ? 'unknown' : undefined;
        return job.version >= least && (isAny || job.state !== 'running') ? job : undefined;
      },
      { timeoutMs, signal },
    );
    if (result.expired) {
      const { state: job } = result;
      return [202, job !== undefined && job.version >= least ? job : { id, state: 'unknown' }];
    }
    if (result.value === 'unknown') throw new Refused(404, `there is no job ${id}`);
    return [200, result.value];
  }
}

function number(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const given = query.get(name);
  if (given === null) return fallback;
  const value = Number(given);
  if (/^\d{1,16}(\.\d+)?$/.test(given) && value <= max) return value;
  throw new Refused(400, `${name} must be a number from 0 to ${max}`);
}

/** Rejects with the reason of `signal` when it aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
