import { expect } from 'chai';
import { type Clock, ManualClock, SystemTimer, type WakeUp } from '../../src/index.ts';

/** The time of a machine, which may be another's after a snapshot, or set back by its owner. */
class ResetClock implements Clock {
  readonly isStill = true;
  readonly #manual = new ManualClock();
  #atMs = 1_000_000;

  now(): number {
    return this.#manual.now() + this.#atMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    return this.#manual.wakeAt(atMs - this.#atMs, wake);
  }

  advance(ms: number): void {
    this.#manual.advance(ms);
  }

  goBack(ms: number): void {
    this.#atMs -= ms;
  }
}

describe('behaviour 8: a timer whose clock goes back', () => {
  it('by more than a second begins anew: what is pending keeps the rest of its delay', () => {
    const clock = new ResetClock();
    const timer = new SystemTimer({ clock, tickMs: 1 });
    const ran: string[] = [];
    timer.schedule(() => ran.push('old'), 100);
    clock.advance(40);
    timer.schedule(() => ran.push('older'), 200);
    clock.goBack(900_000.5);
    timer.schedule(() => ran.push('new'), 10);
    expect(timer.nextExpirationMs).to.be.within(clock.now(), clock.now() + 60);
    clock.advance(9);
    expect(ran).to.deep.equal([]);
    clock.advance(2);
    expect(ran).to.deep.equal(['new']);
    clock.advance(48);
    expect(ran).to.deep.equal(['new']);
    clock.advance(3);
    expect(ran).to.deep.equal(['new', 'old']);
    clock.goBack(90_000);
    clock.advance(400);
    expect(ran).to.deep.equal(['new', 'old', 'older']);
    timer.close();
  });

  it('by less stands still until the clock has caught up', () => {
    const clock = new ResetClock();
    const timer = new SystemTimer({ clock, tickMs: 1 });
    let runs = 0;
    timer.now();
    clock.goBack(500);
    timer.schedule(() => runs++, 10);
    clock.advance(509);
    expect(runs).to.equal(0);
    clock.advance(1);
    expect(runs).to.equal(1);
    timer.close();
  });
});
