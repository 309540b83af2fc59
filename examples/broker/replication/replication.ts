/**
 * The work between this node and the others: a heartbeat and a replica fetcher for each of them. A
 * few times in each `replicaLagMs` it checks which followers of this node's partitions lag behind.
 * A cluster of one has none of this.
 */

import type { SystemTimer, TimerTask } from 'purgatory';
import type { Cluster } from '../cluster.ts';
import type { Partition } from '../log/partition.ts';
import type { Topics } from '../log/topics.ts';
import type { Log } from '../log-lines.ts';
import type { Request, Response } from '../network/exchange.ts';
import type { ApiName } from '../protocol/messages/index.ts';
import { ControllerClient } from './controller-client.ts';
import { PeerHeartbeat } from './heartbeat.ts';
import { ReplicaFetcher } from './replica-fetcher.ts';

/** The number of checks in each lag time. It bounds how late a slow follower is noticed. */
const CHECKS_PER_LAG = 4;
/** Kafka's replica.fetch.wait.max.ms. */
const MAX_WAIT_MS = 500;
/** How long a start waits for the other nodes. */
const COMPLETE_MS = 5000;
const COMPLETE_CHECK_MS = 20;
/** How long a client may wait until all nodes know of its change. */
const TELL_MS = 100;

export class Replication {
  readonly #cluster: Cluster;
  readonly #topics: Topics;
  readonly #timer: SystemTimer;
  readonly #replicaLagMs: number;
  readonly #heartbeats: readonly PeerHeartbeat[];
  /** Undefined on the controller itself. */
  readonly #controller: PeerHeartbeat | undefined;
  readonly #fetchers: readonly ReplicaFetcher[];
  readonly #controllerClient: ControllerClient;
  #check: TimerTask | undefined;

  constructor(cluster: Cluster, topics: Topics, timer: SystemTimer, replicaLagMs: number, log: Log) {
    this.#cluster = cluster;
    this.#topics = topics;
    this.#timer = timer;
    this.#replicaLagMs = replicaLagMs;
    const peers = cluster.nodes.filter((node) => !cluster.isSelf(node));
    this.#heartbeats = peers.map((peer) => new PeerHeartbeat(peer, cluster, topics, timer, log));
    this.#controller = this.#heartbeats[peers.indexOf(cluster.controller)];
    this.#controllerClient = new ControllerClient(cluster, timer);
    this.#fetchers = peers.map(
      (leader) =>
        new ReplicaFetcher({
          leader,
          selfId: cluster.self.id,
          timer,
          // A fetch that waits longer than the lag would look like a follower that is late.
          maxWaitMs: Math.min(MAX_WAIT_MS, replicaLagMs / CHECKS_PER_LAG),
          partitions: () => this.#followed(leader.id),
          log,
        }),
    );
  }

  /** Resolves when all nodes were seen, or have had COMPLETE_MS for it. */
  async start(): Promise<void> {
    for (const part of [...this.#heartbeats, ...this.#fetchers]) part.start();
    if (this.#heartbeats.length === 0) return;
    this.#shrink();
    const deadline = performance.now() + COMPLETE_MS;
    while (!this.#cluster.isComplete && performance.now() < deadline)
      await new Promise<void>((resolve) => this.#timer.schedule(resolve, COMPLETE_CHECK_MS));
  }

  /** Resolves when no part of it runs any more. */
  async stop(): Promise<void> {
    this.#check?.cancel();
    for (const heartbeat of this.#heartbeats) heartbeat.stop();
    this.#controllerClient.close();
    await Promise.all(this.#fetchers.map((fetcher) => fetcher.stop()));
  }

  /** On another node than the controller: has the controller create the topic. */
  wantTopic(name: string): void {
    this.#controller?.want(name);
  }

  /**
   * On the controller: has the others look at it now. Resolves when all that are alive have, and
   * after TELL_MS at the latest; undefined where there are none.
   */
  tellNodes(): Promise<void> | undefined {
    const alive = this.#heartbeats.filter(({ isAlive }) => isAlive);
    if (alive.length === 0) return undefined;
    return new Promise((resolve) => {
      const late = this.#timer.schedule(resolve, TELL_MS);
      void Promise.all(alive.map((heartbeat) => heartbeat.tell())).then(() => {
        late.cancel();
        resolve();
      });
    });
  }

  /** Resolves when this node knows the topics that the controller, if it is there, had at the call. */
  async lookAtController(): Promise<void> {
    if (this.#cluster.isAlive(this.#cluster.controller)) await this.#controller?.look();
  }

  /** On another node than the controller. Resolves to its answer, or to undefined when none came. */
  askController<N extends ApiName>(
    name: N,
    version: number,
    request: Request<N>,
  ): Promise<Response<N> | undefined> {
    return this.#controllerClient.ask(name, version, request);
  }

  #followed(leaderId: number): Partition[] {
    const selfId = this.#cluster.self.id;
    return this.#topics
      .all()
      .flatMap(({ partitions }) => partitions)
      .filter(({ replicaIds }) => replicaIds[0] === leaderId && replicaIds.includes(selfId));
  }

  #shrink(): void {
    for (const { partitions } of this.#topics.all())
      for (const partition of partitions) if (partition.isLed) partition.shrinkInSyncReplicas();
    this.#check = this.#timer.schedule(() => this.#shrink(), this.#replicaLagMs / CHECKS_PER_LAG);
  }
}
