// What the page says of nine incidents, in a real browser: how soon, on a page that is opened or
// reloaded afterwards, and ten minutes later; and that it says nothing of busy days. The time of the
// server and of the page is a fake's. The sources are real ones: 20,150 parked operations, six
// purgatories of all kinds, and a bus.
import { expect } from 'chai';
import type { Bus } from '../../../../src/bus/index.ts';
import { LocalHub } from '../../../../src/bus/transports/local-hub.ts';
import { Purgatory, SystemTimer } from '../../../../src/index.ts';
import { type Inspector, inspectorOn } from '../../../../src/observe/inspector/inspector.ts';
import { snapshotOf } from '../../../../src/observe/live-sources.ts';
import type { ObservedPurgatory } from '../../../../src/observe/sources.ts';
import { Queues } from '../../../../src/waits/queues/index.ts';
import { Semaphore } from '../../../../src/waits/semaphore/index.ts';
import { SharedWaits } from '../../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../../src/waits/threshold/index.ts';
import { FakeHost } from '../../../observe/inspector/fake-host.ts';
import { chromiumNeed } from '../../../support/browser.ts';
import { describeWith } from '../../../support/needs.ts';
import { Op } from '../../../support/op.ts';
import { SlowClock } from '../../../support/slow-clock.ts';
import { until } from '../../../support/turns.ts';
import { type OpenedPage, tabsOfSuite } from './opened-page.ts';

const BEGAN_MS = Date.UTC(2026, 0, 15, 9);
const HOUR_MS = 3_600_000;
const never = (): Promise<never> => new Promise(() => {});
const nobody = (): void => {};

/** A server at work. */
class World implements AsyncDisposable {
  readonly host: FakeHost = new FakeHost(BEGAN_MS);
  readonly timer: SystemTimer = new SystemTimer({ clock: this.host.clock });
  readonly hub: LocalHub = new LocalHub({ clock: this.host.clock });
  readonly bus: Bus = this.hub.bus({ clock: this.host.clock });
  fetches: Purgatory<string, Op> = this.newFetches();
  readonly sessions: Purgatory<string, Op> = new Purgatory('sessions', { timer: this.timer, bus: this.bus });
  readonly acks: ThresholdPurgatory = new ThresholdPurgatory('acks', { timer: this.timer });
  /** Set it to have the store of the orders answer otherwise. */
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>> = async () => new Map();
  readonly orders: SharedWaits<number> = new SharedWaits('orders', {
    clock: this.host.clock,
    load: (keys) => this.load(keys),
    retry: true,
    onError: nobody,
    loadTimeoutMs: 60_000,
  });
  readonly locks: Semaphore = new Semaphore('locks', { units: 1, timer: this.timer });
  readonly jobs: Queues<number> = new Queues('jobs', { timer: this.timer });
  /** Those of one test. */
  readonly others: ObservedPurgatory[] = [];
  readonly inspector: Inspector = inspectorOn(this.host, {
    purgatories: () => this.#observed(),
  });
  page!: OpenedPage;
  url!: URL;
  #marks = 0;

  newFetches(): Purgatory<string, Op> {
    return new Purgatory('fetch', { timer: this.timer, onError: nobody, maxParked: 150_000 });
  }

  static async begin(opened: OpenedPage): Promise<World> {
    const world = new World();
    for (let n = 0; n < 20_000; n++) {
      world.fetches.tryCompleteElseWatch(new Op('', { delayMs: HOUR_MS }), [`topic-${n % 500}`]);
    }
    for (let n = 0; n < 100; n++) {
      world.orders.waitUntil(`order-${n}`, () => undefined, { timeoutMs: HOUR_MS }).catch(nobody);
    }
    for (let n = 0; n < 50; n++) world.jobs.take(['idle'], { timeoutMs: HOUR_MS }).catch(nobody);
    await world.host.advance(30_000);
    await opened.page.clock.install({ time: BEGAN_MS });
    await opened.page.clock.pauseAt(BEGAN_MS + 1000);
    world.page = opened;
    world.url = await world.inspector.listen();
    await world.open();
    return world;
  }

