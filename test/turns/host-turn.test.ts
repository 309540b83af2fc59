import { expect } from 'chai';
import { HostTurn } from '../../src/turns/host-turn.ts';

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
});
