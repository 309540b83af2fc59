/**
 * Who leads and coordinates what. Leadership is static and the same on every node: nothing here is elected.
 * Today there is one node, and it does it all.
 */
export interface Node {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

export class Cluster {
  readonly id = 'purgatory-broker';
  readonly nodes: readonly Node[];

  constructor(nodes: readonly Node[]) {
    this.nodes = nodes;
  }

  leaderOf(partition: number): Node {
    return this.nodes[partition % this.nodes.length];
  }

  replicasOf(partition: number): Node[] {
    return [this.leaderOf(partition)];
  }

  coordinatorOf(_group: string): Node {
    return this.nodes[0];
  }
}
