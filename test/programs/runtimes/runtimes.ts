// The runtimes that the package promises to work on, and what each of them is asked to pass.
//
// Ground rules. A runtime is asked for what may differ there: its timers, turns, sockets, workers and
// clients of engines, and the engine and its waits, which live by them. What only computes, such as the
// frames of a bus, the models and the text of metrics, is the same on all: Node 20 runs it, in
// `npm test`. Node 22 lies between two that pass the pure tests and those of buses over engines, so it
// is asked for the others. (The workflow runs all kinds on all three.) docs/runtimes.md gives users the
// same reasons.

/** A runtime, and the mocha files that it is to pass. */
export interface Runtime {
  readonly name: string;
  /** The program inside node_modules of this folder, then the arguments in front of mocha's. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Globs of test files, from the root of the repository. */
  readonly specs: readonly string[];
  /** Globs of files that are left out, and why. */
  readonly skippedFiles: Readonly<Record<string, string>>;
  /** Titles of tests that are left out, and why. */
  readonly skippedTests: Readonly<Record<string, string>>;
  /** How many files run side by side. Node's runs last longest. */
  readonly jobs: number;
  /** What mocha must load first. Bun and Deno read TypeScript by themselves. */
  readonly requires: readonly string[];
}

const CONTRACT = [
  'test/{clock,slab,timer,turns,purgatory,waits,observe/events}/**/*.test.ts',
  'test/host/{bus,clock,timer,turns,waits}/**/*.test.ts',
  'test/engines/{bus,waits}/**/*.test.ts',
  'test/host/debuglog.test.ts',
  'test/host/fake-clocks.test.ts',
  'test/host/liveness.test.ts',
];

const NOT_CORE = {
  'test/examples/**': 'whole servers',
  'test/engines/observe/{inspector/page*,metrics/**}': 'a browser, and the rules of Prometheus',
  'test/{bench,programs}/**': 'benchmarks, faults and a soak',
  'test/docs/{contract,links,operations}.test.ts': 'pages, which are read and not run',
  'test/simulation/**': 'a world that has none of the host',
  'test/{base,bus,property,types,observe/{inspector,metrics}}/**': 'what only computes',
};

/** The wheels of the papers, which have no clock of their own, and what is counted. */
const COMPUTES = { 'test/{waits/schemes,*/telemetry}/**': 'what only computes' };

const COMPARED_WITH_NODE = {
  'test/host/waits/timers/timers.test.ts':
    'compares the drop-in with the runtime’s own timers, which differ from Node’s',
  'test/host/waits/timers/promises.test.ts':
    'compares the drop-in with the runtime’s own timers, which differ from Node’s',
};

const COUNTS_NODES_IMMEDIATES = {
  'test/clock/{later,due-wake-ups}.test.ts': 'counts Node’s immediates, and Bun names none',
  'test/waits/timers/drained-turns.test.ts': 'counts Node’s immediates, and Bun names none',
};

function node(major: number, specs: string): Runtime {
  return {
    name: `Node ${major}`,
    command: [`node${major}/bin/node`],
    specs: [specs],
    skippedFiles: { ...NOT_CORE, ...COMPUTES },
    skippedTests: {},
    jobs: 3,
    requires: ['tsx/esm'],
  };
}

const bun: Runtime = {
  name: 'Bun',
  command: ['.bin/bun', '--bun'],
  specs: CONTRACT,
  skippedFiles: { ...COMPUTES, ...COMPARED_WITH_NODE, ...COUNTS_NODES_IMMEDIATES },
  skippedTests: {
    'is not kept in memory by what it parked': 'Bun’s microtasks hold their context longer',
    'A tool that looks for open handles': 'Bun names no resource that is open',
  },
  jobs: 1,
  requires: [],
};

const READS_SELDOM = 'Deno seldom reads its sockets between immediates';

const deno: Runtime = {
  name: 'Deno',
  command: ['.bin/deno', 'run', '--allow-all'],
  specs: CONTRACT,
  skippedFiles: {
    ...COMPUTES,
    ...COMPARED_WITH_NODE,
    'test/host/timer/system-timer-stood-still.test.ts': READS_SELDOM,
  },
  skippedTests: {
    'when performance.now alone is a stub': 'Deno’s own timers go by performance.now',
    'is aborted from the start for a Worker that has ended': 'its threadId stays as it was (Deno 2.9.6)',
    'let the host read its sockets between two slices': READS_SELDOM,
  },
  jobs: 1,
  requires: [],
};

/** jest, vitest and vite are no runtimes. They run the recipes that docs/ has for them, on Node. */
const runners: Runtime = {
  name: 'Runners',
  command: ['node22/bin/node'],
  specs: ['test/programs/runtimes/runners.ts'],
  skippedFiles: {},
  skippedTests: {},
  jobs: 1,
  requires: ['tsx/esm'],
};

export const runtimes: readonly Runtime[] = [
  node(22, 'test/{host,engines/!(bus)}/**/*.test.ts'),
  node(24, 'test/**/*.test.ts'),
  bun,
  deno,
  runners,
];
