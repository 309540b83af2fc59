import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { host } from '../../../src/observe/inspector/host.ts';
import { HostMeter } from '../../../src/observe/inspector/host-meter.ts';
import { FakeHost } from './fake-host.ts';

const HOUR = 3_600_000;

describe('HostMeter', () => {
  let fake: FakeHost;
  let meter: HostMeter;

  beforeEach(() => {
    fake = new FakeHost(0);
    meter = new HostMeter(fake, 10);
    meter.start();
  });

  it('tells a block that is just over, which no probe has seen', async () => {
    await fake.advance(50);
    fake.block(100, 25);
    expect(meter.take().blocked).to.deep.equal({ overMs: 90, ranMs: 75, waitedMs: 25 });
  });

  it('tells a block that begins right after it was asked, and tells it once', async () => {
    meter.take();
    fake.block(100);
    await fake.advance(20);
    expect(meter.take().blocked).to.deep.equal({ overMs: 90, ranMs: 90, waitedMs: 0 });
    await fake.advance(20);
    expect(meter.take().blocked.overMs).to.equal(0);
  });

  it('tells how much of a block it ran, and of the whole span', async () => {
    fake.block(5);
    await fake.advance(25);
    fake.block(200, 50);
    const { overMs, ranMs, waitedMs, blocked } = meter.take();
    expect([overMs, ranMs, waitedMs]).to.deep.equal([230, 155, 50]);
    expect(blocked).to.deep.equal({ overMs: 190, ranMs: 150, waitedMs: 50 });
  });

  it('begins anew when it is started again', () => {
    fake.block(100);
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
