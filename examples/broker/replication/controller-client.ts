/**
 * Passes requests that are the controller's on to it, and brings its answers back: as with Kafka's
 * own controllers, a client may send them to any node.
 *
 * Owns a connection of its own, so that a request which takes long holds no heartbeat up. One
 * request is under way at a time; the others wait for their turn.
 */
import type { SystemTimer } from 'purgatory';
import type { Cluster } from '../cluster.ts';
import type { Request, Response } from '../network/exchange.ts';
import type { ApiName } from '../protocol/messages/index.ts';
import { PeerClient, type RequestDraft } from './peer-client.ts';

/** Clients wait for half a minute by default. */
const PATIENCE_MS = 5000;

export class ControllerClient {
  readonly #client: PeerClient;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ controller, self }: Cluster, timer: SystemTimer) {
    this.#client = new PeerClient(controller.port, `node-${self.id}`, timer);
  }

  /** Resolves to the controller's answer, or to undefined when none came. */
  ask<N extends ApiName>(name: N, version: number, request: Request<N>): Promise<Response<N> | undefined> {
    // What was read can be written, which the types do not know of an api that is a parameter.
    const draft = request as unknown as RequestDraft<N>;
    const answer = this.#last
      .then(() => this.#client.send(name, version, draft, PATIENCE_MS))
      .then((message) => message as unknown as Response<N>)
      .catch(() => undefined);
    this.#last = answer;
    return answer;
  }

  close(): void {
    this.#client.close();
  }
}
