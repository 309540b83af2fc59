/** What the handlers of all apis work with. */

import type { Cluster } from '../cluster.ts';
import type { GroupCoordinator } from '../group/coordinator.ts';
import type { OffsetStore } from '../group/offset-store.ts';
import type { ProducerIds } from '../log/producer-ids.ts';
import type { TimeSearches } from '../log/time-search.ts';
import type { Topics } from '../log/topics.ts';
import type { Log } from '../log-lines.ts';
import type { RecordMetrics } from '../metrics/record-metrics.ts';
import type { Exchange, Request, Response } from '../network/exchange.ts';
import type { BrokerOptions } from '../options.ts';
import type { ApiName } from '../protocol/messages/index.ts';
import type { AckPurgatory } from '../waiting/delayed-produce.ts';
import type { WaitingRoom } from '../waiting/waiting-room.ts';

export interface Context {
  readonly cluster: Cluster;
  readonly topics: Topics;
  readonly groups: GroupCoordinator;
  readonly offsets: OffsetStore;
  readonly options: BrokerOptions;
  readonly fetches: WaitingRoom;
  readonly produces: WaitingRoom<AckPurgatory>;
  /** On another node than the controller: has the controller create the topic. */
  wantTopic(name: string): void;
  /**
   * On the controller: has the other nodes learn of what it has changed. Resolves when all that are
   * alive have, and after a tenth of a second at the latest; undefined where there are none.
   */
  tellNodes(): Promise<void> | undefined;
  /** Resolves when this node knows the topics that the controller had at the call. */
  lookAtController(): Promise<void>;
  /** Resolves to the answer of the controller, another node, or to undefined where none came. */
  askController<N extends ApiName>(
    name: N,
    version: number,
    request: Request<N>,
  ): Promise<Response<N> | undefined>;
  readonly producerIds: ProducerIds;
  readonly timeSearches: TimeSearches;
  readonly recordMetrics: RecordMetrics;
  /** One line for each request that is refused something for a limit of the broker. */
  readonly log: Log;
}

export type Handler<N extends ApiName> = (exchange: Exchange<N>, context: Context) => void;
export type Handlers = { readonly [N in ApiName]: Handler<N> };
