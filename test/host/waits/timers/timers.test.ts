// Node's behaviour that is kept. Each scenario is run against Node's own timers and ours, and must
// give the same result.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import * as nodeTimers from 'node:timers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stub, useFakeTimers } from 'sinon';
import { SystemTimer } from '../../../../src/index.ts';
import * as timers from '../../../../src/waits/timers/index.ts';
import * as timeout from '../../../../src/waits/timers/timeout.ts';
import { block, until } from '../../../support/turns.ts';
import { uncaughtDuring } from '../../../support/uncaught.ts';

type Timers = typeof timers;
/**
 * `heard(n)` resolves once n values were passed to `tell`. No load of the machine makes this wait
 * too short.
 */
type Scenario = (
  timers: Timers,
  tell: (what: unknown) => void,
  heard: (count: number) => Promise<void>,
) => void | Promise<void>;

const node = nodeTimers as unknown as Timers;

/**
 * Resolves after `ms`, and some turns later: what was due by then has run, in slices of a turn each.
 * So it is for what must not run, such as a timeout that was cleared.
 */
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => nodeTimers.setTimeout(resolve, ms));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => nodeTimers.setImmediate(resolve));
}

async function story(scenario: Scenario, of: Timers): Promise<unknown[]> {
  const told: unknown[] = [];
  await scenario(
    of,
    (what) => told.push(what),
    async (count) => {
      await until(() => told.length >= count, `${count} are told`);
    },
  );
  return told;
}

/** Both tell the story that is expected. */
function same(title: string, expected: unknown[], scenario: Scenario): void {
  it(title, async () => {
    const [theirs, ours] = await Promise.all([story(scenario, node), story(scenario, timers)]);
    expect(theirs, "Node's own").to.deep.equal(expected);
    expect(ours, 'ours').to.deep.equal(expected);
  });
}