  /** Resolves once the page shows the present: a second and a frame, with a mark that tells them. */
  async shown(): Promise<void> {
    this.#marks++;
    this.sessions.tryCompleteElseWatch(new Op('', { delayMs: HOUR_MS }), [`mark-${this.#marks}`]);
    await this.host.advance(1000);
    await until(async () => {
      await this.host.advance(250); // a frame that the page has missed comes again
      return (await this.page.text('.figure[data-explain="watched"]')).endsWith(`on ${this.#keys()} keys`);
    }, `the page shows mark ${this.#marks}`);
  }

  #observed(): ObservedPurgatory[] {
    return [this.fetches, this.sessions, this.acks, this.orders, this.locks, this.jobs, ...this.others];
  }

  #keys(): string {
    const keys = this.#observed().reduce((sum, each) => sum + snapshotOf(each, 0).watchedKeys, 0);
    return keys.toLocaleString('en');
  }

  headline(): Promise<string> {
    return this.page.text('.headline');
  }

  /** The seconds until the page tells of something. */
  async secondsUntilTold(most: number): Promise<number> {
    const fromMs = this.host.now();
    while (/^All is (well|quiet)$/.test(await this.headline())) {
      await this.shown();
      if (this.host.now() - fromMs > 1000 * most) break;
    }
    return (this.host.now() - fromMs) / 1000;
  }

  /** Nobody watches any more. */
  async leave(): Promise<void> {
    await this.page.page.goto('about:blank');
  }

  /** Opens the page anew. */
  async open(): Promise<void> {
    const opened = this.page.open(this.url);
    await until(async () => {
      await this.host.advance(250);
      return (await this.page.page.locator('.verdict').count()) > 0;
    }, 'the page has a frame');
    await opened;
    await this.shown();
  }

  /** The rules of the incidents that are told, from the first on. */
  incidents(): Promise<string[]> {
    return this.page.evaluate('[...document.querySelectorAll(".incidents li")].map((li) => li.dataset.what)');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.page.close();
    await this.inspector.close();
    for (const each of [this.fetches, this.sessions, this.acks, this.orders, this.locks, this.jobs])
      each.close();
    await this.bus.close();
    this.timer.close();
  }
}

interface Case {
  readonly incident: string;
  readonly rule: string;
  /** Makes it happen. What it returns ends it. */
  begin(world: World): (() => void) | Promise<() => void>;
  /** Goes on in each second of it. */
  readonly each?: (world: World) => void;
  /** How long it has to last, before it is one, and what the page says soon after. */
  readonly afterS: number;
  readonly headline: RegExp;
  readonly detail: RegExp;
}

