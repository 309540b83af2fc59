// The same over each engine: what two buses do when it is killed, and afterwards.
import { expect } from 'chai';
import type { Bus } from '../../../../src/bus/bus-options.ts';
import { livePair } from '../../../bus/live.ts';
import type { Engine } from '../../../support/engines.ts';
import { until } from '../../../support/turns.ts';

/** Nothing throws, a hint of that time is kept or made good by a sweep, and later ones arrive. */
export async function survivesKill(engine: Engine, a: Bus, b: Bus): Promise<void> {
  const { others: listener, publish } = await livePair(a, b);
  const { sweeps } = listener;
  await engine.kill();
  await until(() => expect([a.state, b.state]).to.deep.equal(['gap', 'gap']), 'both are in a gap');
  publish('kept');
  await engine.start();
  await until(
    () => expect([a.state, b.state, a.snapshot().pendingKeys]).to.deep.equal(['live', 'live', 0]),
    'both are live again, and nothing is pending',
  );
  await until(
    () => listener.heard.includes('kept') || listener.sweeps > sweeps,
    'what was kept is heard, or all is swept',
  );
  // A busy machine may be so slow with an echo that there is one more gap.
  await until(() => {
    publish('later');
    return listener.heard.includes('later');
  });
  await until(() => expect(a.snapshot().peers).to.equal(1), 'the other is a peer');
  await b.close();
  await until(() => expect(a.snapshot().peers).to.equal(0), 'it has said goodbye');
}
