import { expect } from 'chai';
import fc from 'fast-check';
import type { BusOptions } from '../../src/bus/bus-options.ts';
import type { BusMember, MergeValues } from '../../src/bus/membership/bus-member.ts';
import { LocalHub } from '../../src/bus/transports/local-hub.ts';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { runs } from '../property/runs.ts';
import { Op } from '../support/op.ts';
import { turn } from '../support/turns.ts';
import { HeldSender } from './held-sender.ts';

/**
 * Purgatories of one name, each on a bus of its own, with `waiters` operations on `k` each. They are
 * ready once the buses are live and have swept and subscribed.
 */
async function processes(count: number, waiters: number, options?: BusOptions) {
  const clock = new ManualClock();
  const hub = new LocalHub({ clock });
  const buses = Array.from({ length: count }, () => hub.bus(options));
  const purgatories = buses.map((bus) => new Purgatory<string, Op>('orders', { bus, clock }));
  const ops = purgatories.map((purgatory) =>
    Array.from({ length: waiters }, (_, i) => {
      const op = new Op(`${i}`);
      purgatory.tryCompleteElseWatch(op, ['k']);
      return op;
    }),
  );
  await turn();
  clock.advance(10_000);
  for (const op of ops.flat()) op.ready = true;
  return {
    clock,
    hub,
    buses,
    purgatories,
    completed: () => ops.map((each) => each.filter((op) => op.isCompleted).map((op) => Number(op.label))),
  };
}

describe('a limit of notify over a bus', () => {
  for (const routing of ['broadcast', 'interest'] as const) {
    it(`holds in each process, in park order (behaviour 28, ${routing})`, async () => {
      const { clock, purgatories, buses, completed } = await processes(2, 5, { routing });
      const before = buses[0].snapshot().totals.routed;
      purgatories[0].notify('k', { atMost: 2 });
      await turn();
      clock.advance(1);
      expect(completed()).to.deep.equal([
        [0, 1],
        [0, 1],
      ]);
      expect(buses[0].snapshot().totals.routed - before).to.equal(routing === 'interest' ? 1 : 0);
      purgatories[1].notify('k');
      await turn();
      clock.advance(1);
      expect(completed().map(({ length }) => length)).to.deep.equal([5, 5]);
    });
  }

  it('holds where more than 64 wait, too', async () => {
    const { clock, purgatories, completed } = await processes(2, 100);
    purgatories[0].notify('k', { atMost: 3 });
    await turn();
    clock.advance(1);
    await turn();
    expect(completed()).to.deep.equal([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  it('adds up until a frame goes out, and is gone with a notify that has none', async () => {
    const { clock, purgatories, completed } = await processes(2, 9);
    purgatories[0].notify('k', { atMost: 1 });
    await turn();
    purgatories[0].notify('k', { atMost: 2 });
    await turn();
    clock.advance(1);
    expect(completed()[1]).to.deep.equal([0, 1, 2]);
    purgatories[0].notify('k', { atMost: 1 });
    await turn();
    purgatories[0].notify('k');
    purgatories[0].notify('k', { atMost: 1 });
    await turn();
    clock.advance(1);
    expect(completed()[1]).to.have.length(9);
  });

  it('does not hold for the sweep after a gap', async () => {
    const { clock, hub, buses, purgatories, completed } = await processes(2, 5);
    hub.cut(buses[1]);
    purgatories[0].notify('k', { atMost: 1 });
    await turn();
    clock.advance(100);
    expect(completed()).to.deep.equal([[0], []]);
    hub.mend(buses[1]);
    clock.advance(10_000);
    expect(completed()).to.deep.equal([[0], [0, 1, 2, 3, 4]]);
  });

  it('that is no count is none', async () => {
    const { clock, hub, completed } = await processes(1, 5);
    const other = hub.bus();
    const { publish } = other.join({ name: 'orders', hinted: () => false, sweep: (ended) => ended(0) });
    clock.advance(100);
    publish('k', -1);
    clock.advance(1);
    expect(completed()[0]).to.have.length(5);
  });
});

describe('what is to be sent, for a member that says how values become one', () => {
  const sum: MergeValues = (earlier, later) =>
    earlier === undefined || later === undefined ? undefined : Number(earlier) + Number(later);
  const summing: BusMember = { name: 'orders', hinted: () => false, sweep: () => {}, merge: sum };
  const sent = (sender: HeldSender): unknown[] => sender.send().hints.map(({ key, value }) => [key, value]);

  it('agrees with a list of hints, whatever was sent, lost and published again', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
    const publish = fc.record({ key: fc.constantFrom('a', 'b', 'c'), limit });
    const steps = fc.array(fc.oneof(publish, fc.constantFrom('send', 'confirm', 'lose')), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (all) => {
        const sender = new HeldSender();
        let pending: { key: string; limit: number | undefined }[] = [];
        let underWay: typeof pending = [];
        for (const step of all) {
          if (typeof step === 'object') {
            pending.push(step);
            sender.publish(summing, step.key, step.limit);
          } else if (step === 'send' && underWay.length === 0) {
            sender.send();
            [underWay, pending] = [pending, []];
          } else if (step !== 'send' && underWay.length > 0) {
            if (step === 'confirm') sender.confirm();
            else {
              sender.lose();
              pending = [...underWay, ...pending];
            }
            underWay = [];
          }
        }
        if (underWay.length > 0) sender.confirm();
        const expected = new Map<string, number | undefined>();
        for (const { key } of pending) {
          const limits = pending.filter((each) => each.key === key).map((each) => each.limit);
          const isLimited = limits.every((each) => each !== undefined);
          expected.set(key, isLimited ? limits.reduce((total, each) => total + each, 0) : undefined);
        }
        expect(new Map(sent(sender) as [string, unknown][])).to.deep.equal(expected);
      }),
      runs(500),
    );
  });
});
