/**
 * The broker: puts the parts together, starts and stops them.
 *
 * Owns one timer for all that waits, a WaitingRoom per kind of operation, the topics, the groups
 * and the servers. Everything runs on one thread; what is shared between requests is changed within
 * one turn of the event loop, so nothing is locked.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { SystemTimer } from 'purgatory';
import { createInspector } from 'purgatory/inspector';
import { registerMetrics } from 'purgatory/metrics';
import type { Context, Handler } from './apis/context.ts';
import { handlers } from './apis/handlers.ts';
import { Cluster } from './cluster.ts';
import { GroupCoordinator } from './group/coordinator.ts';
import { GroupMemory } from './group/memory.ts';
import { OffsetStore } from './group/offset-store.ts';
import { FileLog } from './log/file-log.ts';
import { KnownProducers } from './log/known-producers.ts';
import { Partition } from './log/partition.ts';
import { ProducerIds } from './log/producer-ids.ts';
import { TimeSearches } from './log/time-search.ts';
import { Topics } from './log/topics.ts';
import { LimitedLog, type Log } from './log-lines.ts';
import { type PartitionIsr, RecordMetrics } from './metrics/record-metrics.ts';
import type { Exchange } from './network/exchange.ts';
import { StatusServer } from './network/http.ts';
import { ProtocolServer } from './network/server.ts';
import { type BrokerOptions, defaultOptions } from './options.ts';
import type { ApiName } from './protocol/messages/index.ts';
import { Replication } from './replication/replication.ts';
import { rollRulesOf } from './settings/topic-settings.ts';
import { type BrokerStatus, statusOf } from './status.ts';
import { ByteBudget } from './storage/byte-budget.ts';
import { describeSizes, forgetCleanStop, isAsLeft, noteCleanStop } from './storage/clean-stop.ts';
import { type Findings, findings, setAside } from './storage/damage.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { DiskSpace } from './storage/full-disk.ts';
import { OpenFiles } from './storage/open-files.ts';
import { scheduleUpkeep } from './upkeep.ts';
import { advanceAcks } from './waiting/delayed-produce.ts';
import { createRooms, type Rooms } from './waiting/rooms.ts';

const HOST = '127.0.0.1';

export class Broker {
  readonly #options: BrokerOptions;
  readonly #log: Log;
  /** The folder of this node: nothing is written elsewhere. */
  readonly #folder: string;
  readonly #timer = new SystemTimer();
  readonly #rooms: Rooms;
  readonly #topics: Topics;
  readonly #groups: GroupCoordinator;
  readonly #offsets: OffsetStore;
  readonly #files: OpenFiles;
  readonly #logSpace: ByteBudget;
  readonly #disk: DiskSpace;
  readonly #findings: Findings;
  readonly #producerIds: ProducerIds;
  readonly #producers: KnownProducers;
  readonly #cluster: Cluster;
  readonly #replication: Replication;
  readonly #server: ProtocolServer;
  readonly #http: StatusServer;
  readonly #registry = new Registry();
  readonly #unregister: () => void;
  #context: Context | undefined;
  /** Whether the files are as a clean stop leaves them, or all of them are open. */
  #isWhole = false;
  #unlock: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  /** `log` gets one line for every refusal and fault. */
  constructor(options: Partial<BrokerOptions> = {}, log: Log = new LimitedLog(console.error).log) {
    this.#options = { ...defaultOptions, ...options };
    this.#log = log;
    const { nodes, node, port, advertisedHost, data, replicaLagMs } = this.#options;
    const self = node ?? 0;
    this.#folder = join(data, `node-${self}`);
    this.#files = new OpenFiles(this.#options.maxOpenFiles);
    this.#logSpace = new ByteBudget(this.#options.maxLogBytes);
    this.#disk = new DiskSpace(this.#folder, this.#options.minFreeBytes);
    this.#findings = findings(this.#options.recover, log);
    this.#producerIds = new ProducerIds(join(this.#folder, 'producer-ids'), self);
    this.#producers = new KnownProducers(this.#options.maxProducers, this.#options.producerIdExpirationMs);
    this.#cluster = new Cluster(
      Array.from({ length: nodes }, (_, id) => ({ id, host: advertisedHost, port: port + id })),
      self,
    );
    const { maxParked } = this.#options;
    const memory = new GroupMemory(this.#options.maxGroupBytes);
    this.#offsets = new OffsetStore(this.#options.maxGroups, memory);
    this.#rooms = createRooms(this.#timer, maxParked, log);
    this.#topics = new Topics(
      (topic, index, replicaIds, isNew) =>
        this.#createPartition(topic, index, replicaIds ?? this.#cluster.replicasOf(index), isNew),
      (topic, along) => this.#offsets.forgetTopic(topic, along),
    );
    this.#groups = new GroupCoordinator(this.#rooms.join, this.#rooms.heartbeat, {
      maxMembers: maxParked,
      maxGroups: this.#options.maxGroups,
      maxGroupSize: this.#options.groupMaxSize,
      memory,
      minSessionTimeoutMs: this.#options.groupMinSessionTimeoutMs,
      maxSessionTimeoutMs: this.#options.groupMaxSessionTimeoutMs,
      initialRebalanceMs: this.#options.groupInitialRebalanceMs,
      coordinates: (groupId) => this.#cluster.isSelf(this.#cluster.coordinatorOf(groupId)),
      log,
    });
    this.#replication = new Replication(this.#cluster, this.#topics, this.#timer, replicaLagMs, log);
    this.#server = new ProtocolServer({
      maxFrameBytes: this.#options.maxFrameBytes,
      maxRequestBytes: this.#options.maxRequestBytes,
      maxAnswerBytes: this.#options.maxAnswerBytes,
      maxConnections: this.#options.maxConnections,
      maxIdleMs: this.#options.connectionsMaxIdleMs,
      timer: this.#timer,
      handle: (exchange) => this.#handle(exchange),
      log,
    });
    const purgatories = Object.values(this.#rooms).map(({ purgatory }) => purgatory);
    const inspector = createInspector({ purgatories, timers: [this.#timer] });
    this.#unregister = registerMetrics(this.#registry, { purgatories, timers: { broker: this.#timer } });
    this.#http = new StatusServer(() => this.status(), this.#registry, inspector, log);
  }

  /**
   * Resolves to the ports when clients can connect. Rejects when one cannot be had; nothing is left
   * open then.
   */
  async start(): Promise<{ port: number; http: number }> {
    try {
      const { self } = this.#cluster;
      self.port = await this.#server.listen(self.port, HOST);
      this.#unlock = lockFolder(this.#folder);
      // No request is read before the next turn.
      this.#openFiles();
      scheduleUpkeep(this.#timer, this.#options, {
        offsets: this.#offsets,
        topics: this.#topics,
        groups: this.#groups,
        log: this.#log,
      });
      this.#context = this.#createContext();
      const http = await this.#http.listen(this.#options.http && this.#options.http + self.id, HOST);
      await this.#replication.start();
      return { port: self.port, http };
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Answers what waits with what there is, and resolves when all connections are closed, about half
   * a second later at most.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.#replication.stop();
    for (const { purgatory } of [this.#rooms.fetch, this.#rooms.produce]) {
      for (const operation of purgatory.close()) operation.forceComplete();
    }
    for (const { purgatory } of [this.#rooms.join, this.#rooms.heartbeat]) purgatory.close();
    await Promise.all([this.#server.close(), this.#http.close()]);
    const journals = [this.#topics, this.#offsets, this.#groups];
    await Promise.all(journals.map((each) => each.close()));
    if (this.#isWhole) noteCleanStop(this.#folder, this.#log);
    this.#unregister();
    this.#timer.close();
    this.#unlock?.();
  }

  status(): BrokerStatus {
    return statusOf(this.#rooms, this.#server, this.#topics, this.#groups);
  }

  /** Throws an Error for a file that is damaged, before anything of that file is changed. */
  #openFiles(): void {
    const found = describeSizes(this.#folder);
    this.#isWhole = isAsLeft(this.#folder, this.#findings.onDamage);
    if (found !== '' && !this.#isWhole)
      this.#log(`${this.#folder} is not as a clean stop leaves it, and has ${found}`);
    forgetCleanStop(this.#folder);
    this.#topics.open(join(this.#folder, 'topics'), this.#findings);
    this.#producers.onLoaded();
    this.#setStrayLogsAside();
    this.#offsets.open(join(this.#folder, 'offsets'), this.#findings);
    this.#groups.open(join(this.#folder, 'groups'), this.#findings);
    this.#producerIds.open(this.#findings.onDamage);
    this.#isWhole = true;
  }

  /** Logs of no topic: damage may have hidden the topic. */
  #setStrayLogsAside(): void {
    const logs = join(this.#folder, 'logs');
    const keys = new Set(this.#topics.all().flatMap(({ partitions }) => partitions.map(({ key }) => key)));
    for (const name of existsSync(logs) ? readdirSync(logs) : []) {
      if (!name.includes('~') && !keys.has(name)) this.#setAside(join(logs, name));
    }
  }

  #setAside(folder: string): void {
    this.#log(`no topic has the log ${folder}, which is ${setAside(folder)} now`);
  }

  #createContext(): Context {
    return {
      cluster: this.#cluster,
      wantTopic: (name) => this.#replication.wantTopic(name),
      tellNodes: () => this.#replication.tellNodes(),
      lookAtController: () => this.#replication.lookAtController(),
      askController: (name, version, request) => this.#replication.askController(name, version, request),
      topics: this.#topics,
      groups: this.#groups,
      offsets: this.#offsets,
      options: this.#options,
      log: this.#log,
      fetches: this.#rooms.fetch,
      produces: this.#rooms.produce,
      producerIds: this.#producerIds,
      timeSearches: new TimeSearches(),
      recordMetrics: new RecordMetrics(this.#registry, () => this.#isrs()),
    };
  }

  #createPartition(topic: string, index: number, replicaIds: readonly number[], isNew: boolean): Partition {
    const options = {
      rollRules: () => rollRulesOf(this.#topics.get(topic)?.settings ?? {}, this.#options),
      files: this.#files,
      space: this.#logSpace,
      findings: this.#findings,
    };
    const partition = new Partition(topic, index, replicaIds, {
      openLog: (key, onBatch) => {
        const folder = join(this.#folder, 'logs', key);
        if (isNew && existsSync(folder)) this.#setAside(folder);
        return new FileLog(folder, options, (header, ageMs) => {
          this.#producerIds.noteUsed(header.producerId);
          onBatch(header, ageMs);
        });
      },
      knownProducers: this.#producers,
      logSpace: this.#logSpace,
      disk: this.#disk,
      timer: this.#timer,
      flush: { messages: this.#options.flushMessages, ms: this.#options.flushMs },
      announce: (moved) => this.#announce(moved),
      selfId: this.#cluster.self.id,
      replicaLagMs: this.#options.replicaLagMs,
    });
    this.#announce(partition);
    return partition;
  }

  /** The partitions that this node leads. */
  *#isrs(): Generator<PartitionIsr> {
    for (const { name, partitions } of this.#topics.all()) {
      for (const { index, isLed, inSyncReplicas } of partitions)
        if (isLed) yield { topic: name, partition: index, isrSize: inSyncReplicas.length };
    }
  }

  #handle(exchange: Exchange): void {
    const handler = handlers[exchange.api] as Handler<ApiName>;
    handler(exchange, this.#context as Context);
  }

  /**
   * Something moved in a partition: fetches that wait for it look again, once, at the end of this
   * turn; acks that are reached end now.
   */
  #announce(partition: Partition): void {
    this.#rooms.fetch.purgatory.notify(partition.key);
    advanceAcks(this.#rooms.produce.purgatory, partition);
  }
}
