/**
 * The process in which one system runs one workload at one size:
 * `child WORKLOAD SYSTEM SIZE quick|full`. Prints its measurements as one line of JSON.
 */
import { workloads } from '../workloads.ts';

const [, , name, systemName, size, amount] = process.argv;
const workload = workloads.find((candidate) => candidate.name === name);
const system = workload?.systems[systemName];
if (system === undefined) throw new Error(`no system ${systemName} in a workload ${name}`);
const measured = await system({ size: Number(size), quick: amount === 'quick' });
// The exit is explicit: operations that a workload leaves parked for an hour must not keep the
// child alive.
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));
