// A sender over an engine that takes nothing by itself: each batch is confirmed, or lost, by the test.

import { BusContext } from '../../src/bus/bus-context.ts';
import { type Bus, checkedBusOptions } from '../../src/bus/bus-options.ts';
import type { Connection, Done } from '../../src/bus/connection.ts';
import { type Frame, frameText, readFrame } from '../../src/bus/frames.ts';
import type { BusMember, HintValue } from '../../src/bus/membership/bus-member.ts';
import type { Receiver } from '../../src/bus/receiver.ts';
import { Sender } from '../../src/bus/sender.ts';
import { ManualClock } from '../../src/index.ts';

export class HeldSender {
  readonly #sender: Sender;
  readonly #base: BusContext;
  #held: { readonly body: string; readonly done: Done } | undefined;

  constructor(maxFrameBytes = 16_000) {
    const options = checkedBusOptions({ maxPendingKeys: 10, clock: new ManualClock(), onError() {} });
    this.#base = new BusContext({} as Bus, 'none', options);
    const publish = (body: string, done: Done): void => {
      this.#held = { body, done };
    };
    const connection = { state: 'live', publish, maxFrameBytes } as unknown as Connection;
    this.#sender = new Sender(this.#base, connection, {} as Receiver);
  }

  get pendingKeys(): number {
    return this.#sender.pendingKeys;
  }

  /** Keys that became part of a "try everything". */
  get overflowed(): number {
    return this.#base.meter.counts.overflowed;
  }

  publish(member: BusMember, key: string, value?: HintValue): void {
    this.#sender.publish({ member, key, value });
  }

  /** Sends what is pending, if anything is. Returns the frame. */
  send(): Frame {
    this.#held = undefined;
    this.#sender.send();
    return readFrame(frameText(this.#held ? (this.#held as { body: string }).body : ''));
  }

  /** The engine has taken the batch. */
  confirm(): void {
    this.#held?.done();
  }

  /** The connection has broken. */
  lose(): void {
    this.#sender.restore();
  }
}
