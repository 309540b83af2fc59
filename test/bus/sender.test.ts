import { expect } from 'chai';
import { type Bus, createBus, type TransportLink } from '../../src/bus/index.ts';
import { turn, until } from '../support/turns.ts';
import { Listener } from './rig.ts';

const BUSES = 20;

describe('the sender of a bus', () => {
  it('counts the hints of a frame, so that frames of many buses do not block the event loop', async () => {
    let frames = 0;
    const slowBus = (): Bus => {
      let link: TransportLink;
      return createBus({
        engine: 'slow',
        connect(given) {
          link = given;
          link.up();
        },
        publish(text) {
          if (!text.includes('"h"')) {
            link.received(text); // an echo
            return undefined;
          }
          for (const endMs = performance.now() + 2; performance.now() < endMs; );
          frames++;
          return Promise.resolve();
        },
        disconnect: () => undefined,
      });
    };
    const buses = Array.from({ length: BUSES }, slowBus);
    try {
      await until(() => buses.every(({ state }) => state === 'live'));
      const flushed = buses.map((bus) => {
        const { publish } = bus.join(new Listener('orders'));
        for (let key = 0; key < 100; key++) publish(`${key}`);
        return bus.flush();
      });
      while (frames === 0) await turn(); // other work of the turn may have used up its slice
      expect(frames).to.be.at.most(BUSES / 2); // a slice is 5 ms
      await Promise.all(flushed);
      expect(frames).to.equal(BUSES);
    } finally {
      await Promise.all(buses.map((bus) => bus.close()));
    }
  });
});
