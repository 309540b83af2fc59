/**
 * Bytes that stay live: per pending task and per parked operation with 3 keys, the task or operation itself included, and of an
 * engine after a million have come and gone, beside those of one that was never used.
 */
import { liveBytes } from './harness/measure.ts';
import { integers, keyLists } from './harness/random.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import type { MakeParkingPeer, ParkingPeer } from './peers/parking-peer.ts';
import { idiom, parkingPeers } from './peers/parking-peers.ts';
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

function perOperation(make: MakeParkingPeer): System {
  return async ({ size }: Run): Promise<Measured> => {
    const delays = integers(size, 60_000, 600_000);
    const lists = keyLists(
      1 << 14,
      Array.from({ length: 100 }, (_, index) => `topic-${index}`),
      3,
    );
    const ops: unknown[] = new Array(size).fill(undefined);
    const parkAll = (peer: ParkingPeer, count = size): void => {
      for (let index = 0; index < count; index++) {
        ops[index] = peer.operation(delays[index]);
        peer.park(ops[index], lists[index & 0x3fff]);
      }
    };
    const completeAll = (peer: ParkingPeer): void => {
      for (const op of ops) if (op !== undefined) peer.complete(op);
      ops.fill(undefined);
    };
    // Once for the code and its feedback, which are no engine's.
    const first = make();
    parkAll(first, 20_000);
    completeAll(first);

    // What an engine holds is what its release gives back: two readings in a row, whatever the code's own bytes do meanwhile.
    const idle: ParkingPeer[] = Array.from({ length: idleEngines }, () => make());
    const withIdle = await liveBytes();
    idle.length = 0;
    const idleBytes = (withIdle - (await liveBytes())) / idleEngines;

    const before = await liveBytes();
    let peer: ParkingPeer | undefined = make();
    parkAll(peer);
    const operation = ((await liveBytes()) - before) / size;
    completeAll(peer);
    const withPeer = await liveBytes();
    peer = undefined;
    const after = withPeer - (await liveBytes());
    return { operation, idle: idleBytes, after, 'after / idle': after / idleBytes };
  };
}

const idleEngines = 50;

export const memory: Workload = {
  name: 'memory',
  title: 'Bytes that stay live',
  unit: 'B',
  sizeLabel: 'tasks or operations',
  sizes: { full: [100_000, 1_000_000], quick: [1_000_000] },
  rounds: 1,
  // A million promises take half a minute to park, and tell no more than a tenth of them.
  runs: (system, size) => size < 1_000_000 || !system.includes('Promise'),
  nodeFlags: ['--expose-gc'],
  systems: {
    ...Object.fromEntries(Object.entries(realTimers).map(([name, make]) => [`${name}: task`, perTask(make)])),
    ...Object.fromEntries(
      Object.entries(parkingPeers).map(([name, make]) => [`${name}: operation`, perOperation(make)]),
    ),
  },
  rows: [
    {
      title: 'bytes per pending task, the task included',
      system: 'purgatory: task',
      size: 1_000_000,
      metric: 'task',
      peer: 'setTimeout: task',
      bar: { value: 100 },
      aim: { value: 64 },
    },
    {
      title: 'bytes per parked operation with 3 keys, the operation included',
      system: 'purgatory: operation',
      size: 1_000_000,
      metric: 'operation',
      peer: `${idiom}: operation`,
      bar: { value: 216 },
      aim: { value: 160 },
    },
    {
      title: 'an engine after 1M parked and completed, by an idle one',
      system: 'purgatory: operation',
      size: 1_000_000,
      metric: 'after / idle',
      unit: 'x',
      bar: { value: 4 },
      aim: { value: 1 },
    },
  ],
};