describe('purgatory/timers, like node:timers', () => {
  same(
    'calls back with the extra arguments, and the timeout as this',
    [true, [1, 'two'], false],
    async (t, tell) => {
      await new Promise<void>((resolve) => {
        const timeout = t.setTimeout(
          function (this: unknown, ...args: unknown[]) {
            tell(this === timeout);
            tell(args);
            resolve();
          },
          1,
          1,
          'two',
        );
      });
      tell(t.setTimeout === (t.setInterval as unknown));
    },
  );

  same('takes what is no delay for the shortest', Array(8).fill('called'), async (t, tell) => {
    for (const delay of [undefined, 0, -1, NaN, 'soon', '1', null, {}]) {
      await new Promise<void>((resolve) => {
        const warn = stub(process, 'emitWarning'); // Node 24 warns of some
        t.setTimeout(resolve, delay as number);
        warn.restore();
      });
      tell('called');
    }
  });

  same(
    'refuses a callback that is no function, and a delay that cannot be multiplied',
    ['ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_TYPE', 'TypeError', 'TypeError'],
    (t, tell) => {
      for (const start of [
        () => t.setTimeout('callback' as never, 1),
        () => t.setInterval('callback' as never, 1),
        () => t.setTimeout(() => {}, 10n as never),
        () => t.setTimeout(() => {}, Symbol('delay') as never),
      ]) {
        try {
          t.clearTimeout(start());
          tell('taken');
        } catch (error) {
          const { code, name } = error as Error & { code?: string };
          tell(code ?? name);
        }
      }
    },
  );

  same(
    'has the code of an error in its text and at the head of its stack',
    [true, true, 'TypeError', []],
    (t, tell) => {
      try {
        t.setTimeout('callback' as never, 1);
      } catch (error) {
        const { name, stack, message } = error as Error;
        const text = `TypeError [ERR_INVALID_ARG_TYPE]: ${message}`;
        tell(String(error) === text);
        tell(stack?.startsWith(`${text}\n`));
        tell(name);
        tell(Object.keys(error as Error).filter((key) => key !== 'code'));
      }
    },
  );

  same(
    'clears by the timeout, its number and its string, for good; ignores anything else',
    ['not started again', 'end'],
    async (t, tell) => {
      const cleared = t.setTimeout(tell, 1, 'object');
      t.clearTimeout(cleared);
      if (cleared.refresh() === cleared) tell('not started again');
      t.clearTimeout(+t.setTimeout(tell, 1, 'number'));
      t.clearTimeout(`${t.setTimeout(tell, 1, 'string')}`);
      t.clearInterval(t.setTimeout(tell, 1, 'by clearInterval'));
      t.clearTimeout(t.setInterval(tell, 1, 'an interval'));
      t.setTimeout(tell, 1, 'closed').close();
      t.setTimeout(tell, 1, 'disposed')[Symbol.dispose]();
      for (const odd of [undefined, null, {}, 'x', -5, NaN, () => {}, true]) t.clearTimeout(odd as never);
      await pause(10);
      tell('end');
    },
  );

  same(
    'clears one timeout from the callback of another that is due with it',
    ['first'],
    async (t, tell, heard) => {
      t.setTimeout(() => {
        tell('first');
        t.clearTimeout(second);
      }, 5);
      const second = t.setTimeout(tell, 5, 'second');
      await heard(1);
      await pause(20);
    },
  );

  same(
    'refreshes a pending timeout, which then runs once and after the others',
    ['b', 'a'],
    async (t, tell, heard) => {
      const a = t.setTimeout(tell, 20, 'a');
      t.setTimeout(tell, 20, 'b');
      a.refresh();
      await heard(2);
    },
  );

  same(
    'starts again by refresh what has run, from its own callback too',
    [1, 2, 3],
    async (t, tell, heard) => {
      let runs = 0;
      const timeout = t.setTimeout(() => {
        tell(++runs);
        if (runs === 1) timeout.refresh();
      }, 2);
      await heard(2);
      timeout.refresh();
      await heard(3);
      await pause(10);
    },
  );

  same('has ref, unref and hasRef, which chain', [true, false, false, true, true, true], (t, tell) => {
    const timeout = t.setTimeout(() => {}, 600_000);
    tell(timeout.hasRef());
    tell(timeout.unref().hasRef());
    tell(timeout.unref().hasRef());
    tell(timeout.ref().hasRef());
    tell(timeout.refresh().hasRef());
    tell(timeout.close() === timeout);
  });

  it('clears a timeout of another copy of the package', async () => {
    const copy = new URL('../../../../src/waits/timers/timeout.ts?copy', import.meta.url).href;
    const { ScheduledTimeout } = (await import(copy)) as typeof timeout;
    const other = new ScheduledTimeout(() => {}, 600_000, [], false);
    timers.clearTimeout(other);
    expect([other.isPending, other instanceof timeout.ScheduledTimeout]).to.deep.equal([false, false]);
  });

  same('leaves a foreign this alone', [true, true, true, true, false], (t, tell) => {
    const timeout = t.setTimeout(() => {}, 600_000);
    const { ref, unref, refresh, close, hasRef } = timeout;
    // One object for all. Node's own `ref` counts a foreign object too, and only `unref` of the
    // same object undoes that.
    const foreign = {} as never;
    for (const method of [ref, unref, refresh, close]) tell(method.call(foreign) === foreign);
    tell(Boolean(hasRef.call({} as never)));
    t.clearTimeout(timeout);
  });

  it('keeps the process alive exactly while a timeout is pending that is ref’d', async () => {
    const alive = (): number =>
      process.getActiveResourcesInfo().filter((type) => type === 'Timeout' || type === 'Immediate').length;
    for (const t of [node, timers]) {
      const counts: number[] = [];
      const before = alive();
      const count = (): void => void counts.push(alive() - before);
      const a = t.setTimeout(() => {}, 600_000);
      count();
      a.unref();
      count();
      a.ref().ref();
      count();
      a.unref().refresh();
      count();
      const b = t.setTimeout(() => {}, 600_000);
      count();
      t.clearTimeout(b);
      t.clearTimeout(b);
      count();
      a.ref();
      t.clearTimeout(a);
      count();
      expect(counts).to.deep.equal([1, 0, 1, 0, 1, 0, 0]);
    }
  });

  same('has a number that stays, and is no other’s', [true, true, true], (t, tell) => {
    const [a, b] = [t.setTimeout(() => {}, 600_000), t.setTimeout(() => {}, 600_000)];
    tell(Number.isInteger(+a));
    const number = +a;
    tell(number === +a);
    tell(+a !== +b);
    for (const timeout of [a, b]) t.clearTimeout(timeout);
  });

  same(
    'repeats an interval until it is cleared by its own callback',
    [1, 2, 3, 'end'],
    async (t, tell, heard) => {
      let runs = 0;
      const interval = t.setInterval(
        (step: number) => {
          runs += step;
          tell(runs);
          if (runs === 3) t.clearInterval(interval);
        },
        2,
        1,
      );
      await heard(3);
      await pause(10);
      tell('end');
    },
  );

  same(
    'counts an interval from the start of a run, however long that takes',
    ['interval', 'later'],
    async (t, tell) => {
      await new Promise<void>((resolve) => {
        let runs = 0;
        const interval = t.setInterval(() => {
          if (++runs === 1) {
            block(30);
            // Counted from the end of this run, the interval would come after it.
            t.setTimeout(() => {
              tell('later');
              resolve();
            }, 15);
          } else if (runs === 2) {
            t.clearInterval(interval);
            tell('interval');
          }
        }, 20);
      });
    },
  );

  same(
    'drains nextTick and microtasks between two callbacks: what they leave to each other runs before the next callback too',
    ['a', 'tick', 'microtask', 'tick of the microtask', 'microtask of that', 'b', 'tick', 'microtask'].concat(
      ['tick of the microtask', 'microtask of that', 'c'],
    ),
    async (t, tell, heard) => {
      const chain = (): void => {
        process.nextTick(() => {
          tell('tick');
          queueMicrotask(() => {
            tell('microtask');
            process.nextTick(() => {
              tell('tick of the microtask');
              queueMicrotask(() => tell('microtask of that'));
            });
          });
        });
      };
      for (const name of ['a', 'b', 'c']) {
        t.setTimeout(() => {
          tell(name);
          if (name !== 'c') chain();
        }, 5);
      }
      await heard(11);
    },
  );

  same(
    'has the fields of a Timeout that programs read',
    [30, null, false, 20, 20, false, -1, true, 30, true],
    async (t, tell) => {
      type Fields = { _idleTimeout: number; _repeat: number | null; _destroyed: boolean };
      const read = (timer: unknown): Fields => timer as Fields;
      const timeout = t.setTimeout(() => {}, 30);
      tell(read(timeout)._idleTimeout);
      tell(read(timeout)._repeat);
      tell(read(timeout)._destroyed);
      const interval = t.setInterval(() => {}, 20);
      tell(read(interval)._idleTimeout);
      tell(read(interval)._repeat);
      tell(read(interval)._destroyed);
      t.clearInterval(interval);
      tell(read(interval)._idleTimeout);
      tell(read(interval)._destroyed);
      await new Promise<void>((resolve) => t.setTimeout(resolve, 30));
      await pause(5);
      tell(read(timeout)._idleTimeout);
      tell(read(timeout)._destroyed);
    },
  );

  it('takes one wake-up of the host, of as many ms, for a timeout of whole ms', async () => {
    const asked: unknown[] = [];
    const init = (_: number, type: string, __: number, resource: { _idleTimeout?: number }): void => {
      if (type === 'Timeout' && resource._idleTimeout !== undefined) asked.push(resource._idleTimeout);
    };
    const hook = createHook({ init: init as never }).enable();
    try {
      for (const ms of [1, 3]) {
        const first: unknown[] = [];
        for (let i = 0; i < 20; i++) {
          asked.length = 0;
          const ran = new Promise<void>((resolve) => timers.setTimeout(resolve, ms));
          first.push(...asked);
          await ran;
        }
        // On a busy machine less of the wait may be left to ask for, or nothing. Never is it more.
        expect(Math.max(...(first as number[]))).to.equal(ms);
      }
    } finally {
      hook.disable();
    }
  });

  same(
    "runs unref'd timers that are due together while no event comes",
    ['a', 'b', 'soon'],
    async (t, tell) => {
      let hasCome = false;
      const event = nodeTimers.setTimeout(() => {
        hasCome = true;
      }, 60_000);
      await new Promise<void>((resolve) => {
        t.setTimeout(() => tell('a'), 3).unref();
        t.setTimeout(() => {
          tell('b');
          resolve();
        }, 3).unref();
      });
      nodeTimers.clearTimeout(event);
      tell(hasCome ? 'late' : 'soon');
    },
  );

  it('yields within a burst of long callbacks', async () => {
    let ran = 0;
    const seen = new Set<number>();
    for (let i = 0; i < 20; i++) {
      timers.setTimeout(() => {
        block(2);
        ran++;
      }, 5);
    }
    while (ran < 20) {
      await new Promise((resolve) => nodeTimers.setImmediate(resolve));
      seen.add(ran);
    }
    // At 2 ms a callback, no more than three fit into the 5 ms of a turn.
    const counts = [...seen];
    const steps = counts.map((count, i) => count - (counts[i - 1] ?? 0));
    expect(Math.max(...steps)).to.be.at.most(4);
  });

  same('is promisified by util.promisify', ['value'], async (t, tell) => {
    tell(await promisify(t.setTimeout as unknown as typeof nodeTimers.setTimeout)(1, 'value'));
  });

  it('throws what a callback throws as an uncaught exception, and goes on, an interval too', async () => {
    for (const t of [node, timers]) {
      let interval: timers.Timeout | undefined;
      let runs = 0;
      const errors = await uncaughtDuring(3, () => {
        t.setTimeout(() => {
          throw 'timeout';
        }, 1);
        t.setTimeout(() => {
          interval = t.setInterval(() => {
            if (++runs === 2) t.clearInterval(interval);
            throw `interval ${runs}`;
          }, 5);
        }, 1);
      });
      expect(errors).to.deep.equal(['timeout', 'interval 1', 'interval 2']);
    }
  });
});

