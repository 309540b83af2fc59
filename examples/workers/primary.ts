// The primary of N workers. It serves no requests. It forks, replaces workers that die, and ends
// all when it is told to.
//
// Ground rules. A replaced worker keeps its number. Before all are ready for the first time, a
// worker that refuses ends them all: the command line is wrong, or the engine is not there.
// Afterwards it is started again, once a second.
import cluster, { type Worker } from 'node:cluster';
import { announce, type Ready, type Word } from './words.ts';

/** A worker that dies younger than this is replaced after this time. */
const LEAST_LIFE_MS = 1_000;
const STOP_MS = 5_000;

export class Primary {
  readonly #size: number;
  readonly #help: (url: string) => string;
  readonly #workers = new Map<number, Worker>();
  readonly #ready = new Map<number, Ready>();
  #isAnnounced = false;
  #isStopping = false;

  constructor(size: number, help: (url: string) => string) {
    this.#size = size;
    this.#help = help;
    for (let number = 1; number <= size; number++) this.#fork(number);
  }

  #fork(number: number): void {
    if (this.#isStopping) return;
    const bornMs = Date.now();
    const worker = cluster.fork({ WORKER: `${number}` });
    this.#workers.set(number, worker);
    worker.on('message', ({ ready, refused }: Word) => {
      if (ready !== undefined) this.#isReady(number, ready);
      if (refused !== undefined) this.#refused(number, refused);
    });
    worker.on('error', () => {}); // a word that came too late for it: its exit follows
    worker.on('exit', (code, signal) => {
      if (this.#isStopping) return;
      console.log(`worker ${number} has died of ${signal ?? `exit code ${code}`}`);
      const lifeMs = Date.now() - bornMs;
      setTimeout(() => this.#fork(number), lifeMs < LEAST_LIFE_MS ? LEAST_LIFE_MS : 0);
    });
  }

  #isReady(number: number, ready: Ready): void {
    this.#ready.set(number, ready);
    if (this.#isAnnounced) {
      console.log(`worker ${number} is back, process ${ready.pid}`);
      if (ready.inspector !== undefined) console.log(`inspector of process ${ready.pid}: ${ready.inspector}`);
    } else if (this.#ready.size === this.#size) {
      this.#isAnnounced = true;
      announce(
        Array.from({ length: this.#size }, (_, i) => this.#ready.get(i + 1) as Ready),
        this.#help,
      );
    }
  }

  #refused(number: number, why: string): void {
    if (this.#isAnnounced) {
      console.log(`worker ${number} cannot serve: ${why}`);
      return;
    }
    if (this.#isStopping) return;
    this.#isStopping = true;
    console.error(why);
    for (const worker of this.#workers.values()) worker.process.kill('SIGKILL');
    process.exit(1);
  }

  /** Ends all workers, then this process. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const worker of this.#workers.values()) {
      if (worker.isConnected()) worker.send({ stop: true } satisfies Word);
    }
    const killAll = (): void => {
      for (const worker of this.#workers.values()) worker.process.kill('SIGKILL');
    };
    const grace = setTimeout(killAll, STOP_MS);
    cluster.disconnect(() => {
      clearTimeout(grace);
      process.exit(0);
    });
  }
}
