import { expect } from 'chai';
import { Purgatory } from '../../../src/index.ts';
import { NO_EVENTS } from '../../../src/purgatory/telemetry/purgatory-snapshot.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { Op } from '../../support/op.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { turn } from '../../support/turns.ts';

/** A purgatory with `herds`, by key, whose tries take `tryMs` each by its clock. */
function herds(sizes: Readonly<Record<string, number>>, tryMs: () => number) {
  const clock = new SlowClock();
  const purgatory = new Purgatory<string, Op>('herds', { clock });
  const tried: Record<string, number> = {};
  let isParked = false;
  for (const [key, size] of Object.entries(sizes)) {
    tried[key] = 0;
    const onTry = (): void => {
      if (!isParked) return;
      tried[key]++;
      clock.advance(tryMs());
    };
    for (let i = 0; i < size; i++) purgatory.tryCompleteElseWatch(new Op(`${key}${i}`, { onTry }), [key]);
  }
  isParked = true;
  return { purgatory, clock, tried };
}

describe('events in purgatory.snapshot()', () => {
  it('name the event that has been under way longest, with what it has tried, of how many, and its age', async () => {
    const { purgatory, clock, tried } = herds({ 'orders-0': 200, 'orders-1': 300 }, () => 1);
    expect(purgatory.snapshot().events).to.deep.equal(NO_EVENTS);
    purgatory.notify('orders-0');
    await turn();
    purgatory.notify('orders-1');
    for (let turns = 0; turns < 3; turns++) {
      await turn();
      const { oldestMs, oldestPass } = purgatory.snapshot().events;
      expect(oldestPass).to.deep.equal({
        key: 'orders-0',
        watchers: 200,
        tried: tried['orders-0'],
        ageMs: oldestMs,
      });
      expect(oldestMs).to.equal(clock.now());
    }
    expect(tried['orders-0']).to.be.within(20, 199);
    await purgatory.served();
    expect(purgatory.snapshot().events.oldestPass).to.equal(null);
  });

  it('tell what a try takes, once one was timed', async () => {
    let tryMs = 1;
    const { purgatory } = herds({ small: 1, large: 60_000 }, () => tryMs);
    expect(purgatory.snapshot().events.tryMs).to.equal(null);
    purgatory.notify('small');
    await purgatory.served();
    expect(purgatory.snapshot().events.tryMs).to.equal(1);
    purgatory.notify('large');
    await purgatory.served();
    expect(purgatory.snapshot().events.tryMs).to.equal(1);
    tryMs = 3;
    for (let i = 0; i < 4; i++) purgatory.notify('large');
    await purgatory.served();
    expect(purgatory.snapshot().events.tryMs).to.be.within(2, 3);
  });

  it('leave out of that a batch in which the process was blocked', async () => {
    let tried = 0;
    const { purgatory } = herds({ large: 1_000 }, () => (++tried === 500 ? 60_000 : 1));
    purgatory.notify('large');
    await purgatory.served();
    expect(purgatory.snapshot().events.tryMs).to.equal(1);
  });

  it('name the key of a slow condition, after its first event, also where all tries are slow', async () => {
    for (const [watchers, tryMs] of [
      [1, 50],
      [1, 200],
      [16, 50],
      [16, 200],
    ]) {
      const { purgatory, clock } = herds({ slow: watchers }, () => tryMs);
      expect(purgatory.snapshot().events.slowTry).to.equal(null);
      for (let events = 0; events < 3; events++) {
        purgatory.notify('slow');
        await purgatory.served();
        const { slowTry, tryMs: mean } = purgatory.snapshot().events;
        const atMs = clock.now() - tryMs * (events === 0 ? watchers : 1); // the last batch
        expect([slowTry, mean], `${watchers} of ${tryMs} ms`).to.deep.equal([
          { key: 'slow', type: 'Op', tryMs, atMs },
          tryMs,
        ]);
      }
    }
  });

  it('are none of a ThresholdPurgatory, and an object of its own each time', () => {
    const purgatory = new ThresholdPurgatory<string>('levels');
    const { events } = purgatory.snapshot();
    expect(events).to.deep.equal(NO_EVENTS);
    events.pendingKeys = 5;
    expect(purgatory.snapshot().events.pendingKeys).to.equal(0);
  });
});
