import { expect } from 'chai';
import { type Bus, createBus, type TransportLink } from '../../src/bus/index.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn, until } from '../support/turns.ts';
import { Listener } from './rig.ts';

describe('the sender of a bus', () => {
  it('counts the hints of a frame, so that frames of many buses do not block the event loop', async () => {
    const clock = new SlowClock();
    let frames = 0;
    const slowBus = (): Bus => {
      let link: TransportLink;
      return createBus(
        {
          engine: 'slow',
          connect(given) {
            link = given;
            link.up();
          },
          publish(text) {
            if (!text.includes('"h"'))
              link.received(text); // an echo
            else if (++frames > 0) clock.advance(2);
            return undefined;
          },
          disconnect: () => undefined,
        },
        { clock },
      );
    };
    const buses = Array.from({ length: 20 }, slowBus);
    await turn();
    for (const bus of buses) {
      const { publish } = bus.join(new Listener('orders'));
      for (let key = 0; key < 100; key++) publish(`${key}`);
      void bus.flush();
    }
    await turn();
    expect(frames, 'a slice is 5 ms').to.equal(3);
    await until(() => expect(frames).to.equal(20));
  });
});
