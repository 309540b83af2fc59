// What the inspector says of incidents: how soon, to who opens the page then, and afterwards; and that
// it says nothing of busy days. The time is a fake's, the sources are real ones.
import { expect } from 'chai';
import { INCIDENTS } from '../../programs/incidents/incidents.ts';
import { Observer } from '../../programs/incidents/observer.ts';
import { HOUR_MS, never, nobody, World } from '../../programs/incidents/world.ts';
import { Op } from '../../support/op.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { until } from '../../support/turns.ts';
import { FakeHost } from './fake-host.ts';

class Scene implements AsyncDisposable {
  readonly host: FakeHost = new FakeHost(Date.UTC(2026, 0, 15, 9));
  readonly world: World;
  readonly observer: Observer;

  constructor() {
    const { host } = this;
    const movingClock = new SlowClock();
    const place = {
      clock: host.clock,
      movingClock,
      block: (ms: number): void => host.block(ms),
      spend: (ms: number): void => movingClock.advance(ms),
      reaches: (holds: () => boolean): Promise<unknown> => until(holds, 'it has begun'),
    };
    this.world = new World(place, 2_000);
    this.observer = new Observer(host, () => this.world.purgatories);
  }

  static async begin(): Promise<Scene> {
    const scene = new Scene();
    await scene.host.advance(30_000);
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.observer.close();
    await this.world.close();
  }
}

describe('the inspector during an incident', () => {
  for (const [name, incident] of Object.entries(INCIDENTS)) {
    const { what, rules, afterS } = incident;
    it(`says within ten seconds that ${what}, and afterwards that it was: ${name}`, async () => {
      await using scene = await Scene.begin();
      const { host, world, observer } = scene;
      expect(observer.verdict().headline).to.equal('All is well');

      const stop = host.every(1000, () => incident.each?.(world));
      const beganMs = host.now();
      const end = await incident.begin(world);
      for (let told = false; !told; ) {
        await host.advance(1000);
        const lastsS = (host.now() - beganMs) / 1000;
        told = observer.verdict().rules.length > 0;
        expect(lastsS).to.be.within(told ? afterS : 0, afterS + 12);
      }
      for (const isNew of [false, true]) {
        if (isNew) observer.open();
        expect(rules).to.include(observer.verdict().rules[0]);
      }

      stop();
      end();
      await host.advance(75_000);
      observer.open();
      expect([observer.verdict().headline, observer.incidents()]).to.deep.equal(['All is well', rules]);
    });
  }

  it('goes on saying so for ten minutes and more, where it goes on', async () => {
    await using scene = await Scene.begin();
    const { host, world, observer } = scene;
    world.load = never;
    world.sessions.waitFor(['page'], never, { timeoutMs: HOUR_MS, label: 'an order page' }).catch(nobody);
    for (let n = 0; n < 100; n++) world.orders.changed(`order-${n}`);
    world.locks.tryAcquire({ label: 'the report of July' });
    world.locks.acquire({ timeoutMs: HOUR_MS }).catch(nobody);
    await host.advance(720_000);
    expect(observer.verdict().headline).to.match(/^Have a look: /);
    expect(observer.incidents()).to.deep.equal(['loads hang', 'loads fail', 'open tries', 'held']);
  });

  it('says nothing of a busy day, with 2,000 waits of a second each', async () => {
    await using scene = await Scene.begin();
    const { host, world, observer } = scene;
    const parked: Op[] = [];
    let n = 0;
    for (let step = 0; step < 220; step++) {
      for (const op of parked.splice(0, parked.length - 1_800)) {
        op.ready = true;
        world.fetches.checkAndComplete(op.label);
      }
      while (parked.length < 2_000) {
        const op = new Op(`busy-${n++ % 4_000}`, { delayMs: 2000 });
        world.fetches.tryCompleteElseWatch(op, [op.label]);
        parked.push(op);
      }
      await host.advance(100);
    }
    expect([observer.verdict().headline, observer.incidents()]).to.deep.equal(['All is well', []]);
  });

  it('says nothing of a deploy, after which 20,000 clients come back within some seconds', async () => {
    await using scene = await Scene.begin();
    const { host, world, observer } = scene;
    world.fetches.close();
    world.fetches = world.newFetches();
    for (let second = 0; second < 8; second++) {
      for (let n = 0; n < 2500; n++) {
        world.fetches.tryCompleteElseWatch(new Op('', { delayMs: 60_000 }), [`topic-${n % 500}`]);
        if (n % 5 === 0) world.sessions.tryCompleteElseWatch(new Op(''), [`session-${second}-${n}`]);
      }
      await host.advance(1000);
    }
    for (let second = 0; second < 45; second++) {
      await host.advance(1000);
      world.fetches.notify(`topic-${second}`);
    }
    expect([observer.verdict().headline, observer.incidents()]).to.deep.equal(['All is well', []]);
  });
});