describe('purgatory/timers and AsyncLocalStorage, like node:timers', () => {
  const als = new AsyncLocalStorage<string>();

  same('runs a callback in the context of the call', ['a', 'b', undefined], async (t, tell, heard) => {
    const report = (): void => tell(als.getStore());
    als.run('a', () => t.setTimeout(report, 2));
    als.run('b', () => t.setTimeout(report, 2));
    als.exit(() => t.setTimeout(report, 2));
    await heard(3);
  });

  same('runs every run of an interval in the context of the call', ['a', 'a'], async (t, tell) => {
    await new Promise<void>((resolve) => {
      let runs = 0;
      const interval = als.run('a', () =>
        t.setInterval(() => {
          tell(als.getStore());
          if (++runs < 2) return;
          t.clearInterval(interval);
          resolve();
        }, 2),
      );
    });
  });

  same(
    'keeps the context over a refresh while it is pending, and takes that of the refresh after its end',
    ['a', 'c'],
    async (t, tell, heard) => {
      const timeout = als.run('a', () => t.setTimeout(() => tell(als.getStore()), 2));
      als.run('b', () => timeout.refresh());
      await heard(1);
      als.run('c', () => timeout.refresh());
      await heard(2);
    },
  );

  it('throws in the context of the callback that threw', async () => {
    for (const t of [node, timers]) {
      const stores: unknown[] = [];
      await uncaughtDuring(1, () => {
        process.once('uncaughtException', () => stores.push(als.getStore()));
        als.run('a', () =>
          t.setTimeout(() => {
            throw new Error('expected');
          }, 1),
        );
      });
      expect(stores).to.deep.equal(['a']);
    }
  });

  it('is an async resource of type Timeout, from start to end', async () => {
    for (const t of [node, timers]) {
      const types = new Map<number, string>();
      const events: string[] = [];
      const hook = createHook({
        init: (id, type) => {
          if (type === 'Timeout') types.set(id, type);
        },
        before: (id) => void (types.has(id) && id === mine && events.push('before')),
        after: (id) => void (types.has(id) && id === mine && events.push('after')),
        destroy: (id) => void (types.has(id) && id === mine && events.push('destroy')),
      });
      let mine = 0;
      hook.enable();
      mine = +t.setTimeout(() => events.push('run'), 1);
      await until(() => events.includes('destroy'), 'its resource is destroyed');
      hook.disable();
      expect(events).to.deep.equal(['before', 'run', 'after', 'destroy']);
    }
  });
});