const CASES: readonly Case[] = [
  {
    incident: 'the event loop is blocked',
    rule: 'hung',
    begin: ({ host }) => {
      host.block(11_000);
      return nobody;
    },
    afterS: 0,
    headline: /^Something is wrong: the server hung for 11 s$/,
    detail: /The event loop stood still, .* the process ran for 11 s .*: a callback took long/,
  },
  {
    incident: 'a condition is slow, and 100,000 wait for its key',
    rule: 'long event',
    begin: async (world) => {
      const clock = new SlowClock();
      const herd = new Purgatory<string, Op>('herd', { clock });
      let isParked = false;
      const onTry = (): void => void (isParked && clock.advance(20));
      for (let n = 0; n < 100_000; n++) herd.tryCompleteElseWatch(new Op('', { onTry }), ['orders-0']);
      isParked = true;
      world.others.push(herd);
      herd.notify('orders-0');
      await until(() => herd.snapshot().events.oldestMs > 1000, 'the event has been under way for 1 s');
      return () => herd.close();
    },
    afterS: 0.5,
    headline: /^Have a look: the event on \u2068orders-0\u2069 (takes|took) long$/,
    detail: /of 100,000 tried in .* A try with its answer takes 20 ms\. What helps: fewer watchers/,
  },
  {
    incident: 'a condition throws',
    rule: 'threw',
    begin: ({ fetches }) => {
      const onTry = (_: Op, key: unknown): void => {
        if (key !== undefined) throw new TypeError('no such offset');
      };
      fetches.tryCompleteElseWatch(new Op('', { onTry, delayMs: HOUR_MS }), ['bad']);
      return nobody;
    },
    each: ({ fetches }) => fetches.checkAndComplete('bad'),
    afterS: 0,
    headline: /^Have a look: operations throw$/,
    detail:
      /The last error: \u2068TypeError: no such offset\u2069 \(\u2068Op\u2069 on \u2068bad\u2069 in \u2068fetch\u2069\)/,
  },
  {
    incident: 'a bus is cut off',
    rule: 'cut off',
    begin: ({ hub, bus }) => {
      hub.cut(bus);
      return () => hub.mend(bus);
    },
    afterS: 1,
    headline: /^Have a look: the bus \u2068sessions\u2069 is cut off$/,
    detail: /It has been in a gap for .*: hints of other processes do not arrive/,
  },
  {
    incident: 'the loads of a store hang',
    rule: 'loads hang',
    begin: (world) => {
      let answer = (_: ReadonlyMap<string, number>): void => {};
      const hanging = new Promise<ReadonlyMap<string, number>>((resolve) => {
        answer = resolve;
      });
      world.load = () => hanging;
      for (let n = 0; n < 100; n++) world.orders.changed(`order-${n}`);
      return () => answer(new Map());
    },
    afterS: 5,
    headline: /^Have a look: loads of shared state do not end$/,
    detail:
      /In \u2068orders\u2069 the load of \u2068order-0\u2069 and 99 other keys has been under way for \S+ s\. 100 waits stand behind it\. Is the store up\?/,
  },
  {
    incident: 'the loads of a store fail, and are tried again',
    rule: 'loads fail',
    begin: (world) => {
      world.load = () => Promise.reject(new Error('connect ECONNREFUSED'));
      for (let n = 0; n < 100; n++) world.orders.changed(`order-${n}`);
      return () => {
        world.load = async () => new Map();
      };
    },
    each: (world) => world.orders.changed('order-7'),
    afterS: 0,
    headline: /^Have a look: loads of shared state fail$/,
    detail:
      /loads? of \u2068orders\u2069 failed, and 100 waits are parked there.* \u2068Error: connect ECONNREFUSED/,
  },
  {
    incident: 'waits without a deadline leak, 366 a second',
    rule: 'endless',
    begin: () => nobody,
    each: ({ sessions, host }) => {
      const label = 'an order page';
      for (let n = 0; n < 366; n++) {
        sessions
          .waitFor([`leak-${host.now()}-${n}`], () => undefined, { timeoutMs: Infinity, label })
          .catch(nobody);
      }
    },
    afterS: 20,
    headline: /^Have a look: waits without a deadline pile up$/,
    detail:
      /In \u2068sessions\u2069 [\d,]+ were parked without one, [\d,]+ more than 20 s before\. The youngest is \u2068an order page\u2069\./,
  },
  {
    incident: '200 conditions never settle',
    rule: 'open tries',
    begin: ({ sessions }) => {
      const abort = new AbortController();
      for (let n = 0; n < 200; n++) {
        const options = { timeoutMs: HOUR_MS, signal: abort.signal, label: 'an order page' };
        sessions.waitFor(['page'], never, options).catch(nobody);
      }
      return () => abort.abort();
    },
    afterS: 5,
    headline: /^Have a look: conditions do not settle$/,
    detail:
      /In \u2068sessions\u2069 200 tries are open: .* The oldest, of \u2068an order page\u2069, has been open for/,
  },
  {
    incident: 'a permit is not given back, while others wait',
    rule: 'held',
    begin: ({ locks }) => {
      const permit = locks.tryAcquire({ label: 'the report of July' });
      for (let n = 0; n < 3; n++)
        locks.acquire({ timeoutMs: HOUR_MS }).then((next) => next.release(), nobody);
      return () => permit?.release();
    },
    afterS: 60,
    headline: /^Have a look: a permit is held for long while others wait$/,
    detail:
      /Of \u2068locks\u2069 in \u2068locks\u2069, \u2068the report of July\u2069 has held 1 unit for 1\S* min, and 3 waits are parked there/,
  },
];

