import { expect } from 'chai';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { counts, EMPTY, hall, Op } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';
import { SlowClock } from '../support/slow-clock.ts';
import { turn, until } from '../support/turns.ts';
import { unhandledDuring } from '../support/unhandled.ts';

interface Scene {
  readonly clock: SlowClock;
  readonly purgatory: Purgatory<string, Op>;
  readonly tried: string[];
  park(label: string, key: string, onTry?: (op: Op) => void): Op;
}

/** A purgatory whose tries take `tryMs` each by its clock. */
function scene({ tryMs = 1, sliceMs = 5 } = {}): Scene {
  const clock = new SlowClock();
  const purgatory = new Purgatory<string, Op>('fair', { clock, sliceMs });
  const tried: string[] = [];
  const park = (label: string, key: string, onTry?: (op: Op) => void): Op => {
    let isParked = false;
    const op = new Op(label, {
      onTry: () => {
        if (!isParked) return;
        tried.push(label);
        clock.advance(tryMs);
        onTry?.(op);
      },
    });
    purgatory.tryCompleteElseWatch(op, [key]);
    isParked = true;
    return op;
  };
  return { clock, purgatory, tried, park };
}

function herd({ park }: Scene, key: string, size: number, onTry?: (op: Op) => void): Op[] {
  return Array.from({ length: size }, (_, i) => park(`${key}${i}`, key, onTry));
}

