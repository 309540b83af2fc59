/** The parking systems by the name that the table and the plots show. */
import { callbackIdiom, onceIdiom, promiseIdiom } from './idiom.ts';
import type { MakeParkingPeer } from './parking-peer.ts';
import { megamorphicParking, purgatoryParking } from './purgatory-parking.ts';

export const idiom = 'Map, Set, setTimeout';
export const idiomWithPromise = 'Map, Set, setTimeout, Promise';

/** Systems that can complete by an event what is ready, and leave the rest parked. */
export const parkingPeers: Record<string, MakeParkingPeer> = {
  purgatory: purgatoryParking as MakeParkingPeer,
  'purgatory, 8 subclasses': megamorphicParking as MakeParkingPeer,
  [idiom]: callbackIdiom as MakeParkingPeer,
  [idiomWithPromise]: promiseIdiom as MakeParkingPeer,
};

/** All: for the workload that completes each operation by itself. */
export const completingPeers: Record<string, MakeParkingPeer> = {
  ...parkingPeers,
  'events.once, AbortSignal': onceIdiom as MakeParkingPeer,
};
