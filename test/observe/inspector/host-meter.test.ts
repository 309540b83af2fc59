import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { type Host, host } from '../../../src/observe/inspector/host.ts';
import { HostMeter } from '../../../src/observe/inspector/host-meter.ts';

const HOUR = 3_600_000;

/** A host whose thread runs for half of the time that passes. */
class HalfBusyHost implements Host {
  nowMs = 0;
  #probe: (() => void) | undefined;
  #probeMs = 0;

  now(): number {
    return this.nowMs;
  }

  wallNow(): number {
    return this.nowMs;
  }

  every(ms: number, run: () => void): () => void {
    this.#probe = run;
    this.#probeMs = ms;
    return () => {
      this.#probe = undefined;
    };
  }

  spent(): readonly [number, number] {
    return [this.nowMs / 2, this.nowMs / 4];
  }

  /** No probe runs for so long. */
  block(ms: number): void {
    this.nowMs += ms;
  }

  /** Probes run in time. */
  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += this.#probeMs) {
      this.nowMs += this.#probeMs;
      this.#probe?.();
    }
  }
}

describe('HostMeter', () => {
  let half: HalfBusyHost;
  let meter: HostMeter;

  beforeEach(() => {
    half = new HalfBusyHost();
    meter = new HostMeter(half, 10);
    meter.start();
  });

  it('tells a block that is just over, which no probe has seen', () => {
    half.pass(50);
    half.block(100);
    expect(meter.take().blocked).to.deep.equal({ overMs: 90, ranMs: 50, waitedMs: 25 });
  });

  it('tells a block that begins right after it was asked', () => {
    meter.take();
    half.block(100);
    half.pass(20);
    expect(meter.take().blocked.overMs).to.equal(100); // to the next probe, without its interval
  });

  it('tells a block once', () => {
    half.block(100);
    meter.take();
    half.pass(20);
    expect(meter.take().blocked.overMs).to.equal(0);
  });

  it('tells how much of a block it ran, and of the whole span', () => {
    half.pass(30);
    half.block(200);
    const { overMs, ranMs, waitedMs, blocked } = meter.take();
    expect([overMs, ranMs, waitedMs]).to.deep.equal([230, 115, 57.5]);
    expect(blocked).to.deep.equal({ overMs: 190, ranMs: 100, waitedMs: 50 });
  });

  it('begins anew when it is started again', () => {
    half.block(100);
    meter.stop();
    meter.start();
    expect(meter.take().blocked.overMs).to.equal(0);
  });

  it('tells a block of the process itself, and what it ran', () => {
    const own = new HostMeter(host, 10);
    own.start();
    for (const [ranMs] = [host.spent()[0]]; host.spent()[0] < ranMs + 50; );
    const { blocked } = own.take();
    own.stop();
    expect(blocked.ranMs).to.be.within(40, blocked.overMs);
  });

  it('is not taken in by a fake clock that is moved on, whenever that was installed', () => {
    const own = new HostMeter(host, 10);
    own.start();
    const fakes = useFakeTimers();
    try {
      fakes.tick(HOUR);
      expect(own.take().blocked.overMs).to.be.below(HOUR);
      own.stop();
      own.start();
      fakes.tick(HOUR);
      expect(own.take().blocked.overMs).to.be.below(HOUR);
    } finally {
      fakes.restore();
      own.stop();
    }
  });
});
