/**
 * Idle timeouts of connections that each send a heartbeat a second. Measures the share of a core
 * that they take, and the cost of one touch.
 *
 * The heartbeats come in the same random order every second, spread over its milliseconds. The
 * workload first runs without a timeout, and that cost is subtracted: it is the pacing, and
 * fetching the connection from memory. Each connection names the next one. So a heartbeat is
 * handled after the one before it, as in a server, and the processor cannot fetch several
 * connections at a time.
 *
 * The timeout is five heartbeats, so each connection is filed again every 5 s. The share is
 * measured over such a cycle, after the collector has settled. A cycle is too long for a quick run.
 *
 *   touch      the same order without pauses, one after the other
 *   in order   the order in which the connections were made: little time is lost on memory
 *   at hand    a few connections only, as when one has just been read from
 */
import { IdleTimeouts } from 'purgatory/idle';
import { cpuNs, liveBytes, nsPerStep, settle } from './harness/measure.ts';
import { shuffled } from './harness/random.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';

const TIMEOUT_MS = 5_000;
/** In a cycle each connection is filed again once. */
const CYCLE_S = TIMEOUT_MS / 1_000;

/** Connections whose memory stays in the first caches. */
const AT_HAND = 256;

/** As large as the objects that hang on a real connection, so that their memory is as cold. */
class Connection {
  readonly id: number;
  readonly address = { host: '127.0.0.1', port: 0 };
  readonly queue: unknown[] = [];
  timer: NodeJS.Timeout | undefined;
  /** The connection whose heartbeat comes next. */
  next: Connection = this;
  beats = 0;

  constructor(id: number) {
    this.id = id;
  }
}

type Touch = (connection: Connection) => void;

function onIdle(connection: Connection): never {
  throw new Error(`connection ${connection.id} was idle, though it has a heartbeat a second`);
}

/**
 * Lets each of the `count` connections in the ring of `first` beat once a second, for `seconds`.
 * Returns % of one core.
 */
async function share(first: Connection, count: number, touch: Touch, seconds: number): Promise<number> {
  const startNs = cpuNs();
  const startMs = performance.now();
  let connection = first;
  let beats = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1_000; elapsedMs = performance.now() - startMs) {
    const due = Math.floor((elapsedMs / 1_000) * count);
    for (; beats < due; beats++) {
      connection.beats++;
      touch(connection);
      connection = connection.next;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return (cpuNs() - startNs) / (performance.now() - startMs) / 10_000;
}

/** Links connections to a ring in that order; the first of them. */
function ring(connections: readonly Connection[]): Connection {
  connections.forEach((connection, index) => {
    connection.next = connections[(index + 1) % connections.length];
  });
  return connections[0];
}

/** Makes `count` connections and touches each. Returns them, and the bytes that each takes. */
async function connect(count: number, touch: Touch): Promise<{ connections: Connection[]; bytes: number }> {
  const before = await liveBytes();
  const connections: Connection[] = [];
  for (let id = 0; id < count; id++) {
    const connection = new Connection(id);
    connections.push(connection);
    touch(connection);
  }
  return { connections, bytes: ((await liveBytes()) - before) / count };
}

function beating(make: () => Touch): System {
  return async ({ size }: Run): Promise<Measured> => {
    const shuffle = Array.from(shuffled(size));
    const untracked = await connect(size, () => {});
    const beat = ring(shuffle.map((id) => untracked.connections[id]));
    const pacing = await share(beat, size, () => {}, CYCLE_S);
    untracked.connections.length = 0;

    const touch = make();
    const { connections, bytes } = await connect(size, touch);
    const order = shuffle.map((id) => connections[id]);
    // Connections that came at once are filed again at once. From then on that is spread over a
    // second, like the heartbeats.
    await share(ring(order), size, touch, CYCLE_S + 1);
    await settle();
    const core = (await share(order[0], size, touch, CYCLE_S)) - pacing;
    const touchNs = await nsPerStep(20 * size, (index) => touch(order[index % size]), 10_000);
    const inOrder = await nsPerStep(20 * size, (index) => touch(connections[index % size]), 10_000);
    const atHand = await nsPerStep(20 * size, (index) => touch(connections[index % AT_HAND]), 10_000);
    return { core, touch: touchNs, 'in order': inOrder, 'at hand': atHand, bytes: bytes - untracked.bytes };
  };
}

export const idle: Workload = {
  name: 'idle',
  title: 'Idle timeouts, a heartbeat a second each',
  unit: 'ns',
  sizeLabel: 'connections',
  sizes: { full: [100_000], quick: [100_000] },
  isQuick: false,
  rounds: 2,
  nodeFlags: ['--expose-gc'],
  systems: {
    purgatory: beating(() => {
      const idleTimeouts = new IdleTimeouts<Connection>('idle', { timeoutMs: TIMEOUT_MS, onIdle });
      return (connection) => idleTimeouts.touch(connection);
    }),
    'setTimeout, refresh()': beating(() => (connection) => {
      if (connection.timer === undefined) connection.timer = setTimeout(onIdle, TIMEOUT_MS, connection);
      else connection.timer.refresh();
    }),
  },
  rows: [
    {
      title: 'idle timeouts: share of a core for a heartbeat a second each',
      size: 100_000,
      metric: 'core',
      unit: '%',
      peer: 'setTimeout, refresh()',
      bar: { ratio: 0.5 },
      aim: { ratio: 1 },
    },
    {
      title: 'idle timeouts: one touch, in random order',
      size: 100_000,
      metric: 'touch',
      peer: 'setTimeout, refresh()',
      bar: { ratio: 0.5 },
      aim: { ratio: 1 },
    },
    {
      title: 'idle timeouts: one touch, in the order of memory',
      size: 100_000,
      metric: 'in order',
      peer: 'setTimeout, refresh()',
      bar: { ratio: 0.5 },
      aim: { ratio: 1 },
    },
    {
      title: 'idle timeouts: one touch of a connection that is at hand',
      size: 100_000,
      metric: 'at hand',
      peer: 'setTimeout, refresh()',
      bar: { ratio: 0.5 },
      aim: { ratio: 1 },
    },
    {
      title: 'idle timeouts: bytes per connection that is tracked',
      size: 100_000,
      metric: 'bytes',
      unit: 'B',
      peer: 'setTimeout, refresh()',
      bar: { ratio: 1 },
      aim: { ratio: 0.75 },
    },
  ],
};
