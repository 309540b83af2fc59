/**
 * The nodes: which of them leads and coordinates what, and which are alive. Leadership is static
 * and the same on every node: nothing here is elected.
 *
 * A topic says for each partition which nodes replicate it, and the first of these leads it. Where
 * nobody assigned them, partition p has node p mod n and the next ones. A group is coordinated by
 * the node that its hash names. Node 0 is the controller, which creates and deletes topics. Liveness is
 * what the heartbeats of this node saw last.
 */
import { crc32c } from '@node-rs/crc32';

/** As in most clusters of Kafka: one node may fail, and one more be taken down on purpose. */
const REPLICATION_FACTOR = 3;

export interface Node {
  readonly id: number;
  /** The host that clients get. */
  readonly host: string;
  /**
   * The free port that the node has found, where the option is 0. Only the node itself knows it.
   */
  port: number;
}

export class Cluster {
  readonly id = 'purgatory-broker';
  readonly nodes: readonly Node[];
  readonly self: Node;
  readonly #alive: Set<number>;

  constructor(nodes: readonly Node[], selfId: number) {
    this.nodes = nodes;
    this.self = nodes[selfId];
    this.#alive = new Set([selfId]);
  }

  get controller(): Node {
    return this.nodes[0];
  }

  /** Of a topic for which nobody asks for another. */
  get replicationFactor(): number {
    return Math.min(REPLICATION_FACTOR, this.nodes.length);
  }

  /** The ids of the nodes that replicate a partition that nobody assigned, the leader first. */
  replicasOf(partition: number, factor: number = this.replicationFactor): number[] {
    const { length } = this.nodes;
    return Array.from({ length: factor }, (_, index) => (partition + index) % length);
  }

  coordinatorOf(group: string): Node {
    return this.nodes[crc32c(Buffer.from(group)) % this.nodes.length];
  }

  get isComplete(): boolean {
    return this.#alive.size === this.nodes.length;
  }

  isSelf(node: Node): boolean {
    return node === this.self;
  }

  isAlive({ id }: { readonly id: number }): boolean {
    return this.#alive.has(id);
  }

  setAlive(node: Node, isAlive: boolean): void {
    if (isAlive) this.#alive.add(node.id);
    else this.#alive.delete(node.id);
  }
}