describe('An event with many watchers', () => {
  it('behaviour 25: takes several turns of the loop, each no longer than a slice and a batch', async () => {
    const all = scene();
    herd(all, 'k', 200);
    all.purgatory.notify('k');
    await turn();
    expect(all.tried.length).to.be.within(16, 60);
    expect(all.purgatory.snapshot().events).to.include({ pendingKeys: 0 });
    expect(all.purgatory.snapshot().events.oldestPass).to.include({ key: 'k', watchers: 200 });
    await all.purgatory.served();
    expect(all.tried).to.deep.equal(Array.from({ length: 200 }, (_, i) => `k${i}`));
  });

  it('behaviour 23: leaves those that are parked later for the next event', async () => {
    const all = scene();
    herd(all, 'k', 100);
    all.purgatory.notify('k');
    await turn();
    all.park('late', 'k');
    await all.purgatory.served();
    expect(all.tried).to.have.length(100).and.not.include('late');
    all.purgatory.notify('k');
    await all.purgatory.served();
    expect(all.tried).to.have.length(201).and.include('late');
  });

  it('behaviour 23: ends when its key is cancelled between two slices, and leaves nothing', async () => {
    const all = scene();
    herd(all, 'k', 100);
    all.purgatory.notify('k');
    await turn();
    const { length } = all.tried;
    all.purgatory.cancelForKey('k');
    const again = all.park('again', 'k');
    await all.purgatory.served();
    expect(all.tried).to.have.length(length);
    again.cancel();
    expect(counts(all.purgatory)).to.deep.equal(EMPTY);
  });

  it('behaviour 24: is followed by exactly one more, however often its key is notified meanwhile', async () => {
    const all = scene();
    herd(all, 'k', 100);
    all.purgatory.notify('k');
    await turn();
    for (let i = 0; i < 10; i++) all.purgatory.notify('k');
    await all.purgatory.served();
    expect(all.tried).to.have.length(200);
    expect(all.tried.slice(0, 100)).to.deep.equal(all.tried.slice(100));
  });

  it('behaviour 24: is followed by one more when its key is notified after it, before that one', async () => {
    const all = scene({ tryMs: 0 });
    const ofHerd = (): number => all.tried.filter((label) => label !== 'between').length;
    herd(all, 'k', 200, () => {
      if (ofHerd() === 50) all.purgatory.notify('k');
      if (ofHerd() === 200) all.purgatory.notify('other');
    });
    all.park('between', 'other', () => all.purgatory.notify('k'));
    all.purgatory.notify('k');
    await all.purgatory.served();
    for (let i = 0; i < 5; i++) await turn();
    expect(all.tried.indexOf('between')).to.equal(200);
    expect(ofHerd()).to.equal(400);
  });

  it('behaviour 25: goes on while others come as fast as they are begun', async () => {
    const all = scene();
    const oldTried = (): number => all.tried.filter((label) => label.startsWith('old')).length;
    herd(all, 'old', 100);
    all.purgatory.notify('old');
    await turn();
    const before = oldTried();
    for (let i = 0; i < 100; i++) {
      herd(all, `new ${i} `, 50);
      all.purgatory.notify(`new ${i} `);
      if (i % 5 === 4) await turn();
    }
    expect(oldTried()).to.be.within(before + 1, 99);
    all.purgatory.close();
  });

  it('behaviour 25: serves keys that fit a batch in the order of their first notify', async () => {
    const all = scene({ tryMs: 0.1 });
    const keys = Array.from({ length: 40 }, (_, i) => `key${i}-`);
    for (const key of keys) herd(all, key, 5);
    for (const key of [...keys, ...keys.toReversed(), 'nobody']) all.purgatory.notify(key);
    await all.purgatory.served();
    expect(all.tried).to.deep.equal(keys.flatMap((key) => [0, 1, 2, 3, 4].map((i) => `${key}${i}`)));
  });

  it('behaviour 25: takes no longer in a turn for a hundred purgatories of a clock than for one', async () => {
    const clock = new SlowClock();
    const key = 'k';
    const purgatories = Array.from({ length: 100 }, (_, i) => new Purgatory<string>(`p${i}`, { clock }));
    const ends = {
      notify: (purgatory: Purgatory<string>) => purgatory.notify(key),
      cancelForKey: (purgatory: Purgatory<string>) => void purgatory.cancelForKey(key),
    };
    for (const [name, end] of Object.entries(ends)) {
      let answered = 0;
      let isReady = false;
      const answer = (): void => {
        answered++;
        clock.advance(1);
      };
      for (const purgatory of purgatories) {
        for (let i = 0; i < 20; i++) {
          purgatory.waitFor([key], () => isReady, { timeoutMs: 1e6 }).then(answer, answer);
        }
      }
      await turn();
      isReady = true;
      for (const purgatory of purgatories) end(purgatory);
      while (answered < 2_000) {
        const beganMs = clock.now();
        await turn();
        expect(clock.now() - beganMs, `${name}, after ${answered}`).to.be.below(5 + 16 + 1);
      }
    }
  });

  it('behaviour 25: yields in a chain of events, each of which an answer of the last has caused', async () => {
    const clock = new SlowClock();
    const purgatories = ['a', 'b'].map((name) => new Purgatory<number, Op>(name, { clock }));
    let done = 0;
    const onCompleted = (): void => {
      clock.advance(1);
      notify(++done);
    };
    const chain = Array.from({ length: 100 }, (_, i) => new Op(`op${i}`, { onCompleted }));
    chain.forEach((op, i) => void purgatories[i % 2].tryCompleteElseWatch(op, [i]));
    const notify = (i: number): void => {
      if (i === chain.length) return;
      chain[i].ready = true;
      purgatories[i % 2].notify(i);
    };
    notify(0);
    for (let before = 0; done < chain.length; before = done) {
      await turn();
      // 16 before the first reading, a slice of 5 and a last one. A turn of ours may hold two of the
      // engine's.
      expect(done - before).to.be.at.most(2 * (16 + 5 + 1));
    }
  });

  it('behaviour 26: yields never on a clock that is advanced by 1 ms again and again', async () => {
    const clock = new ManualClock();
    const purgatory = new Purgatory<string>('stepped', { clock });
    for (let answered = 0, ms = 0; ms < 10; ms++) {
      clock.advance(1);
      let isReady = false;
      for (let i = 0; i < 100; i++) {
        void purgatory.waitFor(['k'], () => isReady, { timeoutMs: 5 }).then(() => answered++);
      }
      isReady = true;
      purgatory.notify('k');
      for (let i = 0; i < 100; i++) await undefined; // no turn of the host
      expect(answered, `after ${ms + 1} ms`).to.equal(100 * (ms + 1));
    }
  });

  for (const [where, given] of [
    ['on a clock that stands still', { tryMs: 0 }],
    ['with a sliceMs of Infinity', { sliceMs: Number.POSITIVE_INFINITY }],
  ] as const) {
    it(`behaviour 26: yields never ${where}`, async () => {
      const all = scene(given);
      herd(all, 'k', 5_000);
      all.purgatory.notify('k');
      await turn();
      expect(all.tried).to.have.length(5_000);
    });
  }

  it('goes on in the next turn after a throw of the clock, and so do the answers', async () => {
    for (let failing = 1; failing <= 12; failing++) {
      const clock = new SlowClock();
      const purgatory = new Purgatory<string>('failing', { clock });
      let [readings, answered] = [0, 0];
      let isReady = false;
      for (let i = 0; i < 300; i++) {
        void purgatory.waitFor(['k'], () => isReady, { timeoutMs: 60_000 }).then(() => answered++);
      }
      const now = (): number => SlowClock.prototype.now.call(clock);
      clock.now = () => {
        if (++readings === failing) throw new Error('no time');
        return now();
      };
      isReady = true;
      const errors = await unhandledDuring(() => purgatory.notify('k'));
      clock.now = now;
      expect(errors, `reading ${failing}`).to.have.length(readings < failing ? 0 : 1);
      expect([answered, purgatory.numDelayed], `reading ${failing}`).to.deep.equal([300, 0]);
      await purgatory.served();
      expect(purgatory.snapshot().events.longestPassMs).to.equal(0);
    }
  });
});

