import { expect } from 'chai';
import { type Bus, type BusMember, LocalHub } from '../../../src/bus/index.ts';
import { ManualClock } from '../../../src/index.ts';
import { SharedWaits, type SharedWaitsOptions } from '../../../src/waits/shared/index.ts';
import { refuses, rejects } from '../../support/refusals.ts';
import { rejection } from '../../support/rejection.ts';
import { turn } from '../../support/turns.ts';

/** One process: its bus, its waits, and what its loads have read. */
interface Process {
  readonly bus: Bus;
  readonly waits: SharedWaits<number>;
  /** The keys of each load, and when it began. */
  readonly loads: { keys: readonly string[]; atMs: number }[];
  /** Waits until the number of `key` is `least` or more. */
  wait(key: string, least?: number, timeoutMs?: number): Promise<unknown>;
}

interface Cluster {
  readonly hub: LocalHub;
  readonly clock: ManualClock;
  /** What all processes read. */
  readonly store: Map<string, number>;
  readonly processes: Process[];
  /** Moves the clock on, by steps of a millisecond, with a turn after each. */
  advance(ms: number): Promise<void>;
  /** Writes, then publishes the hint, as process `by`. */
  write(by: number, key: string, value: number): void;
  /** A gap of the bus. */
  gap(bus: Bus): void;
  /** Ends `waiters`, too, whatever becomes of them. */
  close(waiters?: readonly Promise<unknown>[]): Promise<void>;
}

async function cluster(size: number, options: Partial<SharedWaitsOptions<number>> = {}): Promise<Cluster> {
  const clock = new ManualClock();
  const hub = new LocalHub({ clock, seed: 1 }); // where a sweep begins decides its batches
  const store = new Map<string, number>();
  const processes = Array.from({ length: size }, (): Process => {
    const bus = hub.bus({ onError: () => {} });
    const loads: Process['loads'] = [];
    const waits = new SharedWaits<number>('jobs', {
      bus,
      clock,
      load: async (keys) => {
        loads.push({ keys, atMs: clock.now() });
        return new Map(keys.flatMap((key) => (store.has(key) ? [[key, store.get(key) as number]] : [])));
      },
      ...options,
    });
    const wait: Process['wait'] = (key, least = 1, timeoutMs = 600_000) =>
      waits.waitUntil(key, (value) => ((value ?? 0) >= least ? value : undefined), { timeoutMs });
    return { bus, waits, loads, wait };
  });
  const all: Cluster = {
    hub,
    clock,
    store,
    processes,
    async advance(ms) {
      for (let i = 0; i < ms; i++) {
        clock.advance(1);
        await turn();
      }
    },
    write(by, key, value) {
      store.set(key, value);
      processes[by].waits.changed(key);
    },
    gap(bus) {
      hub.cut(bus);
      hub.mend(bus);
    },
    async close(waiters = []) {
      for (const { waits } of processes) waits.close();
      await Promise.allSettled(waiters);
      await Promise.all(processes.map(({ bus }) => bus.close()));
    },
  };
  await all.advance(10);
  expect(processes.map(({ bus }) => bus.state)).to.deep.equal(processes.map(() => 'live'));
  return all;
}

describe('SharedWaits over a bus', () => {
  it('answer who waits in any process, with one load in each that has a waiter', async () => {
    const all = await cluster(3);
    const [a, b, c] = all.processes;
    const waiters = [a.wait('job'), b.wait('job'), b.wait('job')];
    await turn();
    expect([a, b, c].map(({ loads }) => loads.splice(0).length)).to.deep.equal([1, 1, 0]);
    all.write(2, 'job', 7);
    await all.advance(5);
    expect(await Promise.all(waiters)).to.deep.equal(waiters.map(() => ({ expired: false, value: 7 })));
    expect([a, b, c].map(({ loads }) => loads.map(({ keys }) => keys))).to.eql([[['job']], [['job']], []]);
    await all.close();
  });

  it('spread the loads of a sweep over a second, each key once', async () => {
    const all = await cluster(1, { loadBatch: 100 });
    const [{ bus, wait, loads }] = all.processes;
    const waiters = Array.from({ length: 1_950 }, (_, i) => wait(`job ${i}`));
    await all.advance(20);
    loads.length = 0;
    all.gap(bus);
    const beganMs = all.clock.now();
    await all.advance(1_000);
    expect(loads).to.have.length(20);
    expect(new Set(loads.flatMap(({ keys }) => keys)).size).to.equal(1_950);
    const atMs = loads.map((load) => load.atMs - beganMs);
    expect(Math.max(...atMs.map((ms, i) => Math.abs(ms - i * 50)))).to.be.at.most(25);
    expect(bus.snapshot().lastSweep).to.include({ tried: 1_950 });
    await all.close(waiters);
  });

  it('tell the bus whether anybody waited for the key of a hint', () => {
    const members: BusMember[] = [];
    const join = (member: BusMember): { publish(): void; leave(): void } => {
      members.push(member);
      return { publish: () => {}, leave: () => {} };
    };
    using waits = new SharedWaits<number>('jobs', { bus: { join }, load: async () => new Map() });
    void rejection(waits.waitUntil('job', () => undefined, { timeoutMs: 5 }));
    const hinted = (key: string): unknown => members[0].hinted(key, undefined);
    expect([hinted('job'), hinted('other')]).to.deep.equal([true, false]);
  });

  it('are refused where the name has joined, and leave the bus when they are closed', async () => {
    const all = await cluster(1);
    const [{ bus, waits }] = all.processes;
    const make = (): SharedWaits<number> => new SharedWaits('jobs', { bus, load: async () => new Map() });
    refuses(make, 'ERR_PURGATORY_ALREADY_JOINED');
    waits.close();
    make().close();
    await all.close();
  });

  it('refuse keys that the bus cannot carry', async () => {
    const all = await cluster(1);
    const [{ waits, wait }] = all.processes;
    const long = 'ä'.repeat(513);
    refuses(() => waits.changed(long), 'ERR_INVALID_ARG_VALUE');
    await rejects(wait(long), 'ERR_INVALID_ARG_VALUE');
    expect(waits.numDelayed).to.equal(0);
    await all.close();
  });
});
