/**
 * What the parking workloads need of a system. A child makes one system only, so the calls stay
 * monomorphic.
 */
export interface ParkingPeer<Op = unknown, Key = string> {
  /**
   * A new operation that is not parked yet. `onDone(expired)` is called once, when it completes or
   * expires.
   */
  operation(timeoutMs: number): Op;
  park(op: Op, keys: readonly Key[]): void;
  /** Completes it now, whatever its condition says. */
  complete(op: Op): void;
  /** Makes its condition true: the next event on a key of its completes it. */
  ready(op: Op): void;
  /** An event: completes those watching `key` that are ready. */
  check(key: Key): void;
  /** How many it has completed or expired. */
  readonly done: number;
}

export interface ParkingPeerOptions {
  /** Called with each operation that its deadline ends. */
  onExpired?: (op: unknown) => void;
}

export type MakeParkingPeer = (options?: ParkingPeerOptions) => ParkingPeer;