describe('behaviour 28: an event with atMost', () => {
  it('ends after so many completions, in park order, and tries nobody else', async () => {
    const { purgatory, park, log } = hall();
    const ops = ['a', 'b', 'c', 'd'].map((label) => park(label, ['k']));
    for (const op of ops.slice(1)) op.ready = true;
    expect(purgatory.checkAndComplete('k', { atMost: 2 })).to.equal(2);
    expect(log).to.deep.equal(['complete b', 'complete c']);
    expect(ops.map(({ tries }) => tries)).to.deep.equal([1, 1, 1, 0]);
    purgatory.notify('k', { atMost: 1 });
    await turn();
    expect(log).to.deep.equal(['complete b', 'complete c', 'complete d']);
  });

  it('does not count attempts that return promises: all of them begin', async () => {
    using purgatory = new Purgatory<string>('queue', { clock: new ManualClock() });
    const items: string[] = [];
    let attempts = 0;
    const take = async (): Promise<string | undefined> => {
      attempts++;
      return items.shift();
    };
    const waits = Array.from({ length: 100 }, () => purgatory.waitFor(['item'], take, { timeoutMs: 1_000 }));
    await turn();
    attempts = 0;
    items.push('one');
    purgatory.notify('item', { atMost: 1 });
    expect(await waits[0]).to.deep.equal({ expired: false, value: 'one' });
    await purgatory.served();
    expect(attempts).to.equal(100);
    expect(purgatory.numDelayed).to.equal(99);
    for (const wait of waits.slice(1)) wait.catch(() => {});
  });

  it('refuses what is no integer of at least 1', () => {
    const { purgatory } = hall();
    for (const atMost of [0, -1, 1.5, Number.NaN]) {
      refuses(() => purgatory.notify('k', { atMost }), 'ERR_OUT_OF_RANGE');
      expect(() => purgatory.checkAndComplete('k', { atMost })).to.throw(RangeError, 'options.atMost');
    }
    expect(() => purgatory.notify('k', { atMost: '1' as never })).to.throw(TypeError);
  });
});

describe('behaviour 30: a deadline that meets an event', () => {
  it('expires it when the try does not complete it', () => {
    const { purgatory, park, clock, log } = hall();
    const op = park('a', ['k'], { delayMs: 5 });
    purgatory.notify('k');
    clock.advance(5);
    expect(op.tries).to.equal(1);
    expect(log).to.deep.equal(['complete a', 'expire a']);
  });

  it('tries a wait on several keys for each of them with an event', async () => {
    const { purgatory, clock } = hall();
    const keys: unknown[] = [];
    const condition = ({ key }: { key: unknown }): unknown => {
      keys.push(key);
      return key === 'c' && 'c';
    };
    const wait = purgatory.waitFor(['a', 'b', 'c', 'd'], condition, { timeoutMs: 5 });
    for (const key of ['c', 'a', 'd']) purgatory.notify(key);
    clock.advance(5);
    expect(await wait).to.deep.equal({ expired: false, value: 'c' });
    expect(keys).to.deep.equal([undefined, 'a', 'c']);
  });

  it('uses up the limit of the event', async () => {
    const { purgatory, park, clock, log } = hall();
    park('a', ['k'], { delayMs: 5 }).ready = true;
    park('b', ['k']).ready = true;
    purgatory.notify('k', { atMost: 1 });
    clock.advance(5);
    await turn();
    expect(log).to.deep.equal(['complete a']);
  });
});

