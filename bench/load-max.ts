/**
 * Kafka's load model on the real clock, as fast as it goes: operations a second, parked and
 * completed or expired. And the memory of the process at the end.
 */
import { LoadModel } from './harness/load-model.ts';
import { cpuNs, turn } from './harness/measure.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { idiom, parkingPeers } from './peers/parking-peers.ts';

/** Operations a turn of the event loop: what a busy server reads from its sockets in one poll. */
const perTurn = 100;

function asFastAsItGoes(make: MakeParkingPeer): System {
  return async ({ quick }: Run): Promise<Measured> => {
    const load = new LoadModel(make);
    const runFor = async (ms: number): Promise<number> => {
      const { done } = load;
      const start = cpuNs();
      for (const endMs = performance.now() + ms; performance.now() < endMs; ) {
        load.park(perTurn);
        load.complete();
        await turn();
      }
      // By CPU time, as a core of one's own would: the loop never sleeps.
      return ((load.done - done) / (cpuNs() - start)) * 1e9;
    };
    await runFor(quick ? 500 : 1_500);
    const rate = await runFor(quick ? 500 : 2_000);
    return { 'operations/s': rate, 'MB resident': process.memoryUsage.rss() / 2 ** 20 };
  };
}

export const loadMax: Workload = {
  name: 'load-max',
  title: 'Kafka’s load model, as fast as it goes',
  unit: '/s',
  sizeLabel: 'keys',
  sizes: { full: [100], quick: [100] },
  systems: Object.fromEntries(
    Object.entries(parkingPeers).map(([name, make]) => [name, asFastAsItGoes(make)]),
  ),
  rows: ['purgatory', 'purgatory, 8 subclasses'].map((system) => ({
    title: `Kafka’s load model, as fast as it goes${system === 'purgatory' ? '' : '; 8 subclasses'}`,
    system,
    size: 100,
    metric: 'operations/s',
    peer: idiom,
    higherIsBetter: true,
    bar: { ratio: 2.2, value: 500_000 },
    aim: { value: 1_000_000 },
  })),
};
