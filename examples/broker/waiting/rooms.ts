/** The four purgatories of a broker, on one timer: what waits in each, the README's table tells. */

import { Purgatory, type PurgatoryOptions, type SystemTimer } from 'purgatory';
import { ThresholdPurgatory } from 'purgatory/threshold';
import { describeFault } from '../fault.ts';
import type { Log } from '../log-lines.ts';
import type { AckPurgatory } from './delayed-produce.ts';
import { type AnyPurgatory, type WaitingOperation, WaitingRoom } from './waiting-room.ts';

export interface Rooms {
  readonly fetch: WaitingRoom;
  readonly produce: WaitingRoom<AckPurgatory>;
  readonly join: WaitingRoom;
  readonly heartbeat: WaitingRoom;
}

/** `log` gets one line for a fault in an operation. */
export function createRooms(timer: SystemTimer, maxParked: number, log: Log): Rooms {
  const room = <P extends AnyPurgatory>(
    Kind: new (name: string, options: PurgatoryOptions) => P,
    name: string,
    maxParked = Infinity,
  ) => {
    const onError = (error: unknown) =>
      log(`a fault in the ${name} purgatory: ${describeFault(error)}`, 'limited');
    return new WaitingRoom(new Kind(name, { timer, maxParked, onError }), maxParked);
  };
  return {
    fetch: room(Purgatory<string, WaitingOperation>, 'fetch', maxParked),
    produce: room(ThresholdPurgatory<string, number, WaitingOperation>, 'produce', maxParked),
    // A group must never be refused its join or a member its session half-way: the coordinator
    // limits the members.
    join: room(Purgatory<string, WaitingOperation>, 'join'),
    heartbeat: room(Purgatory<string, WaitingOperation>, 'heartbeat'),
  };
}
