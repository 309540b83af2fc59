import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { host } from '../../../src/observe/inspector/host.ts';
import { HostMeter } from '../../../src/observe/inspector/host-meter.ts';
import { pause } from '../../support/turns.ts';

function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('HostMeter', () => {
  let meter: HostMeter;

  beforeEach(() => {
    meter = new HostMeter(host, 10);
    meter.start();
  });

  afterEach(() => {
    meter.stop();
  });

  it('tells a block that is just over, which no probe has seen', () => {
    block(100);
    expect(meter.take().blocked.overMs).to.be.at.least(90);
  });

  it('tells a block that begins right after it was asked', async () => {
    meter.take();
    block(100);
    await pause(20);
    expect(meter.take().blocked.overMs).to.be.at.least(90);
  });

  it('tells a block once', () => {
    block(100);
    meter.take();
    expect(meter.take().blocked.overMs).to.be.below(90);
  });

  it('is not taken in by a fake clock that is moved on, whenever that was installed', () => {
    const fakes = useFakeTimers();
    try {
      fakes.tick(3_600_000);
      expect(meter.take().blocked.overMs).to.be.below(90);
      meter.stop();
      meter.start();
      fakes.tick(3_600_000);
      expect(meter.take().blocked.overMs).to.be.below(90);
    } finally {
      fakes.restore();
    }
  });

  it('tells how much of a block it ran, and of the whole span', async () => {
    await pause(30);
    block(200);
    const { overMs, ranMs, blocked } = meter.take();
    expect(overMs).to.be.at.least(220);
    expect(ranMs).to.be.within(1, overMs);
    expect(blocked.ranMs).to.be.within(1, blocked.overMs);
  });

  it('begins anew when it is started again', () => {
    block(100);
    meter.stop();
    meter.start();
    expect(meter.take().blocked.overMs).to.be.below(90);
  });
});
