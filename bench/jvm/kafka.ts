/**
 * The table of bench/jvm/kafka.sh, which compiles KafkaBench.java:
 * `kafka CLASSPATH [WORKLOAD ...] [--quick]`. Each side runs alone in a process of its own, pinned to
 * one core; sides and rows are interleaved round by round. Kafka runs with two collectors, and the
 * better one counts.
 */
import { execFile } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import { figure } from '../harness/report.ts';
import { pinned, runChild } from '../harness/runner.ts';
import { median } from '../harness/statistics.ts';
import type { Measured } from '../harness/types.ts';
import { workloads } from '../workloads.ts';

interface Pair {
  workload: string;
  size: number;
  /** Ours, by the names of the workload in bench/. */
  systems?: readonly string[];
  metrics: readonly { metric: string; title: string; unit: string; higherIsBetter?: boolean }[];
}

const step = (title: string): Pair['metrics'] => [{ metric: 'step', title, unit: 'ns' }];

const pairs: readonly Pair[] = [
  { workload: 'steady', size: 1_000, metrics: step('start one, cancel the oldest') },
  { workload: 'steady', size: 100_000, metrics: step('start one, cancel the oldest') },
  { workload: 'steady', size: 1_000_000, metrics: step('start one, cancel the oldest') },
  { workload: 'churn', size: 1_000_000, metrics: step('start one, cancel it at once') },
  {
    workload: 'due',
    size: 1_000_000,
    metrics: [
      { metric: 'step', title: 'start and expire', unit: 'ns' },
      { metric: 'p50 lateness', title: 'the same: p50 lateness', unit: 'ms' },
      { metric: 'early', title: 'the same: run before their time', unit: '%' },
    ],
  },
  { workload: 'park-complete', size: 10_000, metrics: step('park on 3 of 100 keys, complete the oldest') },
  { workload: 'park-complete', size: 1_000_000, metrics: step('park on 3 of 100 keys, complete the oldest') },
  {
    workload: 'string-keys',
    size: 100_000,
    metrics: [
      { metric: 'park', title: 'a string key each: park', unit: 'ns' },
      { metric: 'complete', title: 'a string key each: complete', unit: 'ns' },
    ],
  },
  { workload: 'scan', size: 100_000, metrics: [{ metric: 'all', title: 'one key, all ready', unit: 'ns' }] },
  {
    workload: 'vain',
    size: 100_000,
    metrics: [{ metric: 'pass', title: 'one key, none ready', unit: 'ns' }],
  },
  {
    workload: 'load-max',
    size: 100,
    metrics: [
      { metric: 'operations/s', title: 'Kafka’s load model', unit: '/s', higherIsBetter: true },
      { metric: 'MB resident', title: 'the same: memory of the process', unit: 'MB' },
    ],
  },
  {
    workload: 'memory',
    size: 100_000,
    systems: ['purgatory: task', 'purgatory: operation'],
    metrics: [
      { metric: 'task', title: 'a pending timer', unit: 'B' },
      { metric: 'operation', title: 'a parked operation with 3 keys', unit: 'B' },
    ],
  },
];

const collectors = { G1: '-XX:+UseG1GC', Serial: '-XX:+UseSerialGC' } as const;
type Side = keyof typeof collectors | 'purgatory';
const sides: readonly Side[] = ['G1', 'Serial', 'purgatory'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const [classpath, ...names] = positionals;
const chosen = pairs.filter(({ workload }) => names.length === 0 || names.includes(workload));
if (classpath === undefined || chosen.length === 0)
  throw new RangeError(`there are ${[...new Set(pairs.map(({ workload }) => workload))].join(', ')}`);

async function runKafka(collector: keyof typeof collectors, { workload, size }: Pair): Promise<Measured> {
  const java = ['java', collectors[collector], '-Xmx4g', '-cp', classpath, 'KafkaBench', workload, `${size}`];
  const [program, ...args] = pinned ? ['taskset', '-c', '0', ...java] : java;
  const { stdout } = await promisify(execFile)(program, args);
  // Kafka's logger may print before it.
  return JSON.parse(stdout.trim().split('\n').at(-1) as string) as Measured;
}

async function runOurs({ workload: name, size, systems = ['purgatory'] }: Pair): Promise<Measured> {
  const workload = workloads.find((each) => each.name === name)!;
  const all: Measured = {};
  for (const system of systems) Object.assign(all, await runChild(workload, system, size, false));
  return all;
}

const results = chosen.map((pair) => ({
  pair,
  rounds: { G1: [], Serial: [], purgatory: [] } as Record<Side, Measured[]>,
}));
for (let round = 0; round < (values.quick ? 1 : 3); round++) {
  for (const { pair, rounds } of results) {
    for (const side of sides)
      rounds[side].push(side === 'purgatory' ? await runOurs(pair) : await runKafka(side, pair));
  }
}

console.log(`${cpus()[0].model.trim()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`);
console.log('| what | of | Kafka, G1 | Kafka, Serial | purgatory | times as good | per round |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const { pair, rounds } of results) {
  for (const { metric, title, unit, higherIsBetter = false } of pair.metrics) {
    const [g1, serial, ours] = sides.map((side) => median(rounds[side].map((measured) => measured[metric])));
    const kafka = higherIsBetter ? Math.max(g1, serial) : Math.min(g1, serial);
    const times = higherIsBetter ? ours / kafka : kafka / ours;
    const figures = [g1, serial, ours].map((value) => figure(value, unit)).join(' | ');
    const last = Number.isFinite(times) && unit !== '%' ? times.toFixed(2) : '-';
    const each = rounds.purgatory.map((our, round) => {
      const kafkas = [rounds.G1[round][metric], rounds.Serial[round][metric]];
      return higherIsBetter ? our[metric] / Math.max(...kafkas) : Math.min(...kafkas) / our[metric];
    });
    const spread = last === '-' ? '-' : `${Math.min(...each).toFixed(2)}-${Math.max(...each).toFixed(2)}`;
    console.log(`| ${title} | ${pair.size.toLocaleString('en')} | ${figures} | ${last} | ${spread} |`);
  }
}