describe('behaviour 30: a deadline inside the only try of an event', () => {
  /**
   * The deadline of one more than 40 on k comes when the pass over k has ended, and the one behind it has
   * not begun: `act` is called then, and moves the clock. Returns the others.
   */
  async function meet(all: Scene, act: (others: readonly Op[]) => void): Promise<readonly Op[]> {
    const { purgatory } = all;
    const others = herd(all, 'k', 40);
    const late = new Op('late', { delayMs: 10_000 });
    purgatory.tryCompleteElseWatch(late, ['k']);
    const { tries } = late;
    herd(all, 'm', 80, () => {
      if (late.ready || late.tries === tries) return;
      late.ready = true;
      act(others);
    });
    for (const key of ['k', 'm']) purgatory.notify(key);
    await turn();
    purgatory.notify('k', { atMost: 1 });
    await purgatory.served();
    expect([late.completions, late.expirations]).to.deep.equal([1, 0]);
    return others;
  }

  it('uses up the event that waits behind the pass on its key, and later events are served', async () => {
    let served: Promise<void> | undefined;
    const all = scene({ sliceMs: 1 });
    await meet(all, () => {
      all.clock.advance(10_000);
      all.purgatory.notify('k');
      served = all.purgatory.served();
    });
    await served;
    expect(all.tried.filter((label) => label.startsWith('k'))).to.have.length(80);
  });

  it('uses up the limit of the event that waits behind the pass on its key: no other completes', async () => {
    const all = scene({ sliceMs: 1 });
    const others = await meet(all, (herd) => {
      for (const op of herd) op.ready = true;
      all.clock.advance(10_000);
    });
    expect(others.filter((op) => op.isCompleted)).to.have.lengthOf(0);
  });

  it('uses up an event that waits for a turn, which waits no longer', async () => {
    const all = scene({ sliceMs: 1 });
    const { purgatory, clock } = all;
    for (let i = 0; i < 40; i++) herd(all, `k${i}`, 1);
    const late = new Op('late', { delayMs: 10_000 });
    purgatory.tryCompleteElseWatch(late, ['z']);
    late.ready = true;
    for (let i = 0; i < 40; i++) purgatory.notify(`k${i}`);
    purgatory.notify('z', { atMost: 1 });
    await turn();
    expect(purgatory.snapshot().events.pendingKeys).to.be.above(0);
    clock.advance(10_000);
    expect([late.completions, late.expirations]).to.deep.equal([1, 0]);
    await purgatory.served();
    expect(purgatory.snapshot().events).to.include({ pendingKeys: 0, oldestMs: 0 });
  });
});

describe('behaviour 29: the promises of a burst', () => {
  it('settle in order, a batch before the microtasks run', async () => {
    const purgatory = new Purgatory<string>('burst', { clock: new ManualClock() });
    const order: number[] = [];
    let settledAtOnce = 0;
    const waits = Array.from({ length: 1_000 }, (_, i) =>
      purgatory
        .waitFor(['k'], () => undefined, { timeoutMs: 1_000 })
        .catch((error) => {
          order.push(i);
          return error.code;
        }),
    );
    purgatory.cancelForKey('k');
    expect(purgatory.numDelayed).to.equal(0);
    for (let i = 0; i < 4; i++) await Promise.resolve();
    settledAtOnce = order.length;
    expect(settledAtOnce).to.be.lessThan(200);
    expect(new Set(await Promise.all(waits))).to.deep.equal(new Set(['ERR_PURGATORY_CANCELLED']));
    expect(order).to.deep.equal([...order.keys()]);
  });

  it('settle a batch before the microtasks run, also where an answer of an event ends them', async () => {
    const purgatory = new Purgatory<string, Op>('burst', { clock: new ManualClock() });
    let settled = 0;
    let settledAtOnce = 0;
    const settle = (): void => void settled++;
    for (let i = 0; i < 1_000; i++) {
      purgatory.waitFor(['waits'], () => undefined, { timeoutMs: 1_000 }).then(settle, settle);
    }
    const onCompleted = async (): Promise<void> => {
      purgatory.cancelForKey('waits');
      for (let i = 0; i < 3; i++) await undefined;
      settledAtOnce = settled;
    };
    const op = new Op('ends them', { onCompleted });
    purgatory.tryCompleteElseWatch(op, ['k']);
    op.ready = true;
    purgatory.notify('k');
    await until(() => settled === 1_000);
    expect(settledAtOnce).to.be.within(1, 64);
  });
});

