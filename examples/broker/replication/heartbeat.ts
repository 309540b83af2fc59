/**
 * What this node knows of one other node: a Metadata request every INTERVAL_MS tells whether it is
 * there, which replicas of the partitions that it leads are in sync, and, if it is the controller,
 * which topics there are. Of the controller it asks now and then for what was set for them.
 *
 * Owns its connection and that node's liveness. The next request comes sooner when somebody looks
 * for what this node does not know. A topic that a client wants is asked for by its name before
 * that, and the controller creates it. The controller tells a node of news in the same way: it asks
 * for what nobody has, and a node that does not know a topic looks at the controller.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SystemTimer, TimerTask } from 'purgatory';
import type { Cluster, Node } from '../cluster.ts';
import type { Topics } from '../log/topics.ts';
import type { Log } from '../log-lines.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { ResourceType, SettingSource } from '../settings/setting.ts';
import { FullDisk } from '../storage/full-disk.ts';
import { PeerClient, type ResponseMessage } from './peer-client.ts';

const METADATA_VERSION = 10;
const SETTINGS_VERSION = 4;
const INTERVAL_MS = 100;
/** Clients that look for topics that nobody has cannot make a node ask more often than this. */
const LOOK_INTERVAL_MS = 10;
/** Settings change seldom, and nothing waits for them. */
const BEATS_PER_SETTINGS = 10;
/** So many topics are asked for at once; clients ask again for more. */
const MAX_WANTED = 1000;
/** A node that is silent for so long is taken for dead. */
const PATIENCE_MS = 1000;

export class PeerHeartbeat {
  readonly #peer: Node;
  readonly #cluster: Cluster;
  readonly #topics: Topics;
  readonly #timer: SystemTimer;
  readonly #client: PeerClient;
  readonly #log: Log;
  readonly #wanted = new Set<string>();
  #hasNews = false;
  /** Those who wait for a request that is not made yet. */
  readonly #looks: (() => void)[] = [];
  /** The next request, while none is under way. */
  #next: TimerTask | undefined;
  #endedAt = 0;
  #beats = 0;
  #isStopped = false;

  constructor(peer: Node, cluster: Cluster, topics: Topics, timer: SystemTimer, log: Log) {
    this.#log = log;
    this.#peer = peer;
    this.#cluster = cluster;
    this.#topics = topics;
    this.#timer = timer;
    this.#client = new PeerClient(peer.port, `heartbeat-${cluster.self.id}`, timer);
  }

  start(): void {
    void this.#beat();
  }

  stop(): void {
    this.#isStopped = true;
    this.#client.close();
    for (const seen of this.#looks.splice(0)) seen();
  }

  get isAlive(): boolean {
    return this.#cluster.isAlive(this.#peer);
  }

  /** Asks the controller for the topic now. It creates one of the default number of partitions. */
  want(topic: string): void {
    if (this.#wanted.size < MAX_WANTED) this.#wanted.add(topic);
    void this.look();
  }

  /**
   * Resolves when the node knows the topics that this one, the controller, had at the call, or does
   * not answer.
   */
  tell(): Promise<void> {
    this.#hasNews = true;
    return this.look();
  }

  /** Resolves when this node knows what the other one knew at the call, or got no answer from it. */
  look(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) return resolve();
      this.#looks.push(resolve);
      if (this.#looks.length === 1 && this.#next?.cancel()) this.#schedule();
    });
  }

  /** The next request, sooner where somebody waits for it. */
  #schedule(): void {
    const restMs = this.#looks.length === 0 ? INTERVAL_MS : LOOK_INTERVAL_MS;
    const delayMs = Math.max(0, this.#endedAt + restMs - performance.now());
    this.#next = this.#timer.schedule(() => void this.#beat(), delayMs);
  }

  async #beat(): Promise<void> {
    const looks = this.#looks.splice(0);
    await this.#exchange();
    for (const seen of looks) seen();
    if (this.#isStopped) return;
    this.#endedAt = performance.now();
    this.#schedule();
  }

