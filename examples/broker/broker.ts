/**
 * The broker: puts the parts together, starts and stops them.
 *
 * Owns one timer for all that waits, a WaitingRoom per kind of operation, the topics, the groups and the servers. Everything runs
 * on one thread; what is shared between requests is changed within one turn of the event loop, so nothing is locked.
 */
import { Registry } from 'prom-client';
import { SystemTimer } from 'purgatory';
import type { Context, Handler } from './apis/context.ts';
import { handlers } from './apis/handlers.ts';
import { Cluster } from './cluster.ts';
import { describeFault } from './fault.ts';
import { GroupCoordinator } from './group/coordinator.ts';
import { MemoryOffsetStore } from './group/offset-store.ts';
import { MemoryLog } from './log/memory-log.ts';
import { Partition } from './log/partition.ts';
import { Topics } from './log/topics.ts';
import { PurgatoryMetrics } from './metrics/purgatory-metrics.ts';
import { type PartitionIsr, RecordMetrics } from './metrics/record-metrics.ts';
import type { Exchange } from './network/exchange.ts';
import { StatusServer } from './network/http.ts';
import { ProtocolServer } from './network/server.ts';
import { type BrokerOptions, defaultOptions } from './options.ts';
import type { ApiName } from './protocol/messages/index.ts';
import { type WaitingCounts, WaitingRoom } from './waiting/waiting-room.ts';

const HOST = '127.0.0.1';

export interface BrokerStatus {
  readonly purgatories: Record<'fetch' | 'produce' | 'join' | 'heartbeat', WaitingCounts>;
  readonly connections: number;
  readonly topics: readonly {
    name: string;
    partitions: readonly { startOffset: number; highWatermark: number; endOffset: number }[];
  }[];
  readonly groups: readonly { id: string; state: string; generation: number; members: number }[];
}

export class Broker {
  readonly #options: BrokerOptions;
  readonly #timer = new SystemTimer();
  readonly #rooms: Record<keyof BrokerStatus['purgatories'], WaitingRoom>;
  readonly #topics: Topics;
  readonly #groups: GroupCoordinator;
  readonly #server: ProtocolServer;
  readonly #http: StatusServer;
  readonly #log: (line: string) => void;
  readonly #registry = new Registry();
  #context: Context | undefined;

  /** `log` gets one line for every refusal and fault. */
  constructor(options: Partial<BrokerOptions> = {}, log: (line: string) => void = console.error) {
    this.#options = { ...defaultOptions, ...options };
    this.#log = log;
    const { maxParked } = this.#options;
    const metrics = new PurgatoryMetrics(this.#registry);
    const room = (name: string, limits?: { maxParked: number }) =>
      new WaitingRoom(name, {
        timer: this.#timer,
        observer: metrics.observer(name),
        onError: (error) => log(`a fault in the ${name} purgatory: ${describeFault(error)}`),
        ...limits,
      });
    this.#rooms = {
      fetch: room('fetch', { maxParked }),
      produce: room('produce', { maxParked }),
      // A group must never be refused its join or a member its session half-way: the coordinator limits the members.
      join: room('join'),
      heartbeat: room('heartbeat'),
    };
    for (const each of Object.values(this.#rooms)) metrics.watch(each);
    this.#topics = new Topics(
      (topic, index) => new Partition(topic, index, new MemoryLog(), (key) => this.#announce(key)),
    );
    this.#groups = new GroupCoordinator(this.#rooms.join, this.#rooms.heartbeat, {
      maxMembers: maxParked,
      minSessionTimeoutMs: this.#options.groupMinSessionTimeoutMs,
      maxSessionTimeoutMs: this.#options.groupMaxSessionTimeoutMs,
      initialRebalanceMs: this.#options.groupInitialRebalanceMs,
      log,
    });
    this.#server = new ProtocolServer({
      maxFrameBytes: this.#options.maxFrameBytes,
      maxRequestBytes: this.#options.maxRequestBytes,
      maxConnections: this.#options.maxConnections,
      maxIdleMs: this.#options.connectionsMaxIdleMs,
      timer: this.#timer,
      handle: (exchange) => this.#handle(exchange),
      log,
    });
    this.#http = new StatusServer(() => this.status(), this.#registry, log);
  }

  /** Resolves to the ports when clients can connect. Rejects when one cannot be had; nothing is left open then. */
  async start(): Promise<{ port: number; http: number }> {
    try {
      const port = await this.#server.listen(this.#options.port, HOST);
      this.#context = this.#createContext(port);
      return { port, http: await this.#http.listen(this.#options.http, HOST) };
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Answers what waits with what there is, and resolves when all connections are closed, about half a second later at most. */
  async stop(): Promise<void> {
    for (const { purgatory } of [this.#rooms.fetch, this.#rooms.produce]) {
      for (const operation of purgatory.close()) operation.forceComplete();
    }
    for (const { purgatory } of [this.#rooms.join, this.#rooms.heartbeat]) purgatory.close();
    await Promise.all([this.#server.close(), this.#http.close()]);
    this.#timer.close();
  }

  status(): BrokerStatus {
    const { fetch, produce, join, heartbeat } = this.#rooms;
    return {
      purgatories: {
        fetch: fetch.counts(),
        produce: produce.counts(),
        join: join.counts(),
        heartbeat: heartbeat.counts(),
      },
      connections: this.#server.connections,
      topics: this.#topics.all().map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ log, highWatermark }) => ({
          startOffset: log.startOffset,
          highWatermark,
          endOffset: log.endOffset,
        })),
      })),
      groups: this.#groups
        .all()
        .map(({ id, state, generation, members }) => ({ id, state, generation, members: members.size })),
    };
  }

  #createContext(port: number): Context {
    let producerIds = 0;
    const cluster = new Cluster([{ id: 0, host: this.#options.advertisedHost, port }]);
    return {
      cluster,
      topics: this.#topics,
      groups: this.#groups,
      offsets: new MemoryOffsetStore(),
      defaultPartitions: this.#options.partitions,
      maxPartitions: this.#options.maxPartitions,
      log: this.#log,
      fetches: this.#rooms.fetch,
      produces: this.#rooms.produce,
      recordMetrics: new RecordMetrics(this.#registry, () => this.#isrs(cluster)),
      nextProducerId: () => producerIds++,
    };
  }

  /** All replicas are in sync as long as the leader is the only one. */
  *#isrs(cluster: Cluster): Generator<PartitionIsr> {
    for (const { name, partitions } of this.#topics.all()) {
      for (const { index } of partitions)
        yield { topic: name, partition: index, isrSize: cluster.replicasOf(index).length };
    }
  }

  #handle(exchange: Exchange): void {
    const handler = handlers[exchange.api] as Handler<ApiName>;
    handler(exchange, this.#context as Context);
  }

  /** Something moved in a partition: whoever waits for it looks again, once, at the end of this turn. */
  #announce(key: string): void {
    this.#rooms.fetch.purgatory.notify(key);
    this.#rooms.produce.purgatory.notify(key);
  }
}
