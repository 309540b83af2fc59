/**
 * Bytes that stay live: for a pending task, and for a parked operation with 3 keys, the task or
 * operation included. Also those of an engine after a million operations have come and gone, beside
 * an engine that was never used.
 */
import { liveBytes } from './harness/measure.ts';
import { integers, keyLists } from './harness/random.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import type { MakeParkingPeer, ParkingPeer } from './peers/parking-peer.ts';
import { idiom, parkingPeers } from './peers/parking-peers.ts';
import { purgatoryParking } from './peers/purgatory-parking.ts';
import type { MakeTimerPeer } from './peers/timer-peer.ts';
import { realTimers } from './peers/timer-peers.ts';

function perTask(make: MakeTimerPeer): System {
  return async ({ size }: Run): Promise<Measured> => {
    const delays = integers(size, 60_000, 600_000);
    const handles: unknown[] = new Array(size).fill(undefined);
    const peer = make({ onExpire: () => {} });
    peer.cancel(peer.start(delays[0]));
    const before = await liveBytes();
    for (let index = 0; index < size; index++) handles[index] = peer.start(delays[index]);
    const bytes = (await liveBytes()) - before;
    for (const handle of handles) peer.cancel(handle);
    return { task: bytes / size };
  };
}

/** Operations that come and go, on 3 of 100 keys each. Its own memory is in every reading. */
class Load {
  readonly #ops: unknown[];
  readonly #delays: Int32Array;
  readonly #lists = keyLists(
    1 << 14,
    Array.from({ length: 100 }, (_, index) => `topic-${index}`),
    3,
  );

  constructor(size: number) {
    this.#ops = new Array(size).fill(undefined);
    this.#delays = integers(size, 60_000, 600_000);
  }

  parkAll(peer: ParkingPeer): void {
    for (let index = 0; index < this.#ops.length; index++) {
      this.#ops[index] = peer.operation(this.#delays[index]);
      peer.park(this.#ops[index], this.#lists[index & 0x3fff]);
    }
  }

  completeAll(peer: ParkingPeer): void {
    for (const op of this.#ops) peer.complete(op);
    this.#ops.fill(undefined);
  }
}

function perOperation(make: MakeParkingPeer): System {
  return async ({ size }: Run): Promise<Measured> => {
    const peer = make();
    new Load(1_000).parkAll(peer);
    const load = new Load(size);
    const before = await liveBytes();
    load.parkAll(peer);
    return { operation: ((await liveBytes()) - before) / size };
  };
}

/**
 * An engine holds what its release frees. Several are measured at once, because the code's own
 * memory moves the readings.
 */
async function heldBy(engines: ParkingPeer[]): Promise<number> {
  const held = await liveBytes();
  const { length } = engines;
  engines.length = 0;
  return (held - (await liveBytes())) / length;
}

function perEngine(make: MakeParkingPeer): System {
  return async ({ size, quick }: Run): Promise<Measured> => {
    const load = new Load(size);
    const used = (): ParkingPeer => {
      const peer = make();
      load.parkAll(peer);
      load.completeAll(peer);
      return peer;
    };
    used(); // for the code and its feedback, which are no engine's
    const idle = await heldBy(Array.from({ length: 64 }, () => make()));
    const after = await heldBy(Array.from({ length: quick ? 1 : 4 }, used));
    return { idle, after, 'after / idle': after / idle };
  };
}

const engine = 'purgatory: engine';

export const memory: Workload = {
  name: 'memory',
  title: 'Bytes that stay live',
  unit: 'B',
  sizeLabel: 'tasks or operations',
  sizes: { full: [10_000, 100_000, 1_000_000], quick: [100_000, 1_000_000] },
  rounds: 1,
  // Only an engine has to have met a million: to do that in each of the others takes long.
  runs: (system, size) => (system === engine) === (size === 1_000_000),
  nodeFlags: ['--expose-gc'],
  systems: {
    ...Object.fromEntries(Object.entries(realTimers).map(([name, make]) => [`${name}: task`, perTask(make)])),
    ...Object.fromEntries(
      Object.entries(parkingPeers).map(([name, make]) => [`${name}: operation`, perOperation(make)]),
    ),
    [engine]: perEngine(purgatoryParking),
  },
  rows: [
    {
      title: 'bytes per pending task, the task included',
      system: 'purgatory: task',
      size: 100_000,
      metric: 'task',
      peer: 'setTimeout: task',
      bar: { value: 100 },
      aim: { value: 64 },
    },
    {
      title: 'bytes per parked operation with 3 keys, the operation included',
      system: 'purgatory: operation',
      size: 100_000,
      metric: 'operation',
      peer: `${idiom}: operation`,
      bar: { value: 216 },
      aim: { value: 160 },
    },
    {
      title: 'an engine after 1M parked and completed, by an idle one',
      system: engine,
      size: 1_000_000,
      metric: 'after / idle',
      unit: 'x',
      bar: { value: 4 },
      aim: { value: 1 },
    },
  ],
};
