// Real connections wait by each class at once, and by Node's own timers, while the process stands
// still: `stood-still HOW CONNECTIONS SILENT TIMEOUT_MS`. Prints what each has given up, as JSON:
// null where the machine was too slow for the beats.
import { standStill, type Watch } from '../../../bench/harness/stand-still.ts';
import { DelayedOperation, Purgatory, SystemTimer } from '../../../src/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { Replies } from '../../../src/waits/replies/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';

const beats: number[] = [];

/** Waits for one beat after the other, until one has not come in time. */
function loop(wait: (key: string, beat: number, timeoutMs: number) => Promise<{ expired: boolean }>): Watch {
  return ({ index }, timeoutMs, giveUp) => {
    const go = async (): Promise<void> => {
      const { expired } = await wait(`${index}`, (beats[index] ?? 0) + 1, timeoutMs);
      if (expired) giveUp();
      else await go();
    };
    void go();
    return () => {};
  };
}

const polls = new Purgatory<string>('polls');
const waitFor: Watch = loop((key, beat, timeoutMs) =>
  polls.waitFor([key], () => beats[Number(key)] >= beat, { timeoutMs }),
);

const marks = new ThresholdPurgatory<string>('marks');
const threshold: Watch = loop((key, beat, timeoutMs) => marks.awaitAtLeast(key, beat, { timeoutMs }));

class Poll extends DelayedOperation {
  readonly beat: number;
  readonly index: number;
  readonly ended: (expired: boolean) => void;

  constructor(index: number, timeoutMs: number, ended: (expired: boolean) => void) {
    super(timeoutMs);
    this.index = index;
    this.beat = (beats[index] ?? 0) + 1;
    this.ended = ended;
  }

  override tryComplete(): boolean {
    return beats[this.index] >= this.beat && this.forceComplete();
  }

  override onComplete(): void {
    this.ended(false);
  }

  override onExpiration(): void {
    this.ended(true);
  }
}

const fetches = new Purgatory<number, Poll>('fetches');
const operations: Watch = ({ index }, timeoutMs, giveUp) => {
  const park = (): void => {
    let hasExpired = false;
    const ended = (expired: boolean): void => {
      hasExpired ||= expired;
      if (hasExpired) giveUp();
      else queueMicrotask(() => hasExpired || park());
    };
    fetches.tryCompleteElseWatch(new Poll(index, timeoutMs, ended), [index]);
  };
  park();
  return () => void fetches.checkAndComplete(index);
};

const calls = new Replies<number, undefined>('replies');
const replies: Watch = ({ index }, timeoutMs, giveUp) => {
  const expect = (): void => void calls.expect(index, { timeoutMs }).catch(giveUp);
  expect();
  return () => {
    calls.resolve(index, undefined);
    expect();
  };
};

const givingUp = new Map<number, () => void>();
let tracked: IdleTimeouts<number> | undefined;
const idle: Watch = ({ index }, timeoutMs, giveUp) => {
  tracked ??= new IdleTimeouts('idle', { timeoutMs, onIdle: (each) => givingUp.get(each)?.() });
  const touched = tracked;
  givingUp.set(index, giveUp);
  touched.touch(index);
  return () => touched.touch(index);
};

const timer = new SystemTimer();
const schedule: Watch = (_, timeoutMs, giveUp) => {
  let task = timer.schedule(giveUp, timeoutMs);
  return () => {
    task.cancel();
    task = timer.schedule(giveUp, timeoutMs);
  };
};

/** Counts the beats, and tells of them. */
function onBeat(index: number): void {
  beats[index] = (beats[index] ?? 0) + 1;
  polls.notify(`${index}`);
  marks.advance(`${index}`, beats[index]);
}

const nodeSocket: Watch = ({ socket }, timeoutMs, giveUp) => {
  socket.setTimeout(timeoutMs, giveUp);
  return () => {};
};

const nodeTimeout: Watch = (_, timeoutMs, giveUp) => {
  const timeout = setTimeout(giveUp, timeoutMs);
  return () => void timeout.refresh();
};

const watches = {
  waitFor,
  operations,
  threshold,
  replies,
  idle,
  schedule,
  nodeSocket,
  nodeTimeout,
};
const [, , how, ...numbers] = process.argv;
const [connections, silent, timeoutMs] = numbers.map(Number);
const result = await standStill(watches, {
  connections,
  silent,
  timeoutMs,
  stopMs: 1.5 * timeoutMs,
  how: how === 'stop' ? 'stop' : 'block',
  onBeat,
});
process.stdout.write(`${JSON.stringify(result ?? null)}\n`, () => process.exit(0));