  async #exchange(): Promise<void> {
    const wanted = [...this.#wanted].map((name) => ({ topicId: NO_TOPIC_ID, name }));
    if (this.#hasNews) wanted.push({ topicId: randomUUID(), name: '' });
    this.#wanted.clear();
    this.#hasNews = false;
    const isThere = wanted.length === 0 || (await this.#ask(wanted)) !== undefined;
    const answer = isThere ? await this.#ask(null) : undefined;
    if (this.#isStopped) return;
    this.#cluster.setAlive(this.#peer, answer !== undefined);
    try {
      const hasNewTopics = answer !== undefined && this.#learn(answer);
      const isController = this.#peer === this.#cluster.controller;
      if (isController && (hasNewTopics || this.#beats++ % BEATS_PER_SETTINGS === 0))
        await this.#learnSettings();
    } catch (error) {
      if (!(error instanceof FullDisk)) throw error;
      this.#log(`took over nothing from node ${this.#peer.id}: ${error.message}`, 'limited');
    }
  }

  async #ask(
    topics: readonly { topicId: string; name: string }[] | null,
  ): Promise<ResponseMessage<'Metadata'> | undefined> {
    const request = {
      topics,
      allowAutoTopicCreation: topics !== null && this.#peer === this.#cluster.controller,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    };
    return this.#client.send('Metadata', METADATA_VERSION, request, PATIENCE_MS).catch(() => undefined);
  }

  /** True iff there are new topics, of which the settings are not known yet. */
  #learn({ topics }: ResponseMessage<'Metadata'>): boolean {
    const isController = this.#peer === this.#cluster.controller;
    const hasNewTopics = isController && topics.some(({ topicId }) => !this.#topics.getById(topicId));
    if (isController) this.#learnTopics(topics);
    for (const { topicId, partitions } of topics) {
      const topic = this.#topics.getById(topicId);
      for (const { partitionIndex, leaderId, isrNodes } of partitions) {
        if (leaderId === this.#peer.id) topic?.partitions[partitionIndex]?.setInSyncReplicas(isrNodes);
      }
    }
    return hasNewTopics;
  }

  /** The controller's topics are all there are. */
  #learnTopics(topics: ResponseMessage<'Metadata'>['topics']): void {
    const ids = new Set(topics.map(({ topicId }) => topicId));
    for (const topic of this.#topics.all()) if (!ids.has(topic.id)) this.#topics.delete(topic);
    for (const { name, topicId, partitions } of topics) {
      const topic = this.#topics.getById(topicId);
      const replicas = partitions.map(({ replicaNodes }) => replicaNodes);
      if (topic === undefined && name !== null) this.#topics.create(name, replicas, {}, topicId);
      else if (topic !== undefined && replicas.length > topic.partitions.length)
        this.#topics.grow(topic, replicas.slice(topic.partitions.length));
    }
  }

  /** What was set for topics: the controller's settings are those that count, as its topics are. */
  async #learnSettings(): Promise<void> {
    const request = {
      resources: this.#topics.all().map(({ name }) => ({
        resourceType: ResourceType.TOPIC,
        resourceName: name,
        configurationKeys: null,
      })),
      includeSynonyms: false,
      includeDocumentation: false,
    };
    if (request.resources.length === 0) return;
    const answer = await this.#client
      .send('DescribeConfigs', SETTINGS_VERSION, request, PATIENCE_MS)
      .catch(() => undefined);
    if (this.#isStopped) return;
    for (const { errorCode, resourceName, configs } of answer?.results ?? []) {
      const topic = this.#topics.get(resourceName);
      if (errorCode !== ErrorCode.NONE || topic === undefined) continue;
      const settings = Object.fromEntries(
        configs
          .filter(({ configSource }) => configSource === SettingSource.TOPIC)
          .map(({ name, value }) => [name, value ?? '']),
      );
      if (!isDeepStrictEqual(settings, topic.settings)) this.#topics.configure(topic, settings);
    }
  }
}
