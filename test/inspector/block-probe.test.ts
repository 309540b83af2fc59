import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { BlockProbe } from '../../src/inspector/block-probe.ts';
import { pause } from '../support/turns.ts';

function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('BlockProbe', () => {
  let probe: BlockProbe;

  beforeEach(() => {
    probe = new BlockProbe(10);
    probe.start();
  });

  afterEach(() => {
    probe.stop();
  });

  it('tells a block that is just over, which no probe has seen', () => {
    block(100);
    expect(probe.take()).to.be.at.least(90);
  });

  it('tells a block that begins right after it was asked', async () => {
    probe.take();
    block(100);
    await pause(20);
    expect(probe.take()).to.be.at.least(90);
  });

  it('tells a block once', () => {
    block(100);
    probe.take();
    expect(probe.take()).to.be.below(90);
  });

  it('is not taken in by a fake clock that is moved on, whenever that was installed', () => {
    const fakes = useFakeTimers();
    try {
      fakes.tick(3_600_000);
      expect(probe.take()).to.be.below(90);
      probe.stop();
      probe.start();
      fakes.tick(3_600_000);
      expect(probe.take()).to.be.below(90);
    } finally {
      fakes.restore();
    }
  });

  it('begins anew when it is started again, and tells nothing while it is stopped', () => {
    block(100);
    probe.stop();
    expect(probe.take()).to.equal(0);
    probe.start();
    expect(probe.take()).to.be.below(90);
  });
});
