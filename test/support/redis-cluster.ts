// A Redis Cluster on loopback, and what its manager does with it.
import { execFileSync } from 'node:child_process';
import { type Engine, startRedis } from './engines.ts';
import { until } from './turns.ts';

export function startClusterNode(): Promise<Engine> {
  return startRedis(['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']);
}

/** Masters without replicas. */
export async function startRedisCluster(masters: number): Promise<Engine[]> {
  const nodes: Engine[] = [];
  while (nodes.length < masters) nodes.push(await startClusterNode());
  manage('create', ...nodes.map(addressOf), '--cluster-yes');
  await until(() => nodes.every(({ port }) => knowsAllSlots(port)));
  return nodes;
}

/** A few slots go to another node. @param by the node that is asked to. */
export function moveSlots(by: Engine, from: string, to: string): void {
  const what = ['--cluster-from', from, '--cluster-to', to, '--cluster-slots', '3', '--cluster-yes'];
  manage('reshard', addressOf(by), ...what);
}

function redisCli(...args: string[]): string {
  return execFileSync('redis-cli', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A command of the manager of clusters. */
export function manage(command: string, ...args: string[]): void {
  redisCli('--cluster', command, ...args);
}

export function addressOf({ port }: Engine): string {
  return `127.0.0.1:${port}`;
}

export function idOf(port: number): string {
  return redisCli('-p', `${port}`, 'cluster', 'myid').trim();
}

export function hears(port: number, channel: string): boolean {
  return redisCli('-p', `${port}`, 'pubsub', 'channels', channel).trim() === channel;
}

export function knowsAllSlots(port: number): boolean {
  const info = redisCli('-p', `${port}`, 'cluster', 'info');
  return info.includes('cluster_state:ok') && info.includes('cluster_slots_ok:16384');
}
