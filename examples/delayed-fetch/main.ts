// A log in memory, and the two operations for which Kafka invented its purgatory: a fetch that
// waits for records, and an acknowledgement that waits for two replicas.
//
// node --import tsx examples/delayed-fetch/main.ts
import { DelayedOperation, Purgatory, SystemTimer, type Timer } from 'purgatory';

/**
 * The number of replicas that must have a record before its producer gets the acknowledgement, and
 * before consumers see it.
 */
const ACKS = 2;

class Topic {
  readonly records: string[] = [];
  /** For each replica, how many records it has. */
  readonly #copied = new Map<string, number>();

  /** A replica that asks for records from `offset` on has all records before it. */
  setCopied(replica: string, offset: number): void {
    this.#copied.set(replica, offset);
  }

  /** How many records at least `ACKS` replicas have. */
  get committed(): number {
    const descending = [...this.#copied.values()].sort((a, b) => b - a);
    return descending[ACKS - 1] ?? 0;
  }
}

export interface FetchRequest {
  topic: string;
  /** The first record wanted. */
  offset: number;
  /** How many records are worth an answer before the deadline. */
  minRecords: number;
  maxWaitMs: number;
  /**
   * The replica that copies the topic. Consumers leave it out. A replica sees every record, a
   * consumer the committed ones.
   */
  replica?: string;
}

/** Completes when `minRecords` are there, or at its deadline with what is there. */
export class DelayedFetch extends DelayedOperation {
  readonly #topic: Topic;
  readonly #request: FetchRequest;
  readonly #answer: (records: string[]) => void;

  constructor(topic: Topic, request: FetchRequest, answer: (records: string[]) => void) {
    super(request.maxWaitMs);
    this.#topic = topic;
    this.#request = request;
    this.#answer = answer;
  }

  /** How far this fetch can read. */
  get #end(): number {
    return this.#request.replica === undefined ? this.#topic.committed : this.#topic.records.length;
  }

  override tryComplete(): boolean {
    return this.#end - this.#request.offset >= this.#request.minRecords && this.forceComplete();
  }

  override onComplete(): void {
    this.#answer(this.#topic.records.slice(this.#request.offset, this.#end));
  }
}

export interface Ack {
  offset: number;
  /** False: the record is in the log, but the deadline came before two replicas had it. */
  isReplicated: boolean;
}

/** Completes when the record at `offset` is committed. */
export class DelayedAck extends DelayedOperation {
  readonly #topic: Topic;
  readonly #offset: number;
  readonly #answer: (ack: Ack) => void;

  constructor(topic: Topic, offset: number, timeoutMs: number, answer: (ack: Ack) => void) {
    super(timeoutMs);
    this.#topic = topic;
    this.#offset = offset;
    this.#answer = answer;
  }

  get #isReplicated(): boolean {
    return this.#topic.committed > this.#offset;
  }

  override tryComplete(): boolean {
    return this.#isReplicated && this.forceComplete();
  }

  override onComplete(): void {
    this.#answer({ offset: this.#offset, isReplicated: this.#isReplicated });
  }
}

/** Watch keys are the names of topics. Both purgatories share one timer, and so one host timer. */
export class Broker {
  readonly #topics = new Map<string, Topic>();
  readonly fetches: Purgatory<string, DelayedFetch>;
  readonly acks: Purgatory<string, DelayedAck>;

  constructor(timer: Timer = new SystemTimer()) {
    this.fetches = new Purgatory('fetches', { timer });
    this.acks = new Purgatory('acks', { timer });
  }

  produce(name: string, record: string, timeoutMs: number, answer: (ack: Ack) => void): DelayedAck {
    const topic = this.#topicOf(name);
    const offset = topic.records.push(record) - 1;
    const ack = new DelayedAck(topic, offset, timeoutMs, answer);
    this.acks.tryCompleteElseWatch(ack, [name]);
    this.fetches.notify(name); // replicas wait for new records
    return ack;
  }

  /**
   * Returns the operation. The caller cancels it when its client has gone:
   * `socket.on('close', () => fetch.cancel())`.
   */
  fetch(request: FetchRequest, answer: (records: string[]) => void): DelayedFetch {
    const topic = this.#topicOf(request.topic);
    if (request.replica !== undefined) {
      topic.setCopied(request.replica, request.offset);
      this.acks.notify(request.topic); // producers wait for copies
      this.fetches.notify(request.topic); // consumers wait for committed records
    }
    const fetch = new DelayedFetch(topic, request, answer);
    this.fetches.tryCompleteElseWatch(fetch, [request.topic]);
    return fetch;
  }

  /** Answers all operations that still wait, with what there is. */
  close(): void {
    for (const operation of [...this.fetches.close(), ...this.acks.close()]) operation.forceComplete();
  }

  #topicOf(name: string): Topic {
    const topic = this.#topics.get(name) ?? new Topic();
    this.#topics.set(name, topic);
    return topic;
  }
}

/**
 * Copies a topic until the signal aborts. The offset that it asks for tells the broker what it has.
 */
async function replicate(broker: Broker, topic: string, replica: string, signal: AbortSignal): Promise<void> {
  const copy: string[] = [];
  while (!signal.aborted) {
    const request: FetchRequest = { topic, offset: copy.length, minRecords: 1, maxWaitMs: 200, replica };
    copy.push(...(await new Promise<string[]>((answer) => broker.fetch(request, answer))));
  }
}

async function demo(): Promise<void> {
  const broker = new Broker();
  const topic = 'orders';
  const produce = (record: string): Promise<Ack> =>
    new Promise((answer) => broker.produce(topic, record, 500, answer));
  const consume = (offset: number, minRecords: number, maxWaitMs: number): Promise<string[]> =>
    new Promise((answer) => broker.fetch({ topic, offset, minRecords, maxWaitMs }, answer));

  const consumer = consume(0, 2, 5_000);
  console.log(`a fetch of two records waits: ${broker.fetches.numDelayed} parked`);

  const both = new AbortController();
  const second = new AbortController();
  const replicas = [
    replicate(broker, topic, 'replica-1', both.signal),
    replicate(broker, topic, 'replica-2', second.signal),
  ];
  console.log('acks:', await Promise.all([produce('apples'), produce('pears')]));
  console.log('the fetch is answered:', await consumer);

  second.abort();
  await replicas[1]; // its last fetch comes to its deadline
  console.log('one replica is gone:', await produce('plums'));
  console.log('and consumers do not see the record:', await consume(2, 1, 100));

  both.abort();
  broker.close();
  await Promise.all(replicas);
  console.log(`left: ${broker.fetches.numDelayed} fetches, ${broker.acks.numDelayed} acks`);
}

if (process.argv[1] === import.meta.filename) await demo();
