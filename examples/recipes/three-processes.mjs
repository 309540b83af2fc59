// Three processes on one hub, one of which stands still: docs/testing.md#other-processes
import { ManualClock, Purgatory } from 'purgatory';
import { LocalHub } from 'purgatory/bus';

const time = new ManualClock();

/** The clock of one process: what comes for it waits in its turns, until it goes on. */
class ProcessClock {
  turns = [];
  now() {
    return time.now();
  }
  nextTurn(go) {
    this.turns.push(go);
  }
  wakeAt(atMs, wake) {
    let isOver = false;
    const wakeUp = time.wakeAt(atMs, () => this.nextTurn(() => isOver || wake()));
    const cancel = () => {
      isOver = true;
      wakeUp.cancel();
    };
    return { cancel };
  }
}

async function play(seed) {
  const hub = new LocalHub({ clock: time, seed });
  const state = new Map(); // what the processes share: your database
  const processes = ['a', 'b', 'c'].map((name) => {
    const clock = new ProcessClock();
    const bus = hub.bus({ clock, echoMs: 1_000 });
    return { name, clock, bus, jobs: new Purgatory('jobs', { bus, clock }), stands: false };
  });
  const pass = async (ms) => {
    for (let left = ms; left > 0; left--) {
      time.advance(1);
      const going = processes.filter(({ stands }) => !stands);
      for (const { clock } of going) for (const go of clock.turns.splice(0)) go();
      await new Promise(setImmediate); // what the promises cause
    }
  };
  await pass(50);
  hub.disturb({ duplication: 0.2, reordering: 0.2, delayMs: 2, jitterMs: 5 });
  const [a, b] = processes;
  const waits = processes.map(({ jobs }) => jobs.waitFor(['7'], () => state.get('7'), { timeoutMs: 9_000 }));
  b.stands = true;
  await pass(100);
  state.set('7', 'done');
  a.jobs.notify('7');
  await pass(9_000); // b misses its deadline
  b.stands = false;
  await pass(100);
  const ends = await Promise.all(waits);
  for (const { jobs } of processes) jobs.close();
  const closed = Promise.all(processes.map(({ bus }) => bus.close()));
  await pass(50);
  await closed;
  return ends.map(({ value }) => value);
}

for (const seed of [1, 2, 3]) console.log(seed, ...(await play(seed)));

/* It prints

1 done done done
2 done done done
3 done done done
*/