describe('Keys that wait for their event', () => {
  it('are as old as the turn in which the first of them has yielded, and are new when those are served', async () => {
    const all = scene({ sliceMs: 1 });
    const { purgatory, clock } = all;
    for (let i = 0; i < 80; i++) herd(all, `k${i}`, 1);
    for (let i = 0; i < 80; i++) purgatory.notify(`k${i}`);
    await turn();
    const { oldestMs } = purgatory.snapshot().events;
    const sinceMs = clock.now() - oldestMs;
    for (let turns = 0; turns < 3; turns++) {
      await turn();
      expect(purgatory.snapshot().events.oldestMs).to.equal(clock.now() - sinceMs);
    }
    await purgatory.served();
    clock.advance(50);
    purgatory.notify('k0');
    expect(purgatory.snapshot().events).to.include({ pendingKeys: 1, oldestMs: 0 });
    await purgatory.served();
  });

  it('take their part of a batch also where nobody watches them any more', async () => {
    const clock = new SlowClock();
    const purgatory = new Purgatory<string, Op>('left', { clock });
    const ops = Array.from({ length: 2_000 }, (_, i) => {
      const op = new Op(`${i}`);
      purgatory.tryCompleteElseWatch(op, [`${i}`]);
      return op;
    });
    for (let i = 0; i < ops.length; i++) purgatory.notify(`${i}`);
    for (const op of ops) op.cancel();
    let readings = 0;
    const now = clock.now.bind(clock);
    clock.now = () => {
      readings++;
      return now();
    };
    await purgatory.served();
    expect(readings).to.be.above(5);
  });
});

describe('behaviour 27: served', () => {
  it('resolves in the order of the calls, each when what came before it is served', async () => {
    const all = scene();
    const order: string[] = [];
    const triedBy: Record<string, number> = {};
    const wait = (name: string): void => {
      void all.purgatory.served().then(() => {
        order.push(name);
        triedBy[name] = all.tried.length;
      });
    };
    herd(all, 'hot', 100);
    herd(all, 'small', 1);
    all.purgatory.notify('hot');
    wait('a');
    all.purgatory.notify('small');
    wait('b');
    wait('c');
    for (let turns = 0; turns < 2; turns++) await turn();
    expect(order, 'the small key is served, but not before the hot one').to.deep.equal([]);
    expect(all.tried).to.include('small0');
    all.purgatory.notify('hot');
    wait('d');
    await all.purgatory.served();
    expect(order).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(triedBy.a).to.be.within(101, 110);
    expect(triedBy.d).to.equal(201);
  });

  it('does not wait for what is notified after the call, again and again', async () => {
    const all = scene();
    herd(all, 'k', 100);
    all.purgatory.notify('k');
    const served = all.purgatory.served();
    let isServed = false;
    void served.then(() => {
      isServed = true;
    });
    for (let turns = 0; !isServed; turns++) {
      all.purgatory.notify('k');
      await turn();
      expect(turns).to.be.below(100);
    }
    expect(all.tried.length).to.be.within(100, 100 + 16 + 6);
    all.purgatory.close();
  });

  it('costs the same however much is pending: 20,000 calls between as many events take no minutes', async () => {
    const purgatory = new Purgatory<number>('barriers', { clock: new ManualClock() });
    const resolved: number[] = [];
    let last: Promise<unknown> = Promise.resolve();
    for (let i = 0; i < 20_000; i++) {
      purgatory.notify(i);
      last = purgatory.served().then(() => resolved.push(i));
    }
    await last;
    expect(resolved).to.deep.equal([...resolved.keys()]);
  });
});
