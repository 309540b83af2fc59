/**
 * What the slabs save: the timer and the watch lists beside the same algorithms on objects that are
 * linked to each other. `timer` starts one and cancels the oldest. `parking` parks one on 3 keys of
 * 100 and completes the oldest.
 */
import { integers } from './harness/random.ts';
import { resident } from './harness/resident.ts';
import type { System, Workload } from './harness/types.ts';
import { parkAndComplete } from './park-complete.ts';
import { linkedParking } from './peers/linked-parking.ts';
import { linkedWheel } from './peers/linked-wheel.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { purgatoryParking } from './peers/purgatory-parking.ts';
import { purgatoryTimer } from './peers/purgatory-timer.ts';
import type { MakeTimerPeer } from './peers/timer-peer.ts';
import { startAndCancelOldest } from './steady.ts';

const timer = (make: unknown): System =>
  resident(make as MakeTimerPeer, (size) => integers(size, 1_000, 60_000), startAndCancelOldest);
const parking = (make: unknown): System => parkAndComplete(make as MakeParkingPeer);

const timers = { slab: timer(purgatoryTimer), linked: timer(linkedWheel) };
const parkings = { slab: parking(purgatoryParking), linked: parking(linkedParking) };

function both(kind: 'slab' | 'linked'): System {
  return async (run) => ({
    timer: (await timers[kind](run)).step,
    parking: (await parkings[kind](run)).step,
  });
}

export const layout: Workload = {
  name: 'layout',
  title: 'Slabs and linked objects',
  unit: 'ns',
  sizeLabel: 'timers or operations resident',
  sizes: { full: [10_000, 100_000], quick: [10_000] },
  systems: { purgatory: both('slab'), 'linked objects': both('linked') },
  rows: (['timer', 'parking'] as const).map((metric) => ({
    title: `layout: ${metric}, slabs beside linked objects`,
    size: 100_000,
    metric,
    peer: 'linked objects',
  })),
  isQuick: false,
};