describeWith(chromiumNeed, 'the page of the inspector during an incident', () => {
  const openTab = tabsOfSuite();

  for (const { incident, rule, begin, each, afterS, headline, detail } of CASES) {
    it(`says within ten seconds that ${incident}, after a reload too, and that it was, for ten minutes`, async () => {
      await using world = await World.begin(await openTab());
      const { host } = world;
      expect(await world.headline()).to.equal('All is well');

      let stopEach = each && host.every(1000, () => each(world));
      const end = await begin(world);
      expect(await world.secondsUntilTold(afterS + 20)).to.be.within(Math.floor(afterS) - 1, afterS + 10); // it began within a second
      const told = async (): Promise<void> => {
        expect(await world.headline()).to.match(headline);
        expect(await world.page.text('.detail')).to.match(detail);
      };
      await told();
      await world.leave();
      await world.open();
      await told();

      stopEach?.();
      stopEach = undefined;
      end();
      await world.leave();
      await host.advance(300_000);
      await world.open();
      expect(await world.headline()).to.equal('All is well');
      expect(await world.incidents()).to.deep.equal([rule]);
      await world.leave();
      await host.advance(400_000);
      await world.open();
      expect([await world.headline(), await world.incidents()]).to.deep.equal(['All is well', []]);
    });
  }

  it('goes on saying so for ten minutes and more, where it goes on', async () => {
    await using world = await World.begin(await openTab());
    world.load = never;
    world.sessions.waitFor(['page'], never, { timeoutMs: HOUR_MS, label: 'an order page' }).catch(nobody);
    for (let n = 0; n < 100; n++) world.orders.changed(`order-${n}`);
    world.locks.tryAcquire({ label: 'the report of July' });
    world.locks.acquire({ timeoutMs: HOUR_MS }).catch(nobody);
    await world.leave();
    await world.host.advance(720_000);
    await world.open();
    expect(await world.headline()).to.match(/^Have a look: /);
    expect(await world.incidents()).to.deep.equal(['loads hang', 'loads fail', 'open tries', 'held']);
    expect(await world.page.text('.incidents')).to.match(
      /the report of July\u2069 has held 1 unit for 12\S* min/,
    );
  });

  it('says nothing of a busy day, with 20,000 waits of a second each', async () => {
    await using world = await World.begin(await openTab());
    await world.leave();
    const { fetches, host } = world;
    const parked: Op[] = [];
    let n = 0;
    for (let step = 0; step < 220; step++) {
      for (const op of parked.splice(0, parked.length - 18_000)) {
        op.ready = true;
        fetches.checkAndComplete(op.label);
      }
      while (parked.length < 20_000) {
        const op = new Op(`busy-${n++ % 40_000}`, { delayMs: 2000 });
        fetches.tryCompleteElseWatch(op, [op.label]);
        parked.push(op);
      }
      await host.advance(100);
    }
    await world.open();
    expect([await world.headline(), await world.incidents()]).to.deep.equal(['All is well', []]);
  });

  it('says nothing of a deploy, after which 20,000 clients come back within some seconds', async () => {
    await using world = await World.begin(await openTab());
    await world.leave();
    world.fetches.close();
    world.fetches = world.newFetches();
    for (let second = 0; second < 8; second++) {
      for (let n = 0; n < 2500; n++) {
        world.fetches.tryCompleteElseWatch(new Op('', { delayMs: 60_000 }), [`topic-${n % 500}`]);
        if (n % 5 === 0) world.sessions.tryCompleteElseWatch(new Op(''), [`session-${second}-${n}`]);
      }
      await world.host.advance(1000);
    }
    for (let second = 0; second < 45; second++) {
      await world.host.advance(1000);
      world.fetches.notify(`topic-${second}`);
    }
    await world.open();
    expect([await world.headline(), await world.incidents()]).to.deep.equal(['All is well', []]);
  });
});
