/** The parking systems by the name that the table and the plots show. */
import { callbackIdiom, onceIdiom, promiseIdiom } from './idiom.ts';
import type { MakeParkingPeer } from './parking-peer.ts';
import { megamorphicParking, purgatoryParking } from './purgatory-parking.ts';

/** Those that can complete by an event what is ready, and leave parked what is not. */
export const parkingPeers: Record<string, MakeParkingPeer> = {
  purgatory: purgatoryParking as MakeParkingPeer,
  'purgatory, 8 subclasses': megamorphicParking as MakeParkingPeer,
  'Map, Set, setTimeout': callbackIdiom as MakeParkingPeer,
  'Map, Set, setTimeout, Promise': promiseIdiom as MakeParkingPeer,
};

/** All: for the workload that completes each operation by itself. */
export const completingPeers: Record<string, MakeParkingPeer> = {
  ...parkingPeers,
  'events.once, AbortSignal': onceIdiom as MakeParkingPeer,
};

export const idiom = 'Map, Set, setTimeout';
