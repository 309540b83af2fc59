import { expect } from 'chai';
import { HostTurn } from '../../src/clock/host-turn.ts';

describe('A turn of the host', () => {
  it('comes soon where the loop waits for events, though it is not held', async () => {
    const startMs = performance.now();
    const event = setTimeout(() => {}, 5_000);
    await new Promise<void>((resolve) => {
      new HostTurn(resolve).isHeld = false;
      while (performance.now() < startMs + 5); // the loop finds the alarm due before it waits
    });
    clearTimeout(event);
    expect(performance.now() - startMs).to.be.below(2_500);
  });
  it('keeps the process alive while it is held', async () => {
    const held = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Immediate').length;
    const before = held();
    await new Promise<void>((resolve) => {
      const turn = new HostTurn(resolve);
      expect(held()).to.equal(before + 1);
      turn.isHeld = false;
      expect(held()).to.equal(before);
      turn.isHeld = true;
      expect(held()).to.equal(before + 1);
    });
  });
});
