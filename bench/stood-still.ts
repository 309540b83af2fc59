/**
 * A process that stands still, as in a long collection, a paused container or a laptop that sleeps,
 * while its connections send. How many of them are given up, though their data had arrived?
 *
 * harness/stand-still.ts says how. Half of the connections fall silent before the stop: those are to
 * be given up, and the second figure says how long after the stop the last one was.
 */
import { Purgatory } from 'purgatory';
import { IdleTimeouts } from 'purgatory/idle';
import { Replies } from 'purgatory/replies';
import { standStill, type Watch } from './harness/stand-still.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';

const TIMEOUT_MS = 1_000;

function idle(): Watch {
  const givingUp = new Map<number, () => void>();
  const touched = new IdleTimeouts<number>('idle', {
    timeoutMs: TIMEOUT_MS,
    onIdle: (index) => givingUp.get(index)?.(),
  });
  return ({ index }, _, giveUp) => {
    givingUp.set(index, giveUp);
    touched.touch(index);
    return () => touched.touch(index);
  };
}

function replies(): Watch {
  const calls = new Replies<number, undefined>('replies');
  return ({ index }, timeoutMs, giveUp) => {
    const expect = (): void => void calls.expect(index, { timeoutMs }).catch(giveUp);
    expect();
    return () => {
      calls.resolve(index, undefined);
      expect();
    };
  };
}

function waitFor(): Watch {
  const polls = new Purgatory<number>('polls');
  return (talker, timeoutMs, giveUp) => {
    const { index } = talker;
    const wait = async (): Promise<void> => {
      const { beats } = talker;
      const result = await polls.waitFor([index], () => talker.beats > beats, { timeoutMs });
      if (result.expired) giveUp();
      else await wait();
    };
    void wait();
    return () => polls.notify(index);
  };
}

const socketTimeout: Watch = ({ socket }, timeoutMs, giveUp) => {
  socket.setTimeout(timeoutMs, giveUp);
  return () => {};
};

const hostTimeout: Watch = (_, timeoutMs, giveUp) => {
  const timeout = setTimeout(giveUp, timeoutMs);
  return () => void timeout.refresh();
};

function stoodStill(make: () => Watch, how: 'block' | 'stop'): System {
  return async ({ size }: Run): Promise<Measured> => {
    const plan = { connections: size, silent: size / 2, timeoutMs: TIMEOUT_MS, stopMs: 1_500, how };
    let result: Awaited<ReturnType<typeof standStill<'it'>>>;
    for (let tries = 0; tries < 10 && result === undefined; tries++) {
      result = await standStill({ it: make() }, plan);
    }
    if (result === undefined) throw new Error('no beats in time');
    const { it } = result;
    if (it.silent !== size / 2) throw new Error(`${it.silent} of ${size / 2} were given up in time`);
    return { 'given up': it.alive, 'after ms': it.lastMs };
  };
}

/** As an agent may do at any time: a function that calls the host's, and a Date of its own. */
function underAnAgent(make: () => Watch): Watch {
  const { setTimeout: original } = globalThis;
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) =>
    original(...args)) as typeof setTimeout;
  globalThis.Date = class extends Date {} as DateConstructor;
  return make();
}

const contenders: Readonly<Record<string, () => Watch>> = {
  IdleTimeouts: idle,
  Replies: replies,
  waitFor,
  'waitFor under an agent': () => underAnAgent(waitFor),
  'socket.setTimeout': () => socketTimeout,
  'setTimeout, refresh()': () => hostTimeout,
};

const ways = { blocked: 'block', SIGSTOP: 'stop' } as const;
const words = Object.keys(ways) as (keyof typeof ways)[];

export const stoodStillProcess: Workload = {
  name: 'stood-still',
  title: 'Given up after a stop of 1.5 s, of as many whose data had arrived',
  unit: '',
  sizeLabel: 'connections',
  sizes: { full: [200], quick: [200] },
  isQuick: false,
  rounds: 1,
  systems: Object.fromEntries(
    Object.entries(contenders).flatMap(([name, make]) =>
      words.map((word) => [`${name}, ${word}`, stoodStill(make, ways[word])]),
    ),
  ),
  rows: ['IdleTimeouts', 'Replies', 'waitFor', 'waitFor under an agent'].flatMap((name) =>
    words.map((word) => ({
      title: `given up after a stop, though data had arrived: ${name}, ${word}`,
      size: 200,
      metric: 'given up',
      system: `${name}, ${word}`,
      peer: `${name === 'IdleTimeouts' ? 'socket.setTimeout' : 'setTimeout, refresh()'}, ${word}`,
      bar: { value: 0 },
      aim: { value: 0 },
    })),
  ),
};
