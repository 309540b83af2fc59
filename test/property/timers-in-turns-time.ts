// The system clock and the host's timers in a test that owns the time.
//
// Turns and wake-ups are the real host's. Its timers come after 1 ms of real time, however long
// they were asked to wait: so they are early or late by the time of the test. Before the first of a
// turn comes, the poll of the loop takes `pollMs`.
import { setTimeout as hostTimeout } from 'node:timers';
import sinon from 'sinon';
import { host } from '../../src/base/host.ts';
import type { SystemClock } from '../../src/clock/system-clock.ts';
import { systemClock } from '../../src/index.ts';

const START_MS = 1_000;

export class OwnedTime {
  nowMs = START_MS;
  readonly #pollMs: number;
  #hasPolled = false;

  /** Owns the time until `giveBack`. */
  constructor(pollMs: number) {
    this.#pollMs = pollMs;
    systemClock.now(); // sees that a fake of an earlier test has gone
    sinon.stub(systemClock, 'now').callsFake(() => this.nowMs);
    sinon.stub(systemClock as SystemClock, 'wasWokenEarly'); // this host is early on purpose
    const soon = (fire: (...args: unknown[]) => void, _ms: number, ...args: unknown[]): unknown =>
      hostTimeout(() => {
        this.#poll();
        fire(...args);
      }, 1);
    sinon.stub(host, 'setTimeout').value(soon);
    sinon.stub(globalThis, 'setTimeout').value(soon); // else it would be a foreign one
  }

  /** A turn begins. */
  beginTurn(): void {
    this.#hasPolled = false;
  }

  #poll(): void {
    if (this.#hasPolled) return;
    this.#hasPolled = true;
    this.nowMs += this.#pollMs;
  }

  giveBack(): void {
    sinon.restore();
  }
}