describe('purgatory/timers, when the globals have been deleted', () => {
  it('work as node:timers do, and so does a timer of the engine', async () => {
    const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
    for (const name of ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] as const) {
      Reflect.deleteProperty(globalThis, name);
    }
    const ran: string[] = [];
    const timer = new SystemTimer();
    try {
      for (const t of [nodeTimers as never as typeof timers, timers]) {
        t.setTimeout(() => ran.push('timeout'), 1);
        t.clearTimeout(t.setTimeout(() => ran.push('cleared'), 1));
        const interval = t.setInterval(() => {
          ran.push('interval');
          t.clearInterval(interval);
        }, 2);
      }
      timer.schedule(() => ran.push('task'), 3);
      timer.schedule(() => ran.push('due'), 0);
      await until(() => ran.length >= 6, 'all have run');
    } finally {
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
    }
    expect(ran.sort()).to.deep.equal(['due', 'interval', 'interval', 'task', 'timeout', 'timeout']);
  });
});

describe('purgatory/timers, better than node:timers', () => {
  it('waits for as long as it is told: beyond 24.8 days, and for ever', () => {
    const fake = useFakeTimers();
    try {
      const told: string[] = [];
      timers.setTimeout(() => told.push('30 days'), 30 * 86_400_000);
      const never = timers.setTimeout(() => told.push('never'), Number.POSITIVE_INFINITY);
      fake.tick(30 * 86_400_000 - 1);
      expect(told).to.deep.equal([]);
      fake.tick(2);
      expect(told).to.deep.equal(['30 days']);
      timers.clearTimeout(never);
    } finally {
      fake.restore();
    }
  });

  it('calls back by deadline, across delays, where Node goes list by list', async () => {
    const told: string[] = [];
    timers.setTimeout(() => told.push('first'), 20);
    block(12);
    timers.setTimeout(() => told.push('second'), 11);
    timers.setTimeout(() => told.push('third'), 20); // in one list of Node's with the first
    block(40);
    await until(() => told.length >= 3, 'all have run');
    expect(told).to.deep.equal(['first', 'second', 'third']);
  });
});
